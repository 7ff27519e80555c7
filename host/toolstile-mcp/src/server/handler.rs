//! What each request of the protocol does.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CompletionInfo,
    CustomRequest, CustomResult, GetPromptRequestParams, GetPromptResponse, Implementation,
    InputRequiredResult, InputResponses, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, LoggingLevel, PaginatedRequestParams, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, Reference, ServerCapabilities, ServerConfig,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use toolstile_core::{Call, CallContext, CompletionOf, Offered, canonical_json, sha256_hex};

use super::caller::RequestCaller;
use super::confirm::ByForm;
use super::http::Principal;
use super::paging::page;
use super::suspended::Resumed;
use super::updates::{self, Subscriptions};
use super::work::{Finished, Line, Running, Turn, Work};
use super::{Served, Shared, ask, notify, offers, tools};

/// The requests of one client.
#[derive(Clone, Debug)]
pub(crate) struct Handler {
    shared: Arc<Shared>,
    /// Who is there when the request does not say.
    principal: &'static str,
    /// The least level of log lines that a client with a handshake wants.
    level: Arc<Mutex<Option<LoggingLevel>>>,
    subscriptions: Arc<Subscriptions>,
    /// Tells the client of changed lists: one task, which ends with the connection.
    teller: Arc<Mutex<JoinSet<()>>>,
}

/// A request that may ask back: what it is bound to, and what the client brought along.
struct Exchange<'a> {
    bound: String,
    state: Option<&'a str>,
    responses: Cow<'a, InputResponses>,
}

/// What a request that may ask back came to.
enum Outcome {
    Finished(Finished),
    Asks(InputRequiredResult),
}

type Request = RequestContext<RoleServer>;

impl Handler {
    pub(crate) fn new(shared: Arc<Shared>, principal: &'static str) -> Self {
        Self {
            shared,
            principal,
            level: Arc::default(),
            subscriptions: Arc::default(),
            teller: Arc::default(),
        }
    }

    fn served(&self) -> Served {
        self.shared.served.borrow().clone()
    }

    /// What a tool is, if it may be called now.
    fn fingerprint(&self, name: &str) -> Option<String> {
        let executor = self.served().executor;
        let tool = executor.registry().get(name)?;
        executor.check_permissions(&tool).ok()?;
        Some(tool.fingerprint.as_str().to_owned())
    }

    fn line(&self, request: &Request) -> Line {
        let modern = is_modern(request);
        let wanted = *self.level.lock().unwrap_or_else(PoisonError::into_inner);
        Line {
            peer: request.peer.clone(),
            progress: request.meta.get_progress_token(),
            log: match modern {
                true => request.meta.log_level(),
                false => Some(wanted.unwrap_or(LoggingLevel::Info)),
            },
            pushes: !modern,
        }
    }

    fn exchange<'a>(
        &self,
        request: &Request,
        (method, parameters): (&str, Value),
        state: Option<&'a String>,
        responses: Option<&'a InputResponses>,
    ) -> Exchange<'a> {
        let principal = request
            .extensions
            .get::<http::request::Parts>()
            .and_then(|parts| parts.extensions.get::<Principal>())
            .map_or(self.principal, |principal| principal.0.as_ref());
        let bound = json!([principal, method, parameters]);
        Exchange {
            bound: sha256_hex(canonical_json(&bound).as_bytes()),
            state: state.map(String::as_str),
            responses: responses.map_or_else(|| Cow::Owned(InputResponses::new()), Cow::Borrowed),
        }
    }

    /// Begins the work, or takes up the one that waits for this request's answers.
    async fn answer(
        &self,
        request: &Request,
        exchange: Exchange<'_>,
        begin: impl FnOnce(&Arc<RequestCaller>) -> Work,
    ) -> Result<Outcome, ErrorData> {
        let waiting = &self.shared.suspended;
        let running = match exchange.state {
            Some(state) => match waiting.resume(state, &exchange.responses, &exchange.bound)? {
                Resumed::Running(running) => running,
                Resumed::Asks(result) => return Ok(Outcome::Asks(result)),
            },
            None => {
                let offered = ask::offered(request.client_capabilities().as_ref());
                let (caller, events) = RequestCaller::new(offered);
                let caller = Arc::new(caller);
                Running::new(begin(&caller), events, caller)
            }
        };
        let line = self.line(request);
        let turn = tokio::select! {
            turn = running.go_on(&line) => turn,
            () = request.ct.cancelled() => {
                return Err(ErrorData::internal_error("the request was cancelled", None));
            }
        };
        match turn {
            Turn::Asks(running, asked) => {
                waiting.park(running, asked, &exchange.bound).map(Outcome::Asks)
            }
            Turn::Finished(finished, missing) => match !line.pushes
                && failed_for(&finished, missing)
            {
                true => Err(ErrorData::missing_required_client_capability(ask::needed(missing))),
                false => Ok(Outcome::Finished(finished)),
            },
        }
    }
}

