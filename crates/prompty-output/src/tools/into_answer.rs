//! The types that a function of a toolbox may return.

use std::borrow::Cow;

use prompty_core::value::{Map, Value};
use serde::Serialize;

use super::ToolError;
use super::call::answer_text;
use super::generated::{ToolAnswer, ToolFailure};

/// A type that a function of a [`Toolbox`](super::Toolbox) may return.
///
/// It is a `Result`, or a value that can only be an answer: a string, a number, a boolean, a JSON
/// value, or a list of values.
#[diagnostic::on_unimplemented(
    message = "a function of a toolbox cannot return `{Self}`",
    label = "expected a `Result`, a string, a number, a boolean or a JSON value",
    note = "return `Ok::<_, String>(value)` for a type that implements `serde::Serialize`"
)]
pub trait IntoAnswer {
    /// The text for the model.
    #[doc(hidden)]
    fn into_answer(self) -> Result<String, ToolError>;
}

// serde serializes a `Result`, too, so there cannot be one implementation for all types.
#[diagnostic::do_not_recommend]
impl<T: ToolAnswer, E: ToolFailure> IntoAnswer for Result<T, E> {
    fn into_answer(self) -> Result<String, ToolError> {
        answer_text(&self.map_err(ToolError::failed)?)
    }
}

macro_rules! answers {
    ($([$($parameter:ident)?] $ty:ty),* $(,)?) => {
        $(#[diagnostic::do_not_recommend]
        impl$(<$parameter: Serialize>)? IntoAnswer for $ty {
            fn into_answer(self) -> Result<String, ToolError> {
                answer_text(&self)
            }
        })*
    };
}

answers!([] String, [] &str, [] Cow<'_, str>, [] Value, [] Map, [] serde_json::Value);
answers!([] bool, [] char, [] (), [] f32, [] f64);
answers!([] i8, [] i16, [] i32, [] i64, [] i128, [] isize);
answers!([] u8, [] u16, [] u32, [] u64, [] u128, [] usize);
answers!([T] Vec<T>, [T] Option<T>);
