//! Servers whose certificates are not to be accepted. The key belongs to nobody.

use std::io::Read as _;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, Stream};

const KEY: &[u8] = include_bytes!("../certificates/key.pem");
pub(crate) const SELF_SIGNED: &[u8] = include_bytes!("../certificates/self-signed.pem");
pub(crate) const EXPIRED: &[u8] = include_bytes!("../certificates/expired.pem");

/// Speaks TLS with this certificate, and reads what comes.
pub(crate) fn server(certificate: &[u8]) -> SocketAddr {
    let certificate = CertificateDer::from_pem_slice(certificate).unwrap();
    let key = PrivateKeyDer::from_pem_slice(KEY).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let config = Arc::new(config);
    thread::spawn(move || {
        for mut socket in listener.incoming().flatten() {
            let mut connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            // A client that does not accept the certificate goes away.
            let _ = Stream::new(&mut connection, &mut socket).read(&mut [0; 1024]);
        }
    });
    address
}
