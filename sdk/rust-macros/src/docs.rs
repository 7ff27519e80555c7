//! Doc comments: the description of a tool and of its arguments.
//!
//! The prose up to the first heading is the description. Under a heading
//! `# Arguments` (or `# Parameters`), rustdoc's habit is a list of
//! ``* `name` - text``; other headings are for people and stay in the
//! documentation.

use proc_macro2::Span;
use syn::{Attribute, Error, Expr, ExprLit, Lit, Meta, Result};

/// The parts of a function's doc comment.
#[derive(Default)]
pub(crate) struct Docs {
    /// Paragraphs apart by an empty line, the lines of each joined.
    pub(crate) description: String,
    pub(crate) arguments: Vec<DocumentedArgument>,
}

/// One entry under `# Arguments`.
pub(crate) struct DocumentedArgument {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) span: Span,
}

struct Line {
    text: String,
    span: Span,
}

impl Docs {
    pub(crate) fn parse(attributes: &[Attribute]) -> Result<Self> {
        let lines = lines(attributes);
        let mut sections = sections(&lines).into_iter();
        let description = sections.next().map(joined).unwrap_or_default();
        let mut arguments = Vec::new();
        for section in sections.filter(|section| is_arguments(&section[0].text)) {
            read_arguments(&section[1..], &mut arguments)?;
        }
        Ok(Self { description, arguments })
    }
}

/// The whole of a doc comment as prose; a parameter's has no sections.
pub(crate) fn prose(attributes: &[Attribute]) -> String {
    joined(&lines(attributes))
}

fn lines(attributes: &[Attribute]) -> Vec<Line> {
    attributes.iter().filter_map(doc_text).flat_map(split).collect()
}

fn doc_text(attribute: &Attribute) -> Option<(String, Span)> {
    let Meta::NameValue(meta) = &attribute.meta else { return None };
    match &meta.value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if meta.path.is_ident("doc") => {
            Some((text.value(), text.span()))
        }
        _ => None,
    }
}

/// A `///` is one line; a `/** */` is many.
fn split((text, span): (String, Span)) -> Vec<Line> {
    let line = |line: &str| Line { text: line.strip_prefix(' ').unwrap_or(line).into(), span };
    match text.is_empty() {
        true => vec![line("")],
        false => text.lines().map(line).collect(),
    }
}

/// Cuts before every heading that is not inside a code block. The first section
/// is what stands above all headings.
fn sections(lines: &[Line]) -> Vec<&[Line]> {
    let mut starts = vec![0];
    let mut fenced = false;
    for (index, line) in lines.iter().enumerate() {
        fenced ^= is_fence(&line.text);
        if !fenced && is_heading(&line.text) {
            starts.push(index);
        }
    }
    let ends = starts.iter().copied().skip(1).chain([lines.len()]);
    starts.iter().zip(ends).map(|(&start, end)| &lines[start..end]).collect()
}

fn is_fence(line: &str) -> bool {
    line.trim_start().starts_with("```")
}

fn is_heading(line: &str) -> bool {
    line.trim_start_matches('#').starts_with(' ') && line.starts_with('#')
}

fn is_arguments(heading: &str) -> bool {
    matches!(heading.trim_start_matches('#').trim(), "Arguments" | "Parameters")
}

/// Joins the lines of each paragraph. List items, quotes, tables and code blocks
/// keep their lines, as they mean something there.
fn joined(lines: &[Line]) -> String {
    let mut text = String::new();
    let (mut fenced, mut gap, mut break_next) = (false, false, false);
    for line in lines.iter().map(|line| line.text.trim_end()) {
        let fence = is_fence(line);
        if line.is_empty() && !fenced {
            gap = true;
            continue;
        }
        text.push_str(match () {
            () if text.is_empty() => "",
            () if gap => "\n\n",
            () if fenced || fence || break_next || starts_block(line) => "\n",
            () => " ",
        });
        text.push_str(if fenced || fence || starts_block(line) { line } else { line.trim() });
        fenced ^= fence;
        (gap, break_next) = (false, fence);
    }
    text
}

fn starts_block(line: &str) -> bool {
    let line = line.trim_start();
    let number = line.trim_start_matches(|character: char| character.is_ascii_digit());
    let numbered = number.len() < line.len() && number.starts_with(". ");
    numbered || ["- ", "* ", "+ ", "> ", "|"].iter().any(|mark| line.starts_with(mark))
}

/// Reads list entries; a line that begins none continues the one above, until an
/// empty line.
fn read_arguments(lines: &[Line], arguments: &mut Vec<DocumentedArgument>) -> Result<()> {
    let mut open = false;
    for line in lines {
        let text = line.text.trim();
        if let Some(entry) = text.strip_prefix("* ").or_else(|| text.strip_prefix("- ")) {
            arguments.push(entry_of(entry, line.span)?);
            open = true;
        } else if text.is_empty() {
            open = false;
        } else if let Some(last) = arguments.last_mut().filter(|_| open) {
            last.text = format!("{} {text}", last.text).trim().into();
        }
    }
    Ok(())
}

fn entry_of(entry: &str, span: Span) -> Result<DocumentedArgument> {
    let malformed = || Error::new(span, "write an argument as \"* `name` - text\"");
    let (name, text) =
        entry.strip_prefix('`').and_then(|rest| rest.split_once('`')).ok_or_else(malformed)?;
    let text = text.trim_start().trim_start_matches(['-', ':', '–', '—']).trim();
    Ok(DocumentedArgument { name: name.into(), text: text.into(), span })
}
