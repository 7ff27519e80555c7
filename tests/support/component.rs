//! Components of the plugin contract, written by hand: what no compiler produces.
//!
//! A [`HandWritten`] is a core module in text form whose two functions do what a
//! test wants, wrapped by `guests/wat/contract.wat`. What is not said answers `ok`
//! to every call and lists one tool, `t`.

use std::fmt::Write as _;

/// Types, lifting and export of the contract.
const CONTRACT: &str = include_str!("../guests/wat/contract.wat");

/// Where a prepared response lies: text `ok`, no data, no attachments.
const RESPONSE: usize = 64;
/// The text of the prepared response; one letter fewer is one digit to write.
const TEXT: usize = 96;
/// Pointer and length of the tools that are listed.
const LISTING: usize = 48;
/// The first byte of tools, names and schemas; below are 64 KiB for a test's code.
const DATA: usize = 65_536;
/// Bytes of a `tool-definition` as the canonical ABI lays it out.
const DEFINITION: usize = 64;

/// A component to be made. Texts are in the WebAssembly text format.
#[derive(Clone, Debug)]
pub struct HandWritten {
    /// Component-level items before the guest's core module: imports, modules.
    pub before: String,
    /// What the core module is instantiated with, as `(with …)`.
    pub with: String,
    /// Imports of the core module.
    pub imports: String,
    /// More fields of the core module: functions, tables, globals.
    pub fields: String,
    /// Tools: name and input schema.
    pub tools: Vec<(String, String)>,
    /// The flags of every tool; the lowest bit asks for confirmation.
    pub traits: u8,
    /// The body of `list-tools`: `() -> i32`, the address of pointer and length.
    pub list_tools: String,
    /// The body of `call-tool`: `(i32 i32 i32 i32) -> i32`, the address of a response.
    pub call_tool: String,
    /// The body of `realloc`: `(i32 i32 i32 i32) -> i32`.
    pub realloc: String,
    /// The core instance whose memory holds arguments and results of `call-tool`.
    pub memory_of: String,
}

impl Default for HandWritten {
    fn default() -> Self {
        Self {
            before: String::new(),
            with: String::new(),
            imports: String::new(),
            fields: String::new(),
            tools: vec![("t".into(), r#"{"type":"object"}"#.into())],
            traits: 0,
            list_tools: format!("(i32.const {LISTING})"),
            call_tool: Self::answer(),
            // Below the data, and in the one page that foreign memories have.
            realloc: "(i32.const 32768)".into(),
            memory_of: "$guest".into(),
        }
    }
}

impl HandWritten {
    /// One that lists tools of these names.
    #[must_use]
    pub fn with_tools(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let schema = || r#"{"type":"object"}"#.to_owned();
        let tools = names.into_iter().map(|name| (name.into(), schema())).collect();
        Self { tools, ..Self::default() }
    }

    /// One whose `call-tool` runs `code` and then answers `ok`.
    #[must_use]
    pub fn calling(code: &str) -> Self {
        Self { call_tool: format!("{code} {}", Self::answer()), ..Self::default() }
    }

    /// The end of a `call-tool` that answers with the prepared response.
    #[must_use]
    pub fn answer() -> String {
        format!("(i32.const {RESPONSE})")
    }

    /// Code that makes the prepared response say a number below ten.
    #[must_use]
    pub fn say_digit(number: &str) -> String {
        format!(
            "(i32.store8 (i32.const {TEXT}) (i32.add (i32.const 48) {number}))
             (i32.store (i32.const {}) (i32.const 1))",
            RESPONSE + 4
        )
    }

    /// The component in the binary format.
    ///
    /// # Panics
    /// The text of a test is not valid.
    #[must_use]
    pub fn build(&self) -> Vec<u8> {
        let text = self.text();
        wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The component in the text format.
    #[must_use]
    pub fn text(&self) -> String {
        let Self { before, with, imports, fields, list_tools, call_tool, .. } = self;
        let Self { realloc, memory_of, .. } = self;
        let data = self.data();
        let pages = (DATA + data.len()).div_ceil(65_536) + 1;
        let prepared = prepared(self.tools.len());
        let (prepared, data) = (escaped(&prepared), escaped(&data));
        format!(
            r#"(component
  {before}
  (core module $guest
    {imports}
    (memory (export "memory") {pages})
    {fields}
    (func (export "list-tools") (result i32) {list_tools})
    (func (export "call-tool") (param i32 i32 i32 i32) (result i32) {call_tool})
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) {realloc})
    (data (i32.const {LISTING}) "{prepared}")
    (data (i32.const {DATA}) "{data}"))
  (core instance $guest (instantiate $guest {with}))
  (alias core export $guest "memory" (core memory $list-memory))
  (alias core export {memory_of} "memory" (core memory $call-memory))
  (alias core export $guest "list-tools" (core func $list-core))
  (alias core export $guest "call-tool" (core func $call-core))
  (alias core export $guest "realloc" (core func $realloc))
{CONTRACT})"#
        )
    }

    /// The tools as the canonical ABI lays them out, and the texts behind them.
    fn data(&self) -> Vec<u8> {
        let mut definitions = Vec::new();
        let mut texts = Vec::new();
        let start = DATA + self.tools.len() * DEFINITION;
        let mut text = |text: &str| {
            let address = start + texts.len();
            texts.extend_from_slice(text.as_bytes());
            [word(address), word(text.len())].concat()
        };
        for (name, schema) in &self.tools {
            definitions.extend(text(name));
            definitions.extend([0; 12]); // no title
            definitions.extend(text("d"));
            definitions.extend(text(schema));
            definitions.extend([0; 12]); // no output schema
            definitions.extend([self.traits, 0, 0, 0]);
            definitions.extend([0; 12]); // no condition
        }
        definitions.extend(texts);
        definitions
    }
}

/// Everything from [`LISTING`] to the end of the prepared text.
fn prepared(tools: usize) -> Vec<u8> {
    let mut bytes = [word(DATA), word(tools)].concat();
    bytes.resize(RESPONSE - LISTING, 0);
    bytes.extend([word(TEXT), word(2)].concat());
    bytes.resize(TEXT - LISTING, 0);
    bytes.extend(b"ok");
    bytes
}

/// An address or a length in a 32-bit memory.
fn word(value: usize) -> [u8; 4] {
    u32::try_from(value).expect("a test's guest is small").to_le_bytes()
}

fn escaped(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "\\{byte:02x}");
        text
    })
}
