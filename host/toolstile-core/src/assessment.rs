//! What the capabilities of a tool say about the arguments of one call, before
//! anybody is asked and before any code of the tool runs.

use serde::Serialize;

/// What became of the arguments that carry a capability format: all of them are
/// acceptable, some may need a person's word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assessment {
    /// One for each such argument.
    pub findings: Vec<Finding>,
}

/// An argument that names something of the machine, as it will be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Where in the arguments (RFC 6901).
    pub path: String,
    /// What will be used, part by part: the words of a command, a path, a URL.
    pub parts: Vec<String>,
    /// The rule that accepts it, for operators.
    pub rule: String,
    /// Why a person must confirm it, where the rule says so.
    pub confirm: Option<String>,
}

impl Assessment {
    /// Why a person must confirm the call, in the words of the first rule that wants
    /// it; `None` when none does.
    #[must_use]
    pub fn needs_confirmation(&self) -> Option<&str> {
        self.findings.iter().find_map(|finding| finding.confirm.as_deref())
    }

    /// The rules that accepted the arguments, in a row.
    pub(crate) fn rules(&self) -> Option<String> {
        let rules: Vec<&str> = self.findings.iter().map(|finding| finding.rule.as_str()).collect();
        (!rules.is_empty()).then(|| rules.join("; "))
    }
}
