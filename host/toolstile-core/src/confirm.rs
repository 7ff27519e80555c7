//! Confirmation: a person approves what is about to run, exactly.

use std::fmt::Write as _;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};

use crate::arguments::Arguments;
use crate::assessment::{Assessment, Finding};
use crate::escape::escape_invisible;
use crate::fingerprint::{Fingerprint, sha256_hex};
use crate::name::ToolName;
use crate::origin::Origin;
use crate::registry::RegisteredTool;
use crate::schema::ToolSchema;
use crate::strict_json::canonical_json;

/// Which calls of a tool need confirmation: data that the host decides on, before
/// any code of the tool runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ConfirmRule {
    /// None.
    #[default]
    Never,
    /// All.
    Always,
    /// Those whose arguments are valid against the schema.
    When(ToolSchema),
}

impl ConfirmRule {
    /// Whether a call with these arguments needs confirmation.
    #[must_use]
    pub fn applies(&self, arguments: &Arguments) -> bool {
        match self {
            Self::Never => false,
            Self::Always => true,
            // What cannot be checked is asked about.
            Self::When(schema) => {
                let value = arguments.as_value();
                !schema.affords(value) || schema.is_valid(value)
            }
        }
    }

    /// The rule as JSON: `"never"`, `"always"` or the schema.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match self {
            Self::Never => json!("never"),
            Self::Always => json!("always"),
            Self::When(schema) => schema.as_value().clone(),
        }
    }
}

/// What a person is asked to approve.
#[derive(Clone, Debug)]
pub struct ConfirmRequest {
    /// The caller's identifier of the call.
    pub call_id: Option<String>,
    /// The tool that would run.
    pub tool: ToolName,
    /// Where the tool came from.
    pub origin: Origin,
    /// What the tool is, exactly.
    pub fingerprint: Fingerprint,
    /// A copy of the arguments that would run.
    pub arguments: Arguments,
    /// The capabilities that the tool holds.
    pub granted: Vec<String>,
    /// What the arguments mean to those capabilities: the words of a command, for
    /// example, exactly as they would run.
    pub findings: Vec<Finding>,
}

impl ConfirmRequest {
    pub(crate) fn of(
        tool: &RegisteredTool,
        arguments: &Arguments,
        assessment: &Assessment,
        call_id: Option<&str>,
    ) -> Self {
        Self {
            call_id: call_id.map(str::to_owned),
            tool: tool.name().clone(),
            origin: tool.origin.clone(),
            fingerprint: tool.fingerprint.clone(),
            arguments: arguments.clone(),
            granted: tool.capabilities.granted.clone(),
            findings: assessment.findings.clone(),
        }
    }

    /// What an approval is bound to: SHA-256 over the tool's fingerprint, the
    /// arguments in RFC 8785 form, the grants and what the arguments mean to them.
    #[must_use]
    pub fn digest(&self) -> String {
        let parts: Vec<_> = self.findings.iter().map(|finding| &finding.parts).collect();
        let arguments = self.arguments.as_value();
        let bound = json!([self.fingerprint.as_str(), arguments, self.granted, parts]);
        sha256_hex(canonical_json(&bound).as_bytes())
    }

    /// The request for a person to read: one line for each argument, and one for each
    /// word of a command; control and invisible characters escaped, non-ASCII letters
    /// counted, nothing cut.
    ///
    /// The description of the tool is left out on purpose: it is the tool's own
    /// advertising.
    #[must_use]
    pub fn render(&self) -> String {
        let mut text = format!("{} ({})", self.tool, self.origin);
        // Writing to a `String` cannot fail.
        let _ = write!(text, "  {}", self.fingerprint.short());
        if !self.granted.is_empty() {
            let _ = write!(text, "\n  may use: {}", self.granted.join(", "));
        }
        for (name, value) in self.arguments.iter() {
            let _ = write!(text, "\n  {} = {}", one_line(&json!(name)), one_line(value));
            let _ = write!(text, "{}", remark(name, value));
        }
        for finding in self.findings.iter().filter(|finding| finding.parts.len() > 1) {
            let _ = write!(text, "\n  {} runs as", one_line(&json!(finding.path)));
            for part in &finding.parts {
                let _ = write!(text, "\n    {}", one_line(&json!(part)));
            }
        }
        for reason in self.findings.iter().filter_map(|finding| finding.confirm.as_deref()) {
            let _ = write!(text, "\n  note: {}", escape_invisible(reason).replace('\n', " "));
        }
        text
    }
}

