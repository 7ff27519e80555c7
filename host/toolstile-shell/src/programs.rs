//! The programs that the operator listed, found once: no search happens later, so that no
//! file that appears afterwards can take the place of a program.

use std::collections::BTreeMap;
use std::path::PathBuf;

use toolstile_process::find_program;

use crate::config::{SetupError, ShellConfig};
use crate::refused::{RefusalKind, Refused, listed, nearest, quoted};

/// A program's file by its name; `None` when it is not installed.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    files: BTreeMap<String, Option<PathBuf>>,
}

impl Programs {
    pub(crate) fn find(config: &ShellConfig) -> Result<Self, SetupError> {
        let mut files = BTreeMap::new();
        for name in &config.programs {
            if !is_name(name) {
                return Err(SetupError::ProgramName(name.clone()));
            }
            let file = find_program(name, &config.path);
            files.insert(name.clone(), file.map_err(|error| SetupError::RelativePath(error.0))?);
        }
        Ok(Self { files })
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Option<&PathBuf>)> {
        self.files.iter().map(|(name, file)| (name.as_str(), file.as_ref()))
    }

    /// The file of the program that a command line names.
    pub(crate) fn file(&self, name: &str) -> Result<&PathBuf, Refused> {
        match self.files.get(name) {
            Some(Some(file)) => Ok(file),
            Some(None) => Err(Refused::new(
                RefusalKind::MissingProgram,
                format!("the program {} is allowed, but not installed here", quoted(name)),
            )),
            None => Err(Refused::new(RefusalKind::UnknownProgram, self.unknown(name))),
        }
    }

    fn unknown(&self, name: &str) -> String {
        let names = self.files.keys().map(String::as_str);
        let allowed = listed(names.clone(), 20);
        let shown = quoted(name);
        if name.is_empty() {
            return format!("the name of the program is empty; allowed programs are {allowed}");
        }
        if name.contains('/') {
            return format!(
                "{shown} is a path; a program is named by its name alone; allowed are {allowed}"
            );
        }
        if name.contains('=') {
            return format!(
                "{shown} is not a program; variables cannot be set before a command; allowed \
                 programs are {allowed}"
            );
        }
        match nearest(name, names) {
            Some(near) if near != name => {
                format!(
                    "the program {shown} is not allowed; did you mean `{near}`? allowed are {allowed}"
                )
            }
            _ => format!("the program {shown} is not allowed; allowed are {allowed}"),
        }
    }
}

/// A name is visible ASCII, without a directory, and does not look like an option.
fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_graphic() && !"/\\=$`'\"".contains(c);
    !name.is_empty() && !name.starts_with(['-', '.']) && name.chars().all(plain)
}
