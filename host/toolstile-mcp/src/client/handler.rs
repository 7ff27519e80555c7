//! What a server may ask of this client: a form, where the operator lets it. What it
//! tells: that its tools have changed, and how far a call has come.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, FormElicitationCapability, Implementation, ListRootsRequestMethod,
    ListRootsResult, ProgressNotificationParam, ProgressToken, ProtocolVersion,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, ErrorData, RoleClient};
use tokio::sync::Notify;
use toolstile_core::{CallContext, Namespace, Progress};

use super::clean::clean;
use super::config::Checked;
use super::elicit;

/// Characters of a progress message.
const MAX_MESSAGE: usize = 500;

/// Hears what one server says between its answers.
#[derive(Clone, Debug)]
pub(crate) struct Listener {
    server: Namespace,
    /// It may ask.
    elicit: bool,
    /// The list of tools is not what it was.
    pub(crate) changed: Arc<Notify>,
    calls: Arc<Mutex<HashMap<ProgressToken, CallContext>>>,
}

/// A call that hears of its progress until this is dropped.
pub(crate) struct Following<'a> {
    listener: &'a Listener,
    token: ProgressToken,
}

impl Listener {
    pub(crate) fn of(server: &Checked) -> Self {
        Self {
            server: server.namespace.clone(),
            elicit: server.elicit,
            changed: Arc::default(),
            calls: Arc::default(),
        }
    }

    /// The call that a question belongs to: that there is no other is the only way to know.
    fn only_call(&self) -> Option<CallContext> {
        let calls = self.lock();
        calls.values().next().filter(|_| calls.len() == 1).cloned()
    }

    pub(crate) fn follow(&self, token: ProgressToken, context: &CallContext) -> Following<'_> {
        self.lock().insert(token.clone(), context.clone());
        Following { listener: self, token }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<ProgressToken, CallContext>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Following<'_> {
    fn drop(&mut self) {
        self.listener.lock().remove(&self.token);
    }
}

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        let name = Implementation::new("toolstile", env!("CARGO_PKG_VERSION"));
        let form = FormElicitationCapability::default();
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation =
            self.elicit.then(|| ElicitationCapability::new().with_form(form));
        // With a handshake no newer revision may be asked for.
        ClientConfig::new(capabilities, name)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListRootsRequestMethod>())
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        if !self.elicit {
            return Err(
                ErrorData::method_not_found::<rmcp::model::ElicitationCreateRequestMethod>(),
            );
        }
        let Some(call) = self.only_call() else {
            return Ok(ElicitResult::new(ElicitationAction::Cancel));
        };
        // Why nobody answers is not the server's affair.
        let asked = elicit::ask(params, &self.server, &call).await;
        Ok(asked.unwrap_or_else(|_| ElicitResult::new(ElicitationAction::Cancel)))
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let context = self.lock().get(&progress.progress_token).cloned();
        if let Some(context) = context.filter(|_| progress.progress.is_finite()) {
            context.report(&Progress {
                done: progress.progress,
                total: progress.total.filter(|total| total.is_finite()),
                message: progress.message.map(|message| clean(&message, MAX_MESSAGE).0),
            });
        }
    }
}
