//! What a model is asked, in the words of the library that sends it.

use std::collections::VecDeque;

use rig_core::completion::{CompletionRequest, ToolDefinition};
use rig_core::message::{
    AssistantContent, AssistantMessage, CallId, Message, Text, ToolCall, ToolChoice, ToolFunction,
    ToolName, ToolResult, ToolResultContent, UserContent,
};
use serde_json::{Value, json};
use toolstile_agent::{ChatRequest, Message as Said, ToolCall as Call, ToolMode};
use toolstile_core::ToolName as CheckedName;

use crate::profile::{FunctionDeclaration, NameMap};
use crate::provider::Provider;

/// Builds one request.
pub(crate) struct RequestBuilder<'a> {
    provider: Provider,
    names: &'a NameMap,
    history: Vec<Message>,
    results: Vec<UserContent>,
    /// The calls that have no result yet: the identifier of the conversation, and the
    /// one that the provider knows.
    open: VecDeque<(String, CallId)>,
}

impl<'a> RequestBuilder<'a> {
    pub(crate) fn new(provider: Provider, names: &'a NameMap) -> Self {
        Self { provider, names, history: Vec::new(), results: Vec::new(), open: VecDeque::new() }
    }

    pub(crate) fn build(mut self, request: &ChatRequest<'_>) -> Result<CompletionRequest, String> {
        if let Some(system) = request.system.filter(|system| !system.is_empty()) {
            self.history.push(Message::System { content: system.to_owned() });
        }
        for message in request.messages {
            self.add(message)?;
        }
        self.flush_results();
        let declared = self.declarations(request);
        let mut built = CompletionRequest::new("");
        built.chat_history = self.history;
        built.temperature = request.sampling.temperature;
        built.max_tokens = request.sampling.max_output_tokens;
        // Whether an unusual reason to stop is a failure is for the agent to say.
        built.accept_unknown_finish_reasons = true;
        if !declared.is_empty() {
            built.tool_choice = tool_choice(self.provider, self.names, request.tool_choice)?;
            declare(self.provider, declared, &mut built)?;
        }
        Ok(built)
    }

    fn add(&mut self, message: &Said) -> Result<(), String> {
        match message {
            Said::User { text } => {
                self.flush_results();
                self.history.push(Message::User { content: vec![UserContent::text(text)] });
            }
            Said::Assistant { text, calls, state } => {
                self.flush_results();
                self.add_turn(text, calls, state.as_ref())?;
            }
            Said::Tool { call_id, name, text } => {
                let result = ToolResult {
                    call: self.answered(call_id),
                    name: self.wire_name(name)?,
                    content: vec![ToolResultContent::Text(Text::new(text))],
                    is_error: false,
                };
                self.results.push(UserContent::ToolResult(result));
            }
        }
        Ok(())
    }

    /// The results of one turn go back in one message: some providers insist.
    fn flush_results(&mut self) {
        if !self.results.is_empty() {
            self.history.push(Message::User { content: std::mem::take(&mut self.results) });
        }
    }

    fn add_turn(
        &mut self,
        text: &str,
        calls: &[Call],
        state: Option<&Value>,
    ) -> Result<(), String> {
        let kept = state.and_then(|state| self.kept_turn(calls, state));
        let turn = match kept {
            Some(turn) => turn,
            None => self.rebuilt_turn(text, calls)?,
        };
        self.open = calls.iter().map(|call| call.id.clone()).zip(ids(&turn)).collect();
        if !turn.content.is_empty() {
            self.history.push(Message::Assistant(turn));
        }
        Ok(())
    }

    /// The turn as the provider gave it, unless it cannot be read, the conversation tells
    /// of other calls, or a call has a name that the provider would refuse to read again.
    fn kept_turn(&self, calls: &[Call], state: &Value) -> Option<AssistantMessage> {
        let turn: AssistantMessage = serde_json::from_value(state.clone()).ok()?;
        let same = turn.tool_calls().count() == calls.len()
            && turn.tool_calls().zip(calls).all(|(kept, call)| {
                let name = kept.function.name.as_str();
                self.names.from_wire(name) == call.name && CheckedName::parse(name).is_ok()
            });
        (same && !turn.content.is_empty()).then_some(turn)
    }

    fn rebuilt_turn(&self, text: &str, calls: &[Call]) -> Result<AssistantMessage, String> {
        let mut content = Vec::new();
        if !text.is_empty() {
            content.push(AssistantContent::Text(Text::new(text)));
        }
        for call in calls {
            let function = ToolFunction::parse(self.wire_name(&call.name)?, &call.arguments);
            content.push(AssistantContent::ToolCall(ToolCall::from_wire(&call.id, function)));
        }
        Ok(AssistantMessage::new(content))
    }

    /// The call that a result belongs to. Identifiers need not be unique: the first
    /// call that waits for a result gets it.
    fn answered(&mut self, call_id: &str) -> CallId {
        let position = self.open.iter().position(|(id, _)| id == call_id);
        let found = position.and_then(|position| self.open.remove(position));
        found.map_or_else(|| CallId::from_wire(call_id), |(_, id)| id)
    }

    /// Models call tools by names that no tool can have; what is said of such a call has
    /// to be readable all the same.
    fn wire_name(&self, name: &str) -> Result<ToolName, String> {
        let name = CheckedName::sanitize(name);
        ToolName::new(self.names.to_wire(name.as_str())).map_err(|error| error.to_string())
    }

    fn declarations(&self, request: &ChatRequest<'_>) -> Vec<FunctionDeclaration> {
        let profile = self.provider.profile();
        let shown = request.tools.iter().filter(|tool| match request.tool_choice {
            // Ollama has no tool choice: a tool that must not be called is not shown.
            _ if self.provider != Provider::Ollama => true,
            mode => mode.admits(tool.name().as_str()),
        });
        let declared = shown.map(|tool| FunctionDeclaration {
            name: self.names.to_wire(tool.name().as_str()),
            ..profile.render(tool)
        });
        declared.collect()
    }
}

fn ids(turn: &AssistantMessage) -> Vec<CallId> {
    turn.tool_calls().map(|call| call.id.clone()).collect()
}

fn tool_choice(
    provider: Provider,
    names: &NameMap,
    mode: &ToolMode,
) -> Result<Option<ToolChoice>, String> {
    if provider == Provider::Ollama {
        return Ok(None);
    }
    Ok(match mode {
        // What every provider does unasked; some servers do not know the word.
        ToolMode::Auto => None,
        ToolMode::None => Some(ToolChoice::None),
        ToolMode::Required(None) => Some(ToolChoice::Required),
        ToolMode::Required(Some(name)) => {
            let name =
                ToolName::new(names.to_wire(name.as_str())).map_err(|error| error.to_string())?;
            Some(ToolChoice::Specific { function_names: vec![name] })
        }
    })
}

fn declare(
    provider: Provider,
    declared: Vec<FunctionDeclaration>,
    built: &mut CompletionRequest,
) -> Result<(), String> {
    if provider == Provider::Gemini {
        // The library would send `parametersJsonSchema`, which has other rules than the
        // `parameters` that the profile writes.
        let declared: Vec<Value> = declared.iter().map(FunctionDeclaration::to_value).collect();
        built.additional_params = Some(json!({"tools": [{"functionDeclarations": declared}]}));
        return Ok(());
    }
    for function in declared {
        let name = ToolName::new(function.name).map_err(|error| error.to_string())?;
        let parameters = function.parameters.unwrap_or_else(|| json!({"type": "object"}));
        built.tools.push(ToolDefinition::new(name, function.description, parameters));
    }
    Ok(())
}
