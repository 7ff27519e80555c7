//! Things that a client reads without calling a tool: implement [`Resources`] and name the
//! type in [`export_resources!`](crate::export_resources).
//!
//! ```
//! # mod plugin {
//! use toolstile_sdk::resources::{Resource, ResourceContent, Resources};
//! use toolstile_sdk::{Error, export, export_resources, tool};
//!
//! struct Texts;
//!
//! impl Resources for Texts {
//!     fn list() -> Result<Vec<Resource>, Error> {
//!         Ok(vec![Resource::new("texts://greeting", "greeting")])
//!     }
//!
//!     fn read(uri: &str) -> Result<Vec<ResourceContent>, Error> {
//!         match uri {
//!             "texts://greeting" => Ok(vec![ResourceContent::text(uri, "Hello.")]),
//!             _ => Err(Error::not_found(format!("there is no `{uri}`"))),
//!         }
//!     }
//! }
//!
//! /// Answers `pong`.
//! #[tool]
//! fn ping() -> &'static str {
//!     "pong"
//! }
//!
//! export!(ping);
//! export_resources!(Texts);
//! # }
//! ```

use crate::Error;
use crate::bindings::resources::exports::toolstile::plugin::resources as wit;

pub use wit::{Body, ResourceContent, ResourceDefinition as Resource, ResourceTemplate};

/// What a plugin lets be read. Nobody is asked before, so reading changes nothing.
pub trait Resources {
    /// What there is now.
    fn list() -> Result<Vec<Resource>, Error>;

    /// Families of resources, as URI templates (RFC 6570). Asked for once, when the plugin
    /// is loaded.
    fn templates() -> Vec<ResourceTemplate> {
        Vec::new()
    }

    /// Reads one that is listed, or that is of a family;
    /// [`NotFound`](crate::ErrorKind::NotFound) for every other.
    fn read(uri: &str) -> Result<Vec<ResourceContent>, Error>;
}

impl Resource {
    /// A resource with nothing but its URI and its name.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self { uri: uri.into(), name: name.into(), title: None, description: None, mime_type: None }
    }
}

impl ResourceTemplate {
    /// A family with nothing but its template and its name.
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri_template: uri_template.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
        }
    }
}

impl ResourceContent {
    /// Plain text.
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        let mime_type = Some("text/plain".to_owned());
        Self { uri: uri.into(), mime_type, body: Body::Text(text.into()) }
    }

    /// Bytes of a media type.
    pub fn bytes(
        uri: impl Into<String>,
        mime_type: impl Into<String>,
        bytes: impl Into<Vec<u8>>,
    ) -> Self {
        Self { uri: uri.into(), mime_type: Some(mime_type.into()), body: Body::Bytes(bytes.into()) }
    }
}

/// Exports resources from the plugin, beside its tools: once in a crate, with a type that
/// implements [`Resources`](crate::resources::Resources).
#[macro_export]
macro_rules! export_resources {
    ($resources:ty) => {
        const _: () = {
            use $crate::bindings::resources::exports::toolstile::plugin::resources as wit;

            struct ToolstileResources;

            impl wit::Guest for ToolstileResources {
                fn list_resources()
                -> ::core::result::Result<::std::vec::Vec<wit::ResourceDefinition>, wit::Error>
                {
                    <$resources as $crate::resources::Resources>::list()
                        .map_err(::core::convert::Into::into)
                }

                fn list_templates() -> ::std::vec::Vec<wit::ResourceTemplate> {
                    <$resources as $crate::resources::Resources>::templates()
                }

                fn read_resource(
                    uri: ::std::string::String,
                ) -> ::core::result::Result<::std::vec::Vec<wit::ResourceContent>, wit::Error>
                {
                    <$resources as $crate::resources::Resources>::read(&uri)
                        .map_err(::core::convert::Into::into)
                }
            }

            #[cfg(target_family = "wasm")]
            $crate::bindings::resources::export_resources_component!(
                ToolstileResources with_types_in $crate::bindings::resources
            );
        };
    };
}
