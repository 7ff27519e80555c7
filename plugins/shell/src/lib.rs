//! Runs programs on the operator's allowlist: a toolstile plugin.
//!
//! Which programs there are, with which arguments, and how long they may run is
//! the host's business; here is the answer. `report` is all of it and knows
//! nothing of the host, so that it runs and is tested anywhere.

mod report;
pub mod texts;

use std::num::NonZeroUsize;

use toolstile_sdk::settings::{self, InvalidSetting};
use toolstile_sdk::{ToolResponse, export, tool};

pub use report::{MAX_STREAM_CHARACTERS, report};

// `destructive` and `open_world` because nothing here knows what the operator's
// programs do; not `supports_parallel` because they share a folder.
/// Runs one program, without a shell, and answers with its exit code and what it
/// wrote. The operator decides which programs and arguments are allowed.
///
/// Words are split at white space; quotes and backslashes work as in a POSIX
/// shell. Nothing else does: no pipes, redirections, `&&`, variables, `~` or
/// wildcards. The program reads no input. Long output is cut.
#[tool(
    title = "Shell",
    requires_confirmation,
    external_content,
    destructive,
    open_world,
    output_schema = r#"{
        "type": "object",
        "properties": {
            "exit_code": { "type": "integer", "description": "The program exited with this code." },
            "signal": { "type": "integer", "description": "A signal of this number ended the program." },
            "timed_out": { "const": true, "description": "The program took too long and was ended." },
            "truncated": { "const": true, "description": "The text does not hold all of the output." }
        }
    }"#
)]
pub fn shell(
    /// The program and its arguments, for example `grep -n "two words" notes.txt`.
    #[arg(format = "shell-command")]
    command: String,
) -> Result<ToolResponse, InvalidSetting> {
    let max = settings::parse::<NonZeroUsize>("max_output_chars")?;
    let max = max.map_or(MAX_STREAM_CHARACTERS, NonZeroUsize::get);
    Ok(match toolstile_sdk::shell::run(&command) {
        Ok(output) => report(&output, max),
        Err(error) => ToolResponse::error(error.to_string()),
    })
}

export!(shell);
