//! Telling clients that a list has changed.

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::service::{Peer, SubscriptionContext};
use tokio::sync::watch;
use toolstile_core::PromptDefinition;

use super::{Served, Shared};

/// What changed since the last look.
#[derive(Clone, Copy, Debug)]
struct Changed {
    prompts: bool,
}

/// Watches what is served.
struct Changes {
    served: watch::Receiver<Served>,
    tools: watch::Receiver<u64>,
    prompts: Vec<PromptDefinition>,
}

impl Changes {
    fn of(shared: &Shared) -> Self {
        let served = shared.served.subscribe();
        let (tools, prompts) = {
            let now = served.borrow();
            (now.executor.registry().changes(), prompts(&now))
        };
        Self { served, tools, prompts }
    }

    /// Waits for a change; `None` when there will be none.
    async fn next(&mut self) -> Option<Changed> {
        tokio::select! {
            changed = self.served.changed() => {
                changed.ok()?;
                self.tools = self.served.borrow_and_update().executor.registry().changes();
            }
            changed = self.tools.changed() => changed.ok()?,
        }
        self.tools.mark_unchanged();
        let now = prompts(&self.served.borrow());
        let changed = now != self.prompts;
        self.prompts = now;
        Some(Changed { prompts: changed })
    }
}

fn prompts(served: &Served) -> Vec<PromptDefinition> {
    served.prompts.as_ref().map(|prompts| prompts.list()).unwrap_or_default()
}

/// Tells a client with a handshake, for as long as it is there. What can be read changes
/// with the plugins that offer it, and these have tools.
pub(crate) async fn tell_peer(shared: Arc<Shared>, peer: Peer<RoleServer>) {
    let mut changes = Changes::of(&shared);
    drop(shared);
    while let Some(changed) = changes.next().await {
        let told = async {
            peer.notify_tool_list_changed().await?;
            if changed.prompts {
                peer.notify_prompt_list_changed().await?;
            }
            peer.notify_resource_list_changed().await
        };
        if told.await.is_err() {
            return;
        }
    }
}

/// Tells a listener of what it subscribed to, until it goes away.
pub(crate) async fn tell_listener(shared: &Shared, listener: &SubscriptionContext) {
    let mut changes = Changes::of(shared);
    loop {
        let changed = tokio::select! {
            () = listener.cancelled() => return,
            changed = changes.next() => changed,
        };
        let Some(changed) = changed else { return };
        let (sink, wants) = (listener.sink(), listener.accepted());
        let told = async {
            if wants.tools_list_changed == Some(true) {
                sink.notify_tool_list_changed().await?;
            }
            if wants.prompts_list_changed == Some(true) && changed.prompts {
                sink.notify_prompt_list_changed().await?;
            }
            if wants.resources_list_changed == Some(true) {
                sink.notify_resource_list_changed().await?;
            }
            Ok::<(), rmcp::service::SubscriptionSendError>(())
        };
        if told.await.is_err() {
            return;
        }
    }
}
