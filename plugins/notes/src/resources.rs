//! Notes as resources: each under its own URI, read as it is now.

use toolstile_sdk::resources::{Resource, ResourceContent, ResourceTemplate, Resources};
use toolstile_sdk::{Error, ErrorKind, log};

use crate::{Host, Store, texts, uri};

/// Bytes of URIs and names that are listed at once, far below what a host takes from a
/// plugin.
const MAX_LISTED: usize = 2_000_000;

/// The notes that the operator granted, as resources.
#[derive(Clone, Copy, Debug)]
pub struct NoteResources;

impl Resources for NoteResources {
    fn list() -> Result<Vec<Resource>, Error> {
        list_resources(&Host)
    }

    fn templates() -> Vec<ResourceTemplate> {
        let description = Some(texts::TEMPLATE.plain());
        vec![ResourceTemplate { description, ..ResourceTemplate::new(uri::TEMPLATE, "note") }]
    }

    fn read(uri: &str) -> Result<Vec<ResourceContent>, Error> {
        Ok(vec![read_resource(&Host, uri)?])
    }
}

/// The notes in the order of their paths. Those for which there is no room are left out,
/// with a word in the log, and can be read all the same. Without a grant there are none.
///
/// # Errors
///
/// What the store fails with.
pub fn list_resources(store: &impl Store) -> Result<Vec<Resource>, Error> {
    let paths = match store.list() {
        Err(error) if error.kind == ErrorKind::Denied => Vec::new(),
        paths => paths?,
    };
    let (count, mut bytes) = (paths.len(), 0);
    let fits = |resource: &Resource| {
        bytes += resource.uri.len() + resource.name.len();
        bytes <= MAX_LISTED
    };
    let listed: Vec<Resource> = paths.into_iter().map(resource).take_while(fits).collect();
    if listed.len() < count {
        log::warn(format!("{} of {count} notes are listed", listed.len()));
    }
    Ok(listed)
}

fn resource(path: String) -> Resource {
    let mime_type = Some(media_type(&path).to_owned());
    Resource { mime_type, ..Resource::new(uri::of(&path), path) }
}

/// The whole note that a URI names.
///
/// # Errors
///
/// [`ErrorKind::NotFound`] where the URI names no note; else what the store refuses or
/// fails with.
pub fn read_resource(store: &impl Store, uri: &str) -> Result<ResourceContent, Error> {
    let missing = || Error::not_found(texts::NO_NOTE.with(&[("uri", &uri)]));
    let path = uri::path(uri).ok_or_else(missing)?;
    match store.read(&path) {
        Ok(note) => {
            let mime_type = Some(media_type(&path).to_owned());
            Ok(ResourceContent { mime_type, ..ResourceContent::text(uri, note) })
        }
        // A path that no note can have.
        Err(error) if matches!(error.kind, ErrorKind::NotFound | ErrorKind::InvalidArgument) => {
            Err(missing())
        }
        Err(error) => Err(error),
    }
}

fn media_type(path: &str) -> &'static str {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    match extension.as_deref() {
        Some("md" | "markdown") => "text/markdown",
        _ => "text/plain",
    }
}
