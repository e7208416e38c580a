//! Arguments of calls: what the files that write them hand to each other.

use super::part::kinds;
use crate::format::{Marker, Quoting};
use prompty_core::message::ToolSpec;
use prompty_core::schema::Kinds;
use prompty_core::value::{Map, Value};

/// The words with which markup says the type of a value that is no text.
pub(super) const TYPE_WORDS: [&str; 7] =
    ["number", "integer", "boolean", "array", "object", "null", "false"];

/// Keywords that a text without quotes is not held to.
pub(super) const OF_TEXTS: [&str; 7] =
    ["pattern", "minLength", "maxLength", "format", "$ref", "allOf", "not"];

/// An argument, or a part of one that is written like one.
#[derive(Clone, Copy)]
pub(super) struct Argument<'a> {
    pub(super) name: &'a str,
    pub(super) schema: &'a Value,
    /// The schema of all arguments of the tool.
    pub(super) whole: &'a Map,
    /// So many others it is a part of.
    pub(super) depth: usize,
    pub(super) word: Word,
}

/// What the word in its markup says of an argument's value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// Nothing, or there is none.
    Any,
    Text,
    NoText,
}

impl Argument<'_> {
    pub(super) fn kinds(self) -> Kinds {
        kinds(self.schema, self.whole)
    }
}

/// Where a value ends, and how a text is written that has something of that in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValueEnd<'f> {
    pub(super) close: &'f Marker,
    pub(super) quoting: &'f Quoting,
}

impl ValueEnd<'_> {
    /// Whether a text reads back as itself.
    pub(super) fn admits(&self, text: &str) -> bool {
        let Self { close, quoting } = self;
        let is_quoted = !quoting.open.is_empty() && text.trim_start().starts_with(&*quoting.open);
        !is_quoted && !text.contains(&*close.text) && quoting.undone(text) == text
    }
}

/// What a part of a layout is written for.
#[derive(Clone, Copy)]
pub(super) enum For<'a> {
    /// Calls of some tools; whether there may be more than one.
    Tools(&'a [&'a ToolSpec], bool),
    /// A call of a tool.
    Tool(&'a ToolSpec),
    Argument(Argument<'a>),
}
