//! How much one call reads or appends.

use std::num::NonZeroUsize;

use toolstile_sdk::settings::{self, InvalidSetting};

/// How much one call reads or appends, in characters (Unicode scalar values).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// What a read shows of a note at most; the rest is cut.
    pub read_chars: usize,
    /// What an append may add at most, before the line break at its end.
    pub append_chars: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { read_chars: 8_000, append_chars: 50_000 }
    }
}

impl Limits {
    /// The limits that the operator set with `max_read_chars` and
    /// `max_append_chars`, each greater than 0; else the default ones.
    ///
    /// # Errors
    ///
    /// A setting is no such number.
    pub fn from_settings() -> Result<Self, InvalidSetting> {
        let default = Self::default();
        Ok(Self {
            read_chars: setting("max_read_chars")?.unwrap_or(default.read_chars),
            append_chars: setting("max_append_chars")?.unwrap_or(default.append_chars),
        })
    }
}

fn setting(name: &'static str) -> Result<Option<usize>, InvalidSetting> {
    Ok(settings::parse::<NonZeroUsize>(name)?.map(NonZeroUsize::get))
}
