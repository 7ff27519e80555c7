//! Telling clients that a resource has changed. Plugins keep no state and cannot say so
//! themselves: what somebody subscribed to is read again from time to time, and compared.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};
use tokio::task::AbortHandle;
use toolstile_core::{CallContext, ResourceContent};

use super::Shared;

/// How often a resource is looked at.
const INTERVAL: Duration = Duration::from_secs(2);

/// Resources that one client may subscribe to at the same time.
const MAX_SUBSCRIPTIONS: usize = 32;

/// What one client with a handshake subscribed to, and who watches it.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions(Mutex<HashMap<String, AbortHandle>>);

impl Subscriptions {
    /// Watches a resource; once is enough.
    pub(crate) fn begin<F: Future<Output = ()> + Send + 'static>(
        &self,
        uri: String,
        watch: impl FnOnce(String) -> F,
    ) -> Result<(), ErrorData> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, watching| !watching.is_finished());
        if !all.contains_key(&uri) && all.len() >= MAX_SUBSCRIPTIONS {
            return Err(ErrorData::internal_error("too many subscriptions", None));
        }
        all.entry(uri.clone()).or_insert_with(|| tokio::spawn(watch(uri)).abort_handle());
        Ok(())
    }

    /// Stops watching it.
    pub(crate) fn end(&self, uri: &str) {
        let ended = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(uri);
        if let Some(watching) = ended {
            watching.abort();
        }
    }
}

impl Drop for Subscriptions {
    fn drop(&mut self) {
        let all = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        all.values().for_each(AbortHandle::abort);
    }
}

/// Tells a client with a handshake, for as long as it is there.
pub(crate) async fn tell_peer(shared: Arc<Shared>, peer: Peer<RoleServer>, uri: String) {
    let mut last = read(&shared, &uri).await;
    while !peer.is_transport_closed() {
        changed(&shared, &uri, &mut last).await;
        let parameters = ResourceUpdatedNotificationParam::new(uri.clone());
        if peer.notify_resource_updated(parameters).await.is_err() {
            return;
        }
    }
}

/// Tells a listener of the resources that it subscribed to, until it goes away.
pub(crate) async fn tell_listener(shared: &Shared, listener: &SubscriptionContext) {
    let uris = listener.accepted().resource_subscriptions.iter().flatten();
    let mut watching: FuturesUnordered<_> = uris
        .take(MAX_SUBSCRIPTIONS)
        .map(|uri| async move {
            let mut last = read(shared, uri).await;
            loop {
                changed(shared, uri, &mut last).await;
                if listener.sink().notify_resource_updated(uri).await.is_err() {
                    return;
                }
            }
        })
        .collect();
    if watching.next().await.is_none() {
        listener.cancelled().await;
    }
}

/// Waits until the resource is not what it was.
async fn changed(shared: &Shared, uri: &str, last: &mut Option<Vec<ResourceContent>>) {
    loop {
        tokio::time::sleep(INTERVAL).await;
        let now = read(shared, uri).await;
        if now != *last {
            *last = now;
            return;
        }
    }
}

async fn read(shared: &Shared, uri: &str) -> Option<Vec<ResourceContent>> {
    let resources = shared.served.borrow().resources.clone()?;
    resources.read(uri, &CallContext::default()).await.ok()
}
