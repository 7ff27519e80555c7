//! From what a program left behind to an answer.

use serde_json::{Map, Value};
use toolstile_sdk::ToolResponse;
use toolstile_sdk::shell::{Ending, Output};

use crate::texts;

/// What each stream shows at most, in characters (Unicode scalar values).
pub const MAX_STREAM_CHARACTERS: usize = 4000;

/// The answer for a program that ran: how it ended, then what it wrote, each
/// stream trimmed and cut to `max_characters`.
///
/// An exit code other than 0 and a signal are successes: the call did what was
/// asked, and the model should see what came of it. A program whose time was up
/// is an error, and output that is not whole makes the answer partial.
pub fn report(output: &Output, max_characters: usize) -> ToolResponse {
    let stdout = Block::new(&texts::STDOUT.plain(), &output.stdout, max_characters);
    let stderr = Block::new(&texts::STDERR.plain(), &output.stderr, max_characters);
    let dropped = output.truncated || matches!(output.ending, Ending::OutputLimit);
    let cut = dropped || [&stdout, &stderr].into_iter().flatten().any(|block| block.cut);
    let text = lines(output, [stdout, stderr].into_iter().flatten().collect());
    let response = match (output.ending, cut) {
        (Ending::TimedOut, _) => ToolResponse::error(text),
        (_, true) => ToolResponse::partial(text),
        (_, false) => ToolResponse::success(text),
    };
    response.with_data(data(output.ending, cut))
}

fn lines(output: &Output, blocks: Vec<Block>) -> String {
    let mut lines = vec![ending(output.ending)];
    if blocks.is_empty() {
        lines.push(texts::NO_OUTPUT.plain());
    }
    lines.extend(blocks.into_iter().map(|block| block.text));
    if output.truncated {
        lines.push(texts::DROPPED.plain());
    }
    lines.join("\n")
}

fn ending(ending: Ending) -> String {
    match ending {
        Ending::Exited(code) => texts::EXITED.with(&[("code", &code)]),
        Ending::Signalled(signal) => texts::SIGNALLED.with(&[("signal", &signal)]),
        Ending::TimedOut => texts::TIMED_OUT.plain(),
        Ending::OutputLimit => texts::OUTPUT_LIMIT.plain(),
    }
}

/// Only what is so is said: a program reads `truncated` as absent or true.
fn data(ending: Ending, cut: bool) -> Map<String, Value> {
    let mut data = Map::new();
    match ending {
        Ending::Exited(code) => data.insert("exit_code".into(), code.into()),
        Ending::Signalled(signal) => data.insert("signal".into(), signal.into()),
        Ending::TimedOut => data.insert("timed_out".into(), true.into()),
        Ending::OutputLimit => None,
    };
    if cut {
        data.insert("truncated".into(), true.into());
    }
    data
}

/// One stream, ready to be read.
struct Block {
    text: String,
    cut: bool,
}

impl Block {
    /// Nothing, where the stream is blank.
    fn new(label: &str, stream: &str, max_characters: usize) -> Option<Self> {
        let stream = stream.trim();
        if stream.is_empty() {
            return None;
        }
        let text = match stream.char_indices().nth(max_characters) {
            None => return Some(Self { text: format!("{label}\n{stream}"), cut: false }),
            Some((end, _)) => {
                format!("{label}\n{}\n{}", &stream[..end], mark(stream, max_characters))
            }
        };
        Some(Self { text, cut: true })
    }
}

fn mark(stream: &str, shown: usize) -> String {
    texts::CUT.with(&[("shown", &shown), ("total", &stream.chars().count())])
}
