//! The resources of a component: things that it lets be read without a call of a tool.

use std::sync::Arc;

use async_trait::async_trait;
use toolstile_core::{
    CallContext, OfferError, Redactor, Resource, ResourceBody, ResourceContent, ResourceTemplate,
    Resources, ToolError, escape_invisible,
};

use crate::bindings::resources as guest;
use crate::bindings::types::Error;
use crate::error::LoadError;
use crate::grants::Grants;
use crate::instance::Instantiable;
use crate::offer::{check_size, refused, short};

/// Resources that one plugin lists at once.
const MAX_RESOURCES: usize = 4096;
/// Templates of one plugin.
const MAX_TEMPLATES: usize = 64;
/// Bytes of a URI or of a template. The longest path of a note fits, with every byte
/// encoded.
const MAX_URI: usize = 4096;

/// What a loaded component lets be read.
#[derive(Debug, Clone)]
pub struct WasmResources {
    instantiable: Arc<Instantiable>,
    /// What reading may use.
    grants: Arc<Grants>,
    templates: Vec<ResourceTemplate>,
}

impl WasmResources {
    /// Asks for the templates; `None` for a component that has no resources.
    pub(crate) async fn of(instantiable: &Arc<Instantiable>) -> Result<Option<Self>, LoadError> {
        if instantiable.exports.resources.is_none() {
            return Ok(None);
        }
        let listed = instantiable.list_templates().await;
        let listed =
            listed.map_err(|error| LoadError::ListOffers { what: "resource templates", error })?;
        if listed.len() > MAX_TEMPLATES {
            let (what, count, max) = ("resource templates", listed.len(), MAX_TEMPLATES);
            return Err(LoadError::OfferCount { what, count, max });
        }
        let templates = listed.into_iter().map(template).collect::<Option<_>>();
        let templates = templates.ok_or(LoadError::Offer("resource template"))?;
        let grants = Arc::clone(&instantiable.grants);
        Ok(Some(Self { instantiable: Arc::clone(instantiable), grants, templates }))
    }

    /// The same with nothing granted that reaches out of the call.
    #[must_use]
    pub fn without_grants(&self) -> Self {
        Self { grants: Arc::new(self.grants.harmless()), ..self.clone() }
    }
}

#[async_trait]
impl Resources for WasmResources {
    async fn list(&self, context: &CallContext) -> Result<Vec<Resource>, OfferError> {
        let redactor = &self.instantiable.shared.redactor;
        let listed = self.instantiable.list_resources(&self.grants, context).await;
        let listed =
            listed.map_err(OfferError::Failed)?.map_err(|error| refused(error, redactor))?;
        let count = listed.len();
        let good: Vec<Resource> =
            listed.into_iter().take(MAX_RESOURCES).filter_map(resource).collect();
        if good.len() < count {
            let (plugin, dropped) = (&self.instantiable.plugin, count - good.len());
            tracing::warn!(%plugin, dropped, "resources that are not valid or too many");
        }
        Ok(good)
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        self.templates.clone()
    }

    async fn read(
        &self,
        uri: &str,
        context: &CallContext,
    ) -> Result<Vec<ResourceContent>, OfferError> {
        let redactor = &self.instantiable.shared.redactor;
        let read = self.instantiable.read_resource(uri, &self.grants, context).await;
        let contents =
            read.map_err(OfferError::Failed)?.map_err(|error| refused(error, redactor))?;
        let sizes = contents.iter().map(|content| match &content.body {
            guest::Body::Text(text) => text.len(),
            guest::Body::Bytes(bytes) => bytes.len(),
        });
        check_size(sizes, &self.instantiable.limits)?;
        Ok(contents.into_iter().map(|part| content(part, redactor)).collect())
    }
}

impl Instantiable {
    async fn list_templates(&self) -> Result<Vec<guest::ResourceTemplate>, ToolError> {
        let Some(resources) = &self.exports.resources else { return Ok(Vec::new()) };
        self.listing(async |store, instance| {
            resources.load(&mut *store, instance)?.call_list_templates(store).await
        })
        .await
    }

    async fn list_resources(
        &self,
        grants: &Arc<Grants>,
        context: &CallContext,
    ) -> Result<Result<Vec<guest::ResourceDefinition>, Error>, ToolError> {
        let Some(resources) = &self.exports.resources else { return Ok(Ok(Vec::new())) };
        self.asking(grants, context, async |store, instance| {
            resources.load(&mut *store, instance)?.call_list_resources(store).await
        })
        .await
    }

    async fn read_resource(
        &self,
        uri: &str,
        grants: &Arc<Grants>,
        context: &CallContext,
    ) -> Result<Result<Vec<guest::ResourceContent>, Error>, ToolError> {
        let Some(resources) = &self.exports.resources else { return Ok(Ok(Vec::new())) };
        self.asking(grants, context, async |store, instance| {
            resources.load(&mut *store, instance)?.call_read_resource(store, uri).await
        })
        .await
    }
}

/// What a URI, or the beginning of a template, must be: a scheme and more (RFC 3986,
/// section 3), without white space or anything invisible.
fn is_uri(text: &str) -> bool {
    let scheme = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let visible = !text.contains(char::is_whitespace) && escape_invisible(text) == text;
    let (before, after) = text.split_once(':').unwrap_or_default();
    let named = before.starts_with(|c: char| c.is_ascii_alphabetic()) && before.chars().all(scheme);
    text.len() <= MAX_URI && visible && named && !after.is_empty()
}

fn resource(listed: guest::ResourceDefinition) -> Option<Resource> {
    Some(Resource {
        name: short(Some(listed.name))??,
        title: short(listed.title)?,
        description: short(listed.description)?,
        mime_type: short(listed.mime_type)?,
        uri: is_uri(&listed.uri).then_some(listed.uri)?,
    })
}

fn template(listed: guest::ResourceTemplate) -> Option<ResourceTemplate> {
    Some(ResourceTemplate {
        name: short(Some(listed.name))??,
        title: short(listed.title)?,
        description: short(listed.description)?,
        mime_type: short(listed.mime_type)?,
        uri_template: is_uri(&listed.uri_template).then_some(listed.uri_template)?,
    })
}

fn content(content: guest::ResourceContent, redactor: &Redactor) -> ResourceContent {
    let body = match content.body {
        guest::Body::Text(text) => ResourceBody::Text(redactor.owned(text)),
        guest::Body::Bytes(bytes) => ResourceBody::Bytes(redactor.bytes(bytes)),
    };
    ResourceContent { uri: content.uri, mime_type: content.mime_type, body }
}

#[cfg(test)]
mod tests {
    use super::is_uri;

    #[test]
    fn a_uri_has_a_scheme_and_nothing_hidden() {
        for (text, expected) in [
            ("note://a.md", true),
            ("test://x/{id}", true),
            ("urn:a", true),
            ("a.md", false),
            ("1a:b", false),
            ("note:", false),
            ("note://a b", false),
            ("note://a\u{202e}b", false),
            ("", false),
        ] {
            assert_eq!(is_uri(text), expected, "{text:?}");
        }
    }
}
