//! Reaches for every capability with whatever it is told, as a plugin would whose
//! arguments carry no capability format, but for one.

use toolstile_sdk::shell::Ending;
use toolstile_sdk::{Error, ToolResponse, export, http, notes, settings, shell, tool};

export!(
    reach_read,
    reach_append,
    reach_list,
    reach_run,
    reach_words,
    reach_send,
    reach_setting,
    fetch,
);

/// Reads a note.
#[tool]
fn reach_read(
    /// Which.
    path: String,
) -> Result<String, Error> {
    notes::read(&path)
}

/// Appends to a note.
#[tool]
fn reach_append(
    /// Which.
    path: String,
    /// What.
    content: String,
) -> Result<String, Error> {
    notes::append(&path, &content).map(|()| "appended".to_owned())
}

/// Lists notes.
#[tool]
fn reach_list(
    /// Where.
    path: String,
) -> Result<String, Error> {
    notes::list(&path).map(|names| names.join("\n"))
}

/// Runs a command line.
#[tool]
fn reach_run(
    /// The command line.
    command: String,
) -> Result<String, Error> {
    shell::run(&command).map(told)
}

/// Runs a command, word by word.
#[tool]
fn reach_words(
    /// The words.
    words: Vec<String>,
) -> Result<String, Error> {
    shell::run_words(words).map(told)
}

fn told(output: shell::Output) -> String {
    let ending = match output.ending {
        Ending::Exited(code) => format!("exited {code}"),
        Ending::Signalled(signal) => format!("signalled {signal}"),
        Ending::TimedOut => "timed out".to_owned(),
        Ending::OutputLimit => "output limit".to_owned(),
    };
    format!("{ending}: {}{}", output.stdout, output.stderr)
}

/// Sends a request and tells all of the answer.
#[tool]
fn reach_send(
    /// The method.
    method: String,
    /// Where.
    url: String,
) -> Result<ToolResponse, Error> {
    let request = http::Request { method, url, headers: Vec::new(), body: None };
    let response = http::send(&request)?;
    let headers: String = response.headers.iter().map(|(n, v)| format!("{n}: {v}\n")).collect();
    let body = String::from_utf8_lossy(&response.body).into_owned();
    Ok(ToolResponse::success(format!("{}\n{headers}\n{body}", response.status)))
}

/// Fetches a URL; the one tool here whose argument says what it is.
#[tool]
fn fetch(
    /// Which.
    #[arg(format = "http-url")]
    url: String,
) -> Result<String, Error> {
    let response = http::send(&http::Request::new("GET", url))?;
    Ok(String::from_utf8_lossy(&response.body).into_owned())
}

/// Reads a setting.
#[tool]
fn reach_setting(
    /// Its name.
    name: String,
) -> String {
    settings::get(&name).unwrap_or_else(|| "none".to_owned())
}
