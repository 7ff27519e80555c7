//! The capability formats: arguments that name a command, a note or a URL are checked
//! against the grants before anybody is asked, by the code that checks them again
//! when they are used.

use toolstile_core::{Arguments, Assessment, Finding, FormattedText, ToolSchema, Violation};

use crate::capabilities::Capability;
use crate::grants::{Grants, not_granted};

/// Looks at every argument that the schema marks with a capability format.
pub(crate) fn assess(
    grants: &Grants,
    plugin: &str,
    schema: &ToolSchema,
    arguments: &Arguments,
) -> Result<Assessment, Vec<Violation>> {
    let marked = schema.formatted(arguments.as_value());
    let (mut findings, mut violations) = (Vec::new(), Vec::new());
    for argument in marked {
        match look(grants, plugin, &argument) {
            Some(Ok(finding)) => findings.push(finding),
            Some(Err(message)) => violations.push(violation(&argument, message)),
            None => {}
        }
    }
    match violations.is_empty() {
        true => Ok(Assessment { findings }),
        false => Err(violations),
    }
}

/// The commands among the arguments, word by word as they will run. Every one of them
/// passed the gates.
pub(crate) fn commands(
    grants: &Grants,
    schema: &ToolSchema,
    arguments: &Arguments,
) -> Vec<Vec<String>> {
    let Some(shell) = &grants.shell else { return Vec::new() };
    let marked = schema.formatted(arguments.as_value()).into_iter();
    let commands = marked.filter(|argument| argument.format == "shell-command");
    let checked = commands.filter_map(|argument| shell.check_command(argument.text).ok());
    checked.map(|command| command.words().to_vec()).collect()
}

/// `None` for a format that is none of ours.
fn look(
    grants: &Grants,
    plugin: &str,
    argument: &FormattedText<'_>,
) -> Option<Result<Finding, String>> {
    let missing = |capability| not_granted(capability, plugin);
    let found = match argument.format {
        "shell-command" => match &grants.shell {
            Some(shell) => {
                shell.check_command(argument.text).map_err(|e| e.to_string()).map(|command| {
                    Finding {
                        path: argument.path.clone(),
                        parts: command.words().to_vec(),
                        rule: command.rule().to_owned(),
                        confirm: command.needs_confirmation().map(str::to_owned),
                    }
                })
            }
            None => Err(missing(Capability::Shell)),
        },
        "notes-path" => match &grants.notes {
            Some(_) => toolstile_notes::check_path(argument.text)
                .map(|_| accepted(argument, "a relative path of acceptable names"))
                .map_err(|error| error.to_string()),
            None => Err(missing(Capability::Notes)),
        },
        "http-url" => match &grants.http {
            Some(http) => http
                .check_url(argument.text)
                .map(|_| accepted(argument, "a URL that is granted"))
                .map_err(|error| error.to_string()),
            None => Err(missing(Capability::Http)),
        },
        _ => return None,
    };
    Some(found)
}

fn accepted(argument: &FormattedText<'_>, rule: &str) -> Finding {
    Finding {
        path: argument.path.clone(),
        parts: vec![argument.text.to_owned()],
        rule: format!("{}: {rule}", argument.path),
        confirm: None,
    }
}

fn violation(argument: &FormattedText<'_>, message: String) -> Violation {
    Violation { path: argument.path.clone(), keyword: "format".to_owned(), message }
}
