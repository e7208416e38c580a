//! Items that generated code needs from this module. They are not part of the public interface.

use std::fmt::Display;

use serde::Serialize;

pub use {schemars, serde};

use super::call::{BorrowedCall, answer_text};
use super::{Call, Tool, ToolError};
use prompty_core::message;

pub use prompty_core::diagnostic::fail_build;
pub use prompty_core::text::are_same;

/// One tool of a set of tools; `T` is the tool's own type. Generated code names the trait of the
/// tool's type in only one place, because rustc would report each place if the type is not a tool.
#[derive(Debug)]
pub struct Entry<T> {
    /// The tool's name.
    pub name: &'static str,
    declaration: fn() -> message::ToolSpec,
    read: fn(&BorrowedCall<'_>) -> Result<T, ToolError>,
}

// A derived `Clone` would require `T: Clone`.
impl<T> Clone for Entry<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Entry<T> {}

impl<T> Entry<T> {
    /// The entry of the tool `T`.
    pub const fn for_tool() -> Self
    where
        T: Tool,
    {
        Self { name: T::NAME, declaration: T::tool, read: |call| T::from_call(call) }
    }

    /// The declaration of the tool for the model.
    pub fn declaration(&self) -> message::ToolSpec {
        (self.declaration)()
    }

    /// Reads a call as the tool.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Tool::from_call`].
    pub fn read(&self, call: &impl Call) -> Result<T, ToolError> {
        (self.read)(&BorrowedCall::new(call))
    }
}

/// The error of a call with a name that no tool of the set has.
pub fn unknown(name: &str, names: &[&str]) -> ToolError {
    ToolError::unknown(name, names)
}

/// A type that a tool's function may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the answer of a tool",
    label = "cannot be written as JSON",
    note = "add `#[derive(serde::Serialize)]` to it"
)]
pub trait ToolAnswer: Serialize {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + ?Sized> ToolAnswer for T {}

/// A type that a tool's function may return as its error.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a tool",
    label = "cannot be printed",
    note = "implement `Display` for it, since the model reads the error's text"
)]
pub trait ToolFailure: Display {}

#[diagnostic::do_not_recommend]
impl<T: Display + ?Sized> ToolFailure for T {}

// Generated code calls `(&given).tool_answer_kind().text(given)`. Method resolution tries the
// receiver `&given` as it is first: that fits `FallibleAnswerKind` if `given` is a `Result`. For
// any other type it adds one reference, and `&&given` fits `PlainAnswerKind`.

/// Converts a `Result` into text.
#[derive(Debug, Clone, Copy)]
pub struct FallibleAnswer;

/// Converts any other value into text.
#[derive(Debug, Clone, Copy)]
pub struct PlainAnswer;

/// Selects [`FallibleAnswer`] for a `Result`, also for an alias of it. Method resolution finds it
/// first.
pub trait FallibleAnswerKind {
    /// The conversion of this type.
    fn tool_answer_kind(&self) -> FallibleAnswer;
}

impl<T, E> FallibleAnswerKind for Result<T, E> {
    fn tool_answer_kind(&self) -> FallibleAnswer {
        FallibleAnswer
    }
}

/// Selects [`PlainAnswer`] for any other type. Method resolution finds it after one more reference.
pub trait PlainAnswerKind {
    /// The conversion of this type.
    fn tool_answer_kind(&self) -> PlainAnswer;
}

impl<T: ?Sized> PlainAnswerKind for &T {
    fn tool_answer_kind(&self) -> PlainAnswer {
        PlainAnswer
    }
}

impl FallibleAnswer {
    /// The text for the model.
    pub fn text<T: ToolAnswer, E: ToolFailure>(
        self,
        given: Result<T, E>,
    ) -> Result<String, ToolError> {
        given.map_err(ToolError::failed).and_then(|value| answer_text(&value))
    }
}

impl PlainAnswer {
    /// The text for the model.
    #[allow(clippy::needless_pass_by_value, reason = "same signature as in `FallibleAnswer`")]
    pub fn text<T: ToolAnswer>(self, given: T) -> Result<String, ToolError> {
        answer_text(&given)
    }
}
