//! The notation of the arguments of a named call.

use serde::{Deserialize, Serialize};

use super::{List, Marker, Text};

/// The notation of the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Arguments {
    /// A JSON object, or a string that contains one.
    Json,
    /// Tags around the key and the value: `key_open KEY key_close VALUE value_close`. Strings are
    /// written unquoted, other values as JSON or as Python prints them.
    Tagged {
        /// The text before a key.
        key_open: Marker,
        /// The text between a key and its value.
        key_close: Suffix,
        /// The text after a value.
        value_close: Marker,
        /// The separator of two arguments, in addition to white space.
        #[serde(default)]
        separator: Text,
        /// The quoting of strings that look like markup.
        #[serde(default, skip_serializing_if = "Quoting::is_none")]
        quoting: Quoting,
    },
    /// Tags that are named like the key, with objects as tags inside tags: `open_prefix KEY
    /// open_suffix VALUE close_prefix KEY close_suffix`.
    Nested {
        /// The text before the key in the opening tag.
        open_prefix: Marker,
        /// The text after the key in the opening tag.
        open_suffix: Marker,
        /// The text before the key in the closing tag.
        close_prefix: Marker,
        /// The text after the key in the closing tag.
        close_suffix: Marker,
        /// The tag of a list's items.
        item: Text,
    },
    /// A list of assignments, as in a Python call: `open KEY assign VALUE separator … close`.
    /// Values are literals of JSON or of Python. Strings are in quotes or between quoting tokens.
    Literal {
        /// The opener of the list, such as `(`.
        open: Text,
        /// The text between a key and its value, such as `=`.
        assign: Text,
        /// The separator of two arguments, such as `, `.
        separator: Text,
        /// A token that quotes strings in place of `"` and `'`; empty if there is none.
        #[serde(default)]
        quote: Text,
        /// The closer of the list, such as `)`.
        close: Text,
    },
}

/// The quoting of strings that could be taken for markup. Reading a string removes the quoting.
///
/// ```
/// # mod typed_prompty { pub use prompty_reply as reply; }
/// use typed_prompty::reply::format::{Arguments, CallShape, ReplyFormat};
/// use typed_prompty::reply::ReplyParser;
///
/// let format = ReplyFormat::from_json(
///     r#"{"tools": {"parallel": true, "shape": {"named": {
///         "prefix": "<call=", "suffix": {"text": ">", "hint": null}, "close": "</call>",
///         "arguments": {"tagged": {
///             "key_open": "<", "key_close": {"text": ">", "hint": null}, "value_close": "</>",
///             "quoting": {"open": "<![CDATA[", "close": "]]>",
///                         "escapes": [{"written": "&lt;", "meant": "<"}]}
///         }}
///     }}}}"#,
/// )?;
/// let parser = ReplyParser::new(format);
/// let reply = parser.parse("<call=f><a><![CDATA[</></call>]]></><b>1 &lt; 2</></call>");
/// assert_eq!(reply.calls()[0].arguments, r#"{"a": "</></call>", "b": "1 < 2"}"#);
/// # Ok::<(), prompty_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Quoting {
    /// The opening quote of such a string, such as `<![CDATA[`; empty if there is none.
    pub open: Text,
    /// The closing quote, such as `]]>`. Everything before it is data.
    pub close: Text,
    /// The escapes inside the string.
    pub escapes: List<Escape>,
}

impl Quoting {
    /// The text between two adjacent quoted strings, such as `]]><![CDATA[`. A template writes it
    /// inside a string that contains the closing quote, so it is not part of the value.
    pub(crate) fn joint(&self) -> String {
        format!("{}{}", self.close, self.open)
    }

    /// Strings are written unchanged.
    pub const NONE: Self =
        Self { open: Text::Borrowed(""), close: Text::Borrowed(""), escapes: List::Borrowed(&[]) };

    /// Whether all strings are written unchanged.
    pub fn is_none(&self) -> bool {
        *self == Self::NONE
    }
}

/// A text that represents another one, such as `&lt;` for `<`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Escape {
    /// The text that the model writes.
    pub written: Text,
    /// The text that it represents.
    pub meant: Text,
}

impl Arguments {
    /// The marker before each key, or none if it is not a marker.
    pub(crate) fn key_open(&self) -> &Marker {
        match self {
            Self::Tagged { key_open, .. } => key_open,
            Self::Nested { open_prefix, .. } => open_prefix,
            Self::Json | Self::Literal { .. } => &Marker::NONE,
        }
    }
}

/// The text after a name: a marker, or a marker, a varying word and another marker.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Suffix {
    /// The text directly after the name.
    pub text: Marker,
    /// A following word, such as a type or a number.
    pub hint: Option<Hint>,
}

impl Suffix {
    /// A suffix that is only a marker.
    pub fn new(canonical: impl AsRef<str>) -> Self {
        Self { text: Marker::new(canonical), hint: None }
    }
}

/// A varying word in markup: a count, or the type of the following value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Hint {
    /// The text after the word.
    pub end: Marker,
    /// The words that mean that the value is a string; empty if the word does not say.
    pub string: List<Text>,
}
