//! The URI of a note: `note:///` and its path, each name percent-encoded (RFC 3986). The
//! authority is empty: it is a host's name, whose case does not count.

use std::fmt::Write as _;

/// What every URI of a note begins with.
const PREFIX: &str = "note:///";
/// The URIs of all notes (RFC 6570).
pub(crate) const TEMPLATE: &str = "note:///{+path}";

/// The URI of the note at `path`: what stands for itself in a path is as it is, and
/// everything else is encoded.
pub(crate) fn of(path: &str) -> String {
    let mut uri = PREFIX.to_owned();
    for byte in path.bytes() {
        match byte {
            b'/' => uri.push('/'),
            _ if stands_for_itself(byte) => uri.push(byte.into()),
            // Writing to a string cannot fail.
            _ => drop(write!(uri, "%{byte:02X}")),
        }
    }
    uri
}

/// `pchar`, without the encoded ones.
fn stands_for_itself(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte)
}

/// The path of the note that a URI names; `None` for one that names no note. What is
/// encoded without need is decoded, once; but no name has a `/` in it, none is empty and
/// none leads somewhere, so that no other path has the same URI.
pub(crate) fn path(uri: &str) -> Option<String> {
    let encoded = uri.strip_prefix(PREFIX).filter(|path| !path.contains(['?', '#']))?;
    let names: Option<Vec<String>> = encoded.split('/').map(name).collect();
    Some(names?.join("/"))
}

fn name(encoded: &str) -> Option<String> {
    let name = decoded(encoded)?;
    (!matches!(&*name, "" | "." | "..") && !name.contains('/')).then_some(name)
}

/// `None` for what is no encoding, or none of UTF-8.
fn decoded(encoded: &str) -> Option<String> {
    let mut parts = encoded.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_leads_back_to_its_path() {
        for (note, uri) in [
            ("a.md", "note:///a.md"),
            ("Plans/spring.md", "note:///Plans/spring.md"),
            ("two words (1).md", "note:///two%20words%20(1).md"),
            ("план.md", "note:///%D0%BF%D0%BB%D0%B0%D0%BD.md"),
            ("%2e%2e", "note:///%252e%252e"),
            ("c#/a[1].md", "note:///c%23/a%5B1%5D.md"),
            ("..a/ b", "note:///..a/%20b"),
        ] {
            assert_eq!(of(note), uri);
            assert_eq!(path(uri).as_deref(), Some(note), "{uri}");
        }
    }

    #[test]
    fn what_is_encoded_without_need_is_the_same_note() {
        for uri in ["note:///a%2emd", "note:///%61.md", "note:///%61%2E%6d%64"] {
            assert_eq!(path(uri).as_deref(), Some("a.md"), "{uri}");
        }
    }

    #[test]
    fn what_names_no_note_has_no_path() {
        for uri in [
            "note:///",
            "note://a.md",
            "note:a.md",
            "file:///a.md",
            "note:////a.md",
            "note:///a//b.md",
            "note:///a/",
            "note:///./a.md",
            "note:///a/../b.md",
            "note:///%2e%2E/b.md",
            "note:///a%2Fb.md",
            "note:///a.md?x",
            "note:///a.md#x",
            "note:///a%",
            "note:///a%4",
            "note:///a%+4",
            "note:///a%é",
            "note:///a%ff",
        ] {
            assert_eq!(path(uri), None, "{uri}");
        }
    }
}
