//! From what a tool function returns to a [`ToolResponse`].
//!
//! Anything that serialises is an answer, and so is a `Result` whose error can
//! be displayed. `Result` itself serialises too, so a second blanket
//! implementation would overlap; [`Answer`] tells the two apart instead: its
//! inherent method, which only a `Result` has, is preferred by method
//! resolution to the trait method, which everything else has. This looks at the
//! type and not at its spelling, so that aliases of `Result` work.

use std::fmt::Display;

use serde::Serialize;
use serde_json::Value;

use crate::ToolResponse;
use crate::response::not_json;

/// What a tool may return: a [`ToolResponse`], or anything that serialises.
///
/// A string is the text. Any other value gives its compact JSON as text and
/// itself as data. A value without content, such as `()`, says `done`.
#[diagnostic::on_unimplemented(
    message = "a tool cannot answer with `{Self}`",
    label = "the return type of a tool",
    note = "return a `String`, a `ToolResponse`, a type that derives `toolstile_sdk::serde::Serialize`, or a `Result` of these whose error implements `Display`"
)]
pub trait IntoToolResponse {
    /// The answer that stands for this value.
    fn into_tool_response(self) -> ToolResponse;
}

impl IntoToolResponse for ToolResponse {
    fn into_tool_response(self) -> ToolResponse {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<T: Serialize> IntoToolResponse for T {
    fn into_tool_response(self) -> ToolResponse {
        match serde_json::to_value(&self) {
            Ok(Value::String(text)) => ToolResponse::success(text),
            // Of the values that serialise to null only a unit has no size; an
            // absent `Option` is a result that the model should see as `null`.
            Ok(Value::Null) if size_of::<T>() == 0 => ToolResponse::success("done"),
            Ok(value) => ToolResponse::success(value.to_string()).with_data(value),
            Err(error) => ToolResponse::error(not_json(&error)),
        }
    }
}

/// What a function returned, on its way to becoming an answer.
///
/// The bounds stand on the methods and not on the implementations: so a type
/// that cannot be an answer is told by [`IntoToolResponse`]'s own message.
#[derive(Debug)]
pub struct Answer<T>(pub T);

impl<T, E> Answer<Result<T, E>> {
    /// The answer for a `Result`: its value's, or an error of the error's text.
    pub fn respond(self) -> ToolResponse
    where
        T: IntoToolResponse,
        E: Display,
    {
        match self.0 {
            Ok(value) => value.into_tool_response(),
            Err(error) => ToolResponse::error(error.to_string()),
        }
    }
}

/// The answer for everything that is no `Result`.
pub trait Respond {
    /// What the function returned.
    type Value;

    /// The answer that stands for this value.
    fn respond(self) -> ToolResponse
    where
        Self::Value: IntoToolResponse;
}

impl<T> Respond for Answer<T> {
    type Value = T;

    fn respond(self) -> ToolResponse
    where
        T: IntoToolResponse,
    {
        self.0.into_tool_response()
    }
}
