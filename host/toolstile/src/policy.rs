//! `policy check`: whether all rules load, hold and can ever apply.

use serde::Serialize;

use crate::config::HostConfig;
use crate::grants::shell_config;
use crate::host::{Host, HostError};

/// What is wrong with a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PolicyProblem {
    /// Where the rule stands.
    pub place: String,
    /// What is wrong with it.
    pub problem: String,
}

/// Looks at every rule of a configuration: the argument policies that come with the
/// host and the operator's own (all load, their examples hold, none is dead), the
/// grants, the permissions and the pins. Empty when all is well.
///
/// # Errors
/// [`HostError`] when there can be no host at all.
pub async fn check_policy(config: &HostConfig) -> Result<Vec<PolicyProblem>, HostError> {
    let mut problems = Vec::new();
    let shipped = toolstile_shell::check_profiles(None);
    problems.extend(shipped.iter().map(|p| problem("shipped argument policies", p)));
    for (plugin, settings) in &config.plugin {
        let Some(grant) = &settings.grants.shell else { continue };
        let place = format!("[plugin.{plugin}.grants.shell]");
        let found = match shell_config(grant, config) {
            Ok(shell) => toolstile_shell::check_profiles(Some(&shell)),
            Err(error) => {
                problems.push(problem(&place, error));
                continue;
            }
        };
        problems.extend(found.iter().map(|p| problem(&place, p)));
    }
    let host = Host::builder().config(config.clone()).build().await?;
    let quarantined = host.quarantined().into_iter();
    problems.extend(quarantined.map(|q| problem(&format!("plugin `{}`", q.plugin), q.reason)));
    problems.extend(host.warnings().iter().map(|warning| problem("configuration", warning)));
    Ok(problems)
}

fn problem(place: &str, problem: impl ToString) -> PolicyProblem {
    PolicyProblem { place: place.to_owned(), problem: problem.to_string() }
}