/// Whether the work failed after it had asked for what the client does not declare
/// (MCP 2026-07-28, "Missing Required Capabilities").
fn failed_for(finished: &Finished, missing: Offered) -> bool {
    let failed = match finished {
        Finished::Called(completion) => {
            completion.response().status == toolstile_core::Status::Error
        }
        Finished::Got(got) => got.is_err(),
        Finished::Read(read) => read.is_err(),
    };
    failed && missing != Offered::default()
}

fn is_modern(request: &Request) -> bool {
    // Revisions are dates, and compare as text.
    let version = request.protocol_version();
    version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

fn out_of_place() -> ErrorData {
    ErrorData::internal_error("the answer belongs to another request", None)
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let served = self.shared.served.borrow();
        let mut capabilities = ServerCapabilities::builder()
            .enable_logging()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        if served.resources.is_some() {
            let mut resources = rmcp::model::ResourcesCapability::default();
            resources.list_changed = Some(true);
            resources.subscribe = Some(true);
            capabilities.resources = Some(resources);
        }
        if served.prompts.is_some() {
            let mut prompts = rmcp::model::PromptsCapability::default();
            prompts.list_changed = Some(true);
            capabilities.prompts = Some(prompts);
            capabilities.completions = Some(Default::default());
        }
        let name = &self.shared.name;
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(name.name.clone(), name.version.clone()))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: Request,
    ) -> Result<ListToolsResult, ErrorData> {
        let executor = self.served().executor;
        let revision = *executor.registry().changes().borrow();
        let all = executor.permitted_tools();
        let (tools, next) = page(all, request.as_ref(), revision)?;
        let mut result =
            ListToolsResult::with_all_items(tools.iter().map(|tool| tools::listed(tool)).collect());
        result.next_cursor = next;
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let executor = self.served().executor;
        let tool = executor.registry().get(name)?;
        executor.check_permissions(&tool).is_ok().then(|| tools::listed(&tool))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Request,
    ) -> Result<CallToolResponse, ErrorData> {
        let CallToolRequestParams { name, arguments, input_responses, request_state, .. } = request;
        let arguments = Value::Object(arguments.unwrap_or_default());
        // A call that waits for a person is good for the tool as it was when it began.
        let tool = self.fingerprint(&name);
        let bound = ("tools/call", json!({"name": name, "arguments": arguments, "tool": tool}));
        let exchange =
            self.exchange(&context, bound, request_state.as_ref(), input_responses.as_ref());
        let begin = |caller: &Arc<RequestCaller>| -> Work {
            let client = context.client_info().map(|client| client.name);
            let confirm = ByForm { caller: Arc::clone(caller), client };
            let executor = self.served().executor.to_builder();
            let executor = executor.caller(caller.clone()).confirm(Arc::new(confirm)).build();
            let mut call = Call::new(name.clone(), arguments.clone());
            call.id = Some(context.id.to_string());
            Box::pin(async move { Finished::Called(Box::new(executor.execute(call).await)) })
        };
        match self.answer(&context, exchange, begin).await? {
            Outcome::Asks(result) => Ok(result.into()),
            Outcome::Finished(Finished::Called(completion)) => {
                tools::result(&completion, !is_modern(&context)).map(CallToolResponse::from)
            }
            Outcome::Finished(_) => Err(out_of_place()),
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: Request,
    ) -> Result<ListResourcesResult, ErrorData> {
        let Some(resources) = self.served().resources else {
            return Ok(ListResourcesResult::with_all_items(Vec::new()));
        };
        let listed = resources.list(&CallContext::default()).await;
        let mut listed = listed.map_err(|error| offers::failed(&error))?;
        listed.sort_by(|a, b| a.uri.cmp(&b.uri));
        let revision = revision_of(listed.iter().map(|resource| &resource.uri));
        let (listed, next) = page(listed, request.as_ref(), revision)?;
        let mut result =
            ListResourcesResult::with_all_items(listed.into_iter().map(offers::resource).collect());
        result.next_cursor = next;
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: Request,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let resources = self.served().resources;
        let all = resources.map(|resources| resources.templates()).unwrap_or_default();
        let revision = revision_of(all.iter().map(|template| &template.uri_template));
        let (all, next) = page(all, request.as_ref(), revision)?;
        let mut result = ListResourceTemplatesResult::with_all_items(
            all.into_iter().map(offers::template).collect(),
        );
        result.next_cursor = next;
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Request,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let ReadResourceRequestParams { uri, input_responses, request_state, .. } = request;
        let bound = ("resources/read", json!({"uri": uri}));
        let exchange =
            self.exchange(&context, bound, request_state.as_ref(), input_responses.as_ref());
        let (resources, wanted) = (self.served().resources, uri.clone());
        let begin = |caller: &Arc<RequestCaller>| -> Work {
            let context = CallContext::of_caller(caller.clone());
            Box::pin(async move {
                Finished::Read(match resources {
                    Some(resources) => resources.read(&wanted, &context).await,
                    None => Err(toolstile_core::OfferError::NotFound("there are none".into())),
                })
            })
        };
        match self.answer(&context, exchange, begin).await? {
            Outcome::Asks(result) => Ok(result.into()),
            Outcome::Finished(Finished::Read(read)) => {
                offers::read(&uri, read).map(ReadResourceResponse::from)
            }
            Outcome::Finished(_) => Err(out_of_place()),
        }
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: Request,
    ) -> Result<ListPromptsResult, ErrorData> {
        let all = self.served().prompts.map(|prompts| prompts.list()).unwrap_or_default();
        let revision = revision_of(all.iter().map(|prompt| &prompt.name));
        let (all, next) = page(all, request.as_ref(), revision)?;
        let mut result =
            ListPromptsResult::with_all_items(all.into_iter().map(offers::prompt).collect());
        result.next_cursor = next;
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Request,
    ) -> Result<GetPromptResponse, ErrorData> {
        let GetPromptRequestParams { name, arguments, input_responses, request_state, .. } =
            request;
        let arguments = arguments.unwrap_or_default();
        let bound = ("prompts/get", json!({"name": name, "arguments": arguments}));
        let exchange =
            self.exchange(&context, bound, request_state.as_ref(), input_responses.as_ref());
        let words = words(arguments)?;
        let prompts = self.served().prompts;
        let begin = |caller: &Arc<RequestCaller>| -> Work {
            let context = CallContext::of_caller(caller.clone());
            Box::pin(async move {
                Finished::Got(match prompts {
                    Some(prompts) => prompts.get(&name, words, &context).await,
                    None => Err(toolstile_core::OfferError::NotFound("there are none".into())),
                })
            })
        };
        match self.answer(&context, exchange, begin).await? {
            Outcome::Asks(result) => Ok(result.into()),
            Outcome::Finished(Finished::Got(got)) => {
                offers::filled_in(got).map(GetPromptResponse::from)
            }
            Outcome::Finished(_) => Err(out_of_place()),
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: Request,
    ) -> Result<CompleteResult, ErrorData> {
        let Some(prompts) = self.served().prompts else {
            return Ok(CompleteResult::default());
        };
        let of = match request.r#ref {
            Reference::Prompt(prompt) => CompletionOf::Prompt(prompt.name),
            Reference::Resource(template) => CompletionOf::ResourceTemplate(template.uri),
            _ => return Ok(CompleteResult::default()),
        };
        let given = request.context.and_then(|context| context.arguments).unwrap_or_default();
        let (name, value) = (&request.argument.name, &request.argument.value);
        let context = CallContext::default();
        let values = prompts.complete(of, name, value, given.into_iter().collect(), &context).await;
        let values = values.map_err(|error| offers::failed(&error))?;
        let info = CompletionInfo::new(values);
        let info = info.map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(info))
    }

    async fn set_level(&self, request: SetLevelRequestParams, _: Request) -> Result<(), ErrorData> {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = Some(request.level);
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: Request,
    ) -> Result<(), ErrorData> {
        let (shared, peer) = (Arc::clone(&self.shared), context.peer);
        self.subscriptions.begin(request.uri, |uri| updates::tell_peer(shared, peer, uri))
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: Request,
    ) -> Result<(), ErrorData> {
        self.subscriptions.end(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, listener: SubscriptionContext) -> Result<(), ErrorData> {
        let Ok(_place) = self.shared.listeners.try_acquire() else {
            return Err(ErrorData::internal_error("too many listeners; try again later", None));
        };
        tokio::select! {
            () = notify::tell_listener(&self.shared, &listener) => {}
            () = updates::tell_listener(&self.shared, &listener) => {}
        }
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let mut teller = self.teller.lock().unwrap_or_else(PoisonError::into_inner);
        if teller.is_empty() {
            teller.spawn(notify::tell_peer(Arc::clone(&self.shared), context.peer));
        }
    }

    /// A method that is known arrives here when its parameters are not valid.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: Request,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        let removed = is_modern(&context) && REMOVED_METHODS.contains(&method.as_str());
        match KNOWN_METHODS.contains(&method.as_str()) && !removed {
            true => {
                let message = format!("the parameters of `{method}` are not valid");
                Err(ErrorData::invalid_params(message, None))
            }
            false => Err(ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, method, None)),
        }
    }
}

/// The requests that a client can make of this server, in all revisions.
const KNOWN_METHODS: [&str; 15] = [
    "completion/complete",
    "initialize",
    "logging/setLevel",
    "ping",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "server/discover",
    "subscriptions/listen",
    "tools/call",
    "tools/list",
];

/// Those of them that MCP 2026-07-28 has no more.
const REMOVED_METHODS: [&str; 5] =
    ["initialize", "logging/setLevel", "ping", "resources/subscribe", "resources/unsubscribe"];

/// Tells one state of a list from another.
fn revision_of<'a>(names: impl Iterator<Item = &'a String>) -> u64 {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    names.for_each(|name| name.hash(&mut hasher));
    hasher.finish()
}

/// Arguments of a prompt are words.
fn words(arguments: serde_json::Map<String, Value>) -> Result<Vec<(String, String)>, ErrorData> {
    let word = |(name, value): (String, Value)| match value {
        Value::String(word) => Ok((name, word)),
        _ => {
            let message = format!("the argument `{name}` of a prompt must be a string");
            Err(ErrorData::invalid_params(message, None))
        }
    };
    arguments.into_iter().map(word).collect()
}
