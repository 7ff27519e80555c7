//! A server's list of tools, and what of it is taken.

use std::collections::BTreeSet;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult, Tool as Listed,
};
use rmcp::service::{Peer, PeerRequestOptions};
use serde_json::Value;
use toolstile_core::{
    ConfirmRule, Namespace, ToolDefinition, ToolName, ToolSchema, ToolTraits, namespaced,
};

use super::clean::{clean, clean_schema};
use super::config::{Checked, ServerConfirm};
use super::error::ClientError;

/// Pages of a list.
const MAX_PAGES: usize = 64;

/// Bytes of a list.
const MAX_BYTES: usize = 8 << 20;

/// Characters of a title.
const MAX_TITLE: usize = 256;

/// A tool of a server, as it is taken.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    /// The server's own name for it.
    pub(crate) remote: String,
    /// What the model is shown.
    pub(crate) definition: ToolDefinition,
    /// What the server said, before anything was cleaned.
    pub(crate) declaration: Value,
}

/// Lists all tools, page by page, anew: nothing of it comes from a cache.
pub(crate) async fn list(
    peer: &Peer<RoleClient>,
    server: &Checked,
) -> Result<Vec<Listed>, ClientError> {
    let (mut tools, mut seen, mut bytes) = (Vec::new(), BTreeSet::new(), 0);
    let mut cursor: Option<String> = None;
    for _ in 0..MAX_PAGES {
        let parameters = PaginatedRequestParams::default().with_cursor(cursor.clone());
        let (page, next) = list_page(peer, parameters, server.timeout).await?;
        bytes += serde_json::to_string(&page).map_or(0, |text| text.len());
        tools.extend(page);
        if tools.len() > server.max_tools {
            return Err(ClientError::TooMuch {
                what: "tools (`max_tools`)",
                max: server.max_tools,
            });
        }
        if bytes > MAX_BYTES {
            return Err(ClientError::TooMuch { what: "bytes of tools", max: MAX_BYTES });
        }
        match next {
            None => return Ok(tools),
            Some(next) if !seen.insert(next.clone()) => return Err(ClientError::Endless),
            next => cursor = next,
        }
    }
    Err(ClientError::TooMuch { what: "pages of tools", max: MAX_PAGES })
}

async fn list_page(
    peer: &Peer<RoleClient>,
    parameters: PaginatedRequestParams,
    limit: Duration,
) -> Result<(Vec<Listed>, Option<String>), ClientError> {
    let request = ListToolsRequest { params: Some(parameters), ..ListToolsRequest::default() };
    let request = ClientRequest::ListToolsRequest(request);
    let options = PeerRequestOptions::with_timeout(limit);
    let sent = peer.send_cancellable_request(request, options).await;
    let answered = match sent {
        Ok(sent) => sent.await_response().await,
        Err(error) => Err(error),
    };
    match answered.map_err(|error| super::call::failed("tools/list", limit, error))? {
        ServerResult::ListToolsResult(page) => Ok((page.tools, page.next_cursor)),
        _ => {
            let message = "the answer is no list of tools".to_owned();
            Err(ClientError::Answered { method: "tools/list", message })
        }
    }
}

/// What is taken of a list, and why the rest is not.
pub(crate) fn take(listed: Vec<Listed>, server: &Checked) -> (Vec<Taken>, Vec<String>) {
    let (mut taken, mut left_out) = (Vec::new(), Vec::new());
    for tool in listed {
        let remote = tool.name.to_string();
        match take_one(tool, server) {
            Ok(tool) => taken.push(tool),
            Err(reason) => left_out.push(format!("{remote:?}: {reason}")),
        }
    }
    let doubled: BTreeSet<ToolName> = doubled(&taken);
    taken.retain(|tool: &Taken| {
        let name = &tool.definition.name;
        let good = !doubled.contains(name);
        if !good {
            left_out.push(format!("{:?}: several tools would be named `{name}`", tool.remote));
        }
        good
    });
    (taken, left_out)
}

fn doubled(taken: &[Taken]) -> BTreeSet<ToolName> {
    let mut seen = BTreeSet::new();
    let names = taken.iter().map(|tool| &tool.definition.name);
    names.filter(|name| !seen.insert(*name)).cloned().collect()
}

fn take_one(tool: Listed, server: &Checked) -> Result<Taken, String> {
    let declaration = serde_json::to_value(&tool).map_err(|error| error.to_string())?;
    let name = name_of(&server.namespace, &tool.name)?;
    let mut input = Value::Object((*tool.input_schema).clone());
    clean_schema(&mut input, server.max_desc_chars);
    let input = ToolSchema::compile(input).map_err(|error| format!("its schema: {error}"))?;
    let output = tool.output_schema.as_ref().map(|schema| {
        let mut schema = Value::Object((**schema).clone());
        clean_schema(&mut schema, server.max_desc_chars);
        ToolSchema::compile_any(schema).map_err(|error| format!("its output schema: {error}"))
    });
    let hints = tool.annotations.unwrap_or_default();
    let title = tool.title.or(hints.title);
    let description = tool.description.unwrap_or_default();
    let mut definition =
        ToolDefinition::new(name, clean(&description, server.max_desc_chars).0, input);
    definition.title = title.map(|title| clean(&title, MAX_TITLE).0);
    definition.output_schema = output.transpose()?;
    // Of what a server says about its tools only warnings are believed.
    definition.traits = ToolTraits {
        external_content: server.external_content,
        destructive: hints.destructive_hint == Some(true),
        open_world: hints.open_world_hint == Some(true),
        ..ToolTraits::default()
    };
    definition.confirm = match server.confirm {
        ServerConfirm::Always => ConfirmRule::Always,
        ServerConfirm::Never => ConfirmRule::Never,
    };
    Ok(Taken { remote: tool.name.into_owned(), definition, declaration })
}

fn name_of(namespace: &Namespace, remote: &str) -> Result<ToolName, String> {
    let names = namespaced(namespace, &[remote]).map_err(|error| error.to_string())?;
    names.into_iter().next().ok_or_else(|| "it has no name".to_owned())
}
