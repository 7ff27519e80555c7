//! The interfaces that nobody can be granted yet: a component that imports them
//! loads, and every call answers `denied`.

use crate::bindings::types::{Error, ErrorKind};
use crate::bindings::{exposure, http, notes, shell, types};
use crate::capabilities::Capability;
use crate::state::PluginState;

type Answer<T> = wasmtime::Result<Result<T, Error>>;

impl PluginState {
    fn denied<T>(&mut self, capability: Capability, argument_bytes: usize) -> Answer<T> {
        self.spend(argument_bytes)?;
        let plugin = &self.plugin;
        let message = format!("the capability `{capability}` is not granted to `{plugin}`");
        Ok(Err(Error { kind: ErrorKind::Denied, message }))
    }
}

impl types::Host for PluginState {}

impl notes::Host for PluginState {
    fn read(&mut self, path: String) -> Answer<String> {
        self.denied(Capability::Notes, path.len())
    }

    fn append(&mut self, path: String, content: String) -> Answer<()> {
        self.denied(Capability::Notes, path.len() + content.len())
    }

    fn list_notes(&mut self, path: String) -> Answer<Vec<String>> {
        self.denied(Capability::Notes, path.len())
    }
}

impl shell::Host for PluginState {
    fn run(&mut self, command: String) -> Answer<shell::Output> {
        self.denied(Capability::Shell, command.len())
    }

    fn run_words(&mut self, words: Vec<String>) -> Answer<shell::Output> {
        self.denied(Capability::Shell, words.iter().map(String::len).sum())
    }
}

impl http::Host for PluginState {
    fn send(&mut self, request: http::Request) -> Answer<http::Response> {
        let body = request.body.as_ref().map_or(0, Vec::len);
        self.denied(Capability::Http, request.url.len() + body)
    }
}

impl exposure::Host for PluginState {
    fn add_tools(&mut self, names: Vec<String>) -> Answer<()> {
        self.denied(Capability::Exposure, names.iter().map(String::len).sum())
    }

    fn remove_tools(&mut self, names: Vec<String>) -> Answer<()> {
        self.denied(Capability::Exposure, names.iter().map(String::len).sum())
    }
}
