//! Texts that a person chooses to begin a conversation with: implement [`Prompts`] and name
//! the type in [`export_prompts!`](crate::export_prompts).
//!
//! ```
//! # mod plugin {
//! use toolstile_sdk::prompts::{Given, Prompt, PromptArgument, PromptDefinition, Prompts};
//! use toolstile_sdk::{Error, export, export_prompts, tool};
//!
//! struct Reviews;
//!
//! impl Prompts for Reviews {
//!     fn list() -> Vec<PromptDefinition> {
//!         let file = PromptArgument::required("file");
//!         vec![PromptDefinition::new("review", "Reviews a file.", [file])]
//!     }
//!
//!     fn get(_name: &str, given: &Given) -> Result<Prompt, Error> {
//!         Ok(Prompt::user(format!("Review {}.", given["file"])))
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
//! export_prompts!(Reviews);
//! # }
//! ```

use std::collections::BTreeMap;

use crate::bindings::prompts::exports::toolstile::plugin::prompts as wit;
use crate::{Attachment, Error};

pub use wit::{
    Prompt, PromptArgument, PromptContent, PromptDefinition, PromptMessage, Reference, Role,
};

/// Arguments by name.
pub type Given = BTreeMap<String, String>;

/// The prompts of a plugin.
pub trait Prompts {
    /// Names and describes them. Asked for once, when the plugin is loaded.
    fn list() -> Vec<PromptDefinition>;

    /// Fills in one of them. Its required arguments are there, and no others than it has.
    fn get(name: &str, given: &Given) -> Result<Prompt, Error>;

    /// What could stand for an argument whose beginning is `value`, best first.
    fn complete(_of: &Reference, _argument: &str, _value: &str, _given: &Given) -> Vec<String> {
        Vec::new()
    }
}

impl PromptDefinition {
    /// A prompt with a name, what it is for, and its arguments.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        arguments: impl IntoIterator<Item = PromptArgument>,
    ) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: Some(description.into()),
            arguments: arguments.into_iter().collect(),
        }
    }
}

impl PromptArgument {
    /// An argument that must be given.
    pub fn required(name: impl Into<String>) -> Self {
        Self { name: name.into(), title: None, description: None, required: true }
    }

    /// An argument that may be given.
    pub fn optional(name: impl Into<String>) -> Self {
        Self { required: false, ..Self::required(name) }
    }

    /// The same with what it means.
    #[must_use]
    pub fn described(self, description: impl Into<String>) -> Self {
        Self { description: Some(description.into()), ..self }
    }
}

impl Prompt {
    /// One message of the person.
    pub fn user(text: impl Into<String>) -> Self {
        Self { description: None, messages: vec![PromptMessage::user(text)] }
    }

    /// These messages.
    pub fn of(messages: impl IntoIterator<Item = PromptMessage>) -> Self {
        Self { description: None, messages: messages.into_iter().collect() }
    }
}

impl PromptMessage {
    /// The person says something.
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: Role::User, content: PromptContent::Text(text.into()) }
    }

    /// The model says something.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { role: Role::Assistant, content: PromptContent::Text(text.into()) }
    }

    /// The person shows something.
    pub fn showing(attachment: Attachment) -> Self {
        Self { role: Role::User, content: PromptContent::Attachment(attachment.into()) }
    }
}

/// Exports prompts from the plugin, beside its tools: once in a crate, with a type that
/// implements [`Prompts`](crate::prompts::Prompts).
#[macro_export]
macro_rules! export_prompts {
    ($prompts:ty) => {
        const _: () = {
            use $crate::bindings::prompts::exports::toolstile::plugin::prompts as wit;

            struct ToolstilePrompts;

            type Words = ::std::vec::Vec<(::std::string::String, ::std::string::String)>;

            impl wit::Guest for ToolstilePrompts {
                fn list_prompts() -> ::std::vec::Vec<wit::PromptDefinition> {
                    <$prompts as $crate::prompts::Prompts>::list()
                }

                fn get_prompt(
                    name: ::std::string::String,
                    arguments: Words,
                ) -> ::core::result::Result<wit::Prompt, wit::Error> {
                    let given = arguments.into_iter().collect();
                    <$prompts as $crate::prompts::Prompts>::get(&name, &given)
                        .map_err(::core::convert::Into::into)
                }

                fn complete(
                    of: wit::Reference,
                    argument: ::std::string::String,
                    value: ::std::string::String,
                    given: Words,
                ) -> ::std::vec::Vec<::std::string::String> {
                    let given = given.into_iter().collect();
                    <$prompts as $crate::prompts::Prompts>::complete(&of, &argument, &value, &given)
                }
            }

            #[cfg(target_family = "wasm")]
            $crate::bindings::prompts::export_prompts_component!(
                ToolstilePrompts with_types_in $crate::bindings::prompts
            );
        };
    };
}
