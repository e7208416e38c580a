//! What the code of the macros needs of this room. No part of the public interface.

use std::fmt::Display;

use serde::Serialize;

pub use {schemars, serde};

use super::call::Seen;
use super::{Call, Tool, ToolError, answer};
use prompty_core::message;

/// Whether two names are the same, asked by constants.
pub const fn same(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    while let (Some((a, ones)), Some((b, others))) = (one.split_first(), other.split_first()) {
        if *a != *b {
            return false;
        }
        (one, other) = (ones, others);
    }
    true
}

/// Ends the build at the place that asks for it.
#[track_caller]
#[allow(clippy::panic, reason = "only constants call it")]
pub const fn refuse(message: &str) -> ! {
    panic!("{}", message)
}

/// A tool of a set. The set's code names the type's trait in one place only, since rustc would tell
/// of each where the type is no tool.
#[derive(Debug)]
pub struct Entry<T> {
    /// The tool's name.
    pub name: &'static str,
    told: fn() -> message::Tool,
    read: fn(&Seen<'_>) -> Result<T, ToolError>,
}

impl<T> Entry<T> {
    /// The entry of a tool.
    pub const fn of() -> Self
    where
        T: Tool,
    {
        Self { name: T::NAME, told: T::tool, read: |call| T::from_call(call) }
    }

    /// What the model is told.
    pub fn told(&self) -> message::Tool {
        (self.told)()
    }

    /// A call as the tool.
    ///
    /// # Errors
    ///
    /// As [`Tool::from_call`].
    pub fn read(&self, call: &impl Call) -> Result<T, ToolError> {
        (self.read)(&Seen::of(call))
    }
}

/// A call that no tool of a set has the name of.
pub fn unknown(name: &str, names: &[&str]) -> ToolError {
    ToolError::unknown(name, names)
}

/// What a tool's function may give.
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

/// The way to a text from a `Result`.
#[derive(Debug)]
pub struct Fallible;

/// The way to a text from anything else.
#[derive(Debug)]
pub struct Plain;

/// Found first: the way for a `Result`, under whatever name it comes.
pub trait FallibleWay {
    /// The way.
    fn tool_answer_way(&self) -> Fallible;
}

impl<T, E> FallibleWay for Result<T, E> {
    fn tool_answer_way(&self) -> Fallible {
        Fallible
    }
}

/// Found behind one more reference: the way for anything.
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
        given.map_err(ToolError::failed).and_then(|value| answer::text_of(&value))
    }
}

impl Plain {
    /// The text for the model.
    #[allow(clippy::needless_pass_by_value, reason = "as its sibling")]
    pub fn text<T: Answer>(self, given: T) -> Result<String, ToolError> {
        answer::text_of(&given)
    }
}
