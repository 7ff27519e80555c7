//! Looking up names: once for each connection, every address judged, and the connection
//! goes to an address that was judged.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::address::special;

/// Who is asked for the addresses of a name.
#[derive(Clone, Debug, Default)]
pub enum Names {
    /// The system.
    #[default]
    System,
    /// This table and nobody else: what a name is said to have, and where a connection
    /// to it goes in truth. For tests against servers of one's own.
    Table(Arc<BTreeMap<String, Vec<Answer>>>),
}

/// An address of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The address that is judged.
    pub address: IpAddr,
    /// Where the connection goes.
    pub connect: SocketAddr,
}

/// Why a name cannot be connected to; travels through the client as the source of its
/// error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NameError {
    #[error("no address")]
    NoAddress,
    #[error("{0}")]
    Special(&'static str),
}

impl Names {
    async fn look_up(&self, name: &str) -> Vec<Answer> {
        match self {
            Self::Table(table) => table.get(name).cloned().unwrap_or_default(),
            Self::System => {
                let found = tokio::net::lookup_host((name, 0)).await;
                let answer = |connect: SocketAddr| Answer { address: connect.ip(), connect };
                found.into_iter().flatten().map(answer).collect()
            }
        }
    }
}

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let (names, name) = (self.clone(), name.as_str().to_owned());
        Box::pin(async move {
            let answers = names.look_up(&name).await;
            // One bad address spoils the name: it is not what it was granted as.
            if let Some(what) = answers.iter().find_map(|answer| special(answer.address)) {
                return Err(NameError::Special(what).into());
            }
            if answers.is_empty() {
                return Err(NameError::NoAddress.into());
            }
            let connect: Vec<SocketAddr> = answers.iter().map(|answer| answer.connect).collect();
            Ok(Box::new(connect.into_iter()) as Addrs)
        })
    }
}
