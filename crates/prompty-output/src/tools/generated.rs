//! What generated code needs of this module. It is not part of the public interface.

use std::fmt::Display;

use serde::Serialize;

pub use {schemars, serde};

use super::call::{BorrowedCall, answer_text};
use super::{Call, Tool, ToolError};
use prompty_core::message;

pub use prompty_core::diagnostic::fail_build;
pub use prompty_core::text::are_same;

/// A tool of a set. Generated code names the trait of the tool's type in one place only: where the
/// type is no tool, rustc reports each place.
#[derive(Debug)]
pub struct Entry<T> {
    /// The tool's name.
    pub name: &'static str,
    declaration: fn() -> message::ToolSpec,
    read: fn(&BorrowedCall<'_>) -> Result<T, ToolError>,
}

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

    /// What the model is told.
    pub fn declaration(&self) -> message::ToolSpec {
        (self.declaration)()
    }

    /// Reads a call as the tool.
    ///
    /// # Errors
    ///
    /// As [`Tool::from_call`].
    pub fn read(&self, call: &impl Call) -> Result<T, ToolError> {
        (self.read)(&BorrowedCall::new(call))
    }
}

/// The error of a call whose name no tool of a set has.
pub fn unknown(name: &str, names: &[&str]) -> ToolError {
    ToolError::unknown(name, names)
}

/// What a tool's function may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the answer of a tool",
    label = "cannot be written as JSON",
    note = "add `#[derive(serde::Serialize)]` to it"
)]
pub trait Answer: Serialize {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + ?Sized> Answer for T {}

/// What a tool's function may fail with.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a tool",
    label = "cannot be printed",
    note = "the model reads the error's text: implement `Display` for it"
)]
pub trait Complaint: Display {}

#[diagnostic::do_not_recommend]
impl<T: Display + ?Sized> Complaint for T {}

/// How a `Result` becomes a text.
#[derive(Debug, Clone, Copy)]
pub struct Fallible;

/// How anything else becomes a text.
#[derive(Debug, Clone, Copy)]
pub struct Plain;

/// Method resolution finds it first: it is for a `Result`, also under the name of an alias.
pub trait FallibleWay {
    /// The way.
    fn tool_answer_way(&self) -> Fallible;
}

impl<T, E> FallibleWay for Result<T, E> {
    fn tool_answer_way(&self) -> Fallible {
        Fallible
    }
}

/// Method resolution finds it behind one more reference: it is for any type.
pub trait PlainWay {
    /// The way.
    fn tool_answer_way(&self) -> Plain;
}

impl<T: ?Sized> PlainWay for &T {
    fn tool_answer_way(&self) -> Plain {
        Plain
    }
}

impl Fallible {
    /// The text for the model.
    pub fn text<T: Answer, E: Complaint>(self, given: Result<T, E>) -> Result<String, ToolError> {
        given.map_err(ToolError::failed).and_then(|value| answer_text(&value))
    }
}

impl Plain {
    /// The text for the model.
    #[allow(clippy::needless_pass_by_value, reason = "as its sibling")]
    pub fn text<T: Answer>(self, given: T) -> Result<String, ToolError> {
        answer_text(&given)
    }
}
