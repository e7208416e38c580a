//! Arguments of calls: the types that the modules of arguments share.

use super::part::kinds_of;
use crate::format::{Marker, Quoting};
use prompty_core::message::ToolSpec;
use prompty_core::schema::Kinds;
use prompty_core::value::{Map, Value};

/// The words of type hints for values that are not strings: names of types, and `false` for markup
/// such as `<p name="KEY" string="false">`.
pub(super) const TYPE_WORDS: [&str; 7] =
    ["number", "integer", "boolean", "array", "object", "null", "false"];

/// Keywords that are not enforced for a string without quotes.
pub(super) const STRING_KEYWORDS: [&str; 7] =
    ["pattern", "minLength", "maxLength", "format", "$ref", "allOf", "not"];

/// An argument, or a part of one with the same notation.
#[derive(Clone, Copy)]
pub(super) struct ArgumentSchema<'a> {
    pub(super) name: &'a str,
    pub(super) schema: &'a Value,
    /// The schema of all arguments of the tool.
    pub(super) root_schema: &'a Map,
    /// The number of arguments around it.
    pub(super) depth: usize,
    pub(super) type_hint: TypeHint,
}

/// The meaning of the type hint in an argument's markup.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TypeHint {
    /// The type hint is missing or has no meaning.
    Any,
    String,
    NotString,
}

impl ArgumentSchema<'_> {
    pub(super) fn kinds(self) -> Kinds {
        kinds_of(self.schema, self.root_schema)
    }
}

/// The end of a value, and the quoting of strings that contain it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValueEnd<'f> {
    pub(super) close: &'f Marker,
    pub(super) quoting: &'f Quoting,
}

impl ValueEnd<'_> {
    /// Whether a string is read back unchanged.
    pub(super) fn admits(&self, text: &str) -> bool {
        let Self { close, quoting } = self;
        let is_quoted = !quoting.open.is_empty() && text.trim_start().starts_with(&*quoting.open);
        !is_quoted && !text.contains(&*close.text) && quoting.unescape(text) == text
    }
}

/// The subject for which a part of a layout is written.
#[derive(Clone, Copy)]
pub(super) enum WriteTarget<'a> {
    /// Calls of some tools. The flag says whether there may be more than one call.
    Tools(&'a [&'a ToolSpec], bool),
    /// A call of a tool.
    Tool(&'a ToolSpec),
    Argument(ArgumentSchema<'a>),
}