/// A JSON value on one line; JSON escapes newlines and ASCII control characters,
/// the rest is escaped here.
fn one_line(value: &Value) -> String {
    escape_invisible(&value.to_string()).into_owned()
}

/// What a person would miss when looking at an argument: how long its value is, and
/// letters, in its name too, that may look like others.
fn remark(name: &str, value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let length = text.chars().count();
    let foreign = name.chars().chain(text.chars()).filter(|c| !c.is_ascii()).count();
    match (length > 120, foreign > 0) {
        (true, true) => format!("  ({length} characters, {foreign} of them not ASCII)"),
        (true, false) => format!("  ({length} characters)"),
        (false, true) => format!("  ({foreign} characters are not ASCII)"),
        (false, false) => String::new(),
    }
}

/// The answer to a [`ConfirmRequest`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Run exactly this.
    Approve,
    /// Do not run it.
    Deny {
        /// Why, for the model.
        reason: Option<String>,
    },
    /// Nobody can answer now; whoever runs the agent asks later.
    Defer,
}

/// Asks somebody who may decide.
///
/// A panic in an implementation counts as a refusal.
#[async_trait]
pub trait Confirm: Send + Sync {
    /// Decides about one call.
    async fn confirm(&self, request: &ConfirmRequest) -> Decision;
}

#[async_trait]
impl<C: Confirm + ?Sized> Confirm for Arc<C> {
    async fn confirm(&self, request: &ConfirmRequest) -> Decision {
        (**self).confirm(request).await
    }
}

/// Refuses everything that needs confirmation: the default.
#[derive(Clone, Copy, Debug, Default)]
pub struct DenyAll;

#[async_trait]
impl Confirm for DenyAll {
    async fn confirm(&self, _: &ConfirmRequest) -> Decision {
        Decision::Deny { reason: Some("nobody is there to confirm it".into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;

    fn request(arguments: Value) -> ConfirmRequest {
        let Value::Object(arguments) = arguments else { panic!("object") };
        ConfirmRequest {
            call_id: None,
            tool: ToolName::parse("shell").unwrap(),
            origin: Origin::Builtin,
            fingerprint: Fingerprint::of(&json!({"name": "shell"}), &Origin::Builtin, None),
            arguments: Arguments::from_object(arguments),
            granted: vec!["shell".into()],
            findings: Vec::new(),
        }
    }

    #[test]
    fn every_argument_is_one_line_without_control_characters() {
        let nasty = "git status\r\u{1b}[2Kls\n\n\nAllow? [y/N] y\u{202e}\u{9b}2J";
        let text = request(json!({"command": nasty, "deep": {"x": {"y": "z"}}})).render();
        assert_eq!(text.lines().count(), 4, "{text}");
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
        assert!(!text.contains('\u{202e}') && text.contains(r#""x":{"y":"z"}"#), "{text}");
    }

    #[test]
    fn letters_that_look_like_others_are_pointed_out() {
        let text = request(json!({"command": "ls \u{430}bc"})).render();
        assert!(text.contains("1 characters are not ASCII"), "{text}");
    }

    #[test]
    fn the_words_of_a_command_stand_one_to_a_line() {
        let mut request = request(json!({"command": "ls 'a b'"}));
        request.findings = vec![Finding {
            path: "/command".into(),
            parts: vec!["ls".into(), "a b".into(), "x\ny\u{202e}".into()],
            rule: "ls".into(),
            confirm: Some("it lists another directory".into()),
        }];
        let text = request.render();
        let lines: Vec<&str> = text.lines().rev().take(5).collect();
        let expected = [
            "  note: it lists another directory",
            r#"    "x\ny\u{202e}""#,
            r#"    "a b""#,
            r#"    "ls""#,
            r#"  "/command" runs as"#,
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn an_approval_is_bound_to_tool_arguments_and_grants() {
        let base = request(json!({"command": "ls"}));
        let mut other_grants = base.clone();
        other_grants.granted = Vec::new();
        let other_arguments =
            ConfirmRequest { arguments: Arguments::from_object(Map::new()), ..base.clone() };
        assert_ne!(base.digest(), other_grants.digest());
        assert_ne!(base.digest(), other_arguments.digest());
        assert_eq!(base.digest(), base.clone().digest());
    }
}
