//! How the arguments of a named call are written.

use serde::{Deserialize, Serialize};

use super::{List, Marker, Text};

/// How the arguments of a call are written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Arguments {
    /// As a JSON object, or as a text that holds one.
    Json,
    /// Each between tags that name it: `key_open KEY key_close VALUE value_close`. Texts are written
    /// as they are, all else as JSON or as Python prints it.
    Tagged {
        /// What stands in front of a key.
        key_open: Marker,
        /// What stands between a key and its value.
        key_close: Suffix,
        /// What stands behind a value.
        value_close: Marker,
        /// What stands between two arguments, beside white space.
        #[serde(default)]
        separator: Text,
        /// How a text is written that has something of markup in it.
        #[serde(default, skip_serializing_if = "Quoting::is_none")]
        quoting: Quoting,
    },
    /// Each in a tag of its own name, objects as tags inside tags:
    /// `open_prefix KEY open_suffix VALUE close_prefix KEY close_suffix`.
    Nested {
        /// In front of the key in the opening tag.
        open_prefix: Marker,
        /// Behind the key in the opening tag.
        open_suffix: Marker,
        /// In front of the key in the closing tag.
        close_prefix: Marker,
        /// Behind the key in the closing tag.
        close_suffix: Marker,
        /// The tag of a list's items.
        item: Text,
    },
    /// As a list of assignments: `open KEY assign VALUE separator … close`, as a Python call has it.
    /// Values are literals of JSON or of Python, with texts in quotes or between quoting tokens.
    Literal {
        /// What opens the list, such as `(`.
        open: Text,
        /// What stands between a key and its value, such as `=`.
        assign: Text,
        /// What stands between two arguments, such as `, `.
        separator: Text,
        /// A token that quotes texts, where neither `"` nor `'` does; empty where there is none.
        #[serde(default)]
        quote: Text,
        /// What closes the list, such as `)`.
        close: Text,
    },
}

/// How a text is written that could be taken for markup. It is undone when the text is read.
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
    /// What stands in front of such a text, such as `<![CDATA[`; empty where nothing does.
    pub open: Text,
    /// What stands behind it, such as `]]>`. Up to there all is data.
    pub close: Text,
    /// What is written in another way inside of it.
    pub escapes: List<Escape>,
}

impl Quoting {
    /// What stands where one quoted text ends and another begins.
    pub(crate) fn joint(&self) -> String {
        format!("{}{}", self.close, self.open)
    }

    /// Texts as they are.
    pub const NONE: Self =
        Self { open: Text::Borrowed(""), close: Text::Borrowed(""), escapes: List::Borrowed(&[]) };

    /// Whether all texts are written as they are.
    pub fn is_none(&self) -> bool {
        *self == Self::NONE
    }
}

/// A text that stands for another one, such as `&lt;` for `<`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Escape {
    /// What the model writes.
    pub written: Text,
    /// What it stands for.
    pub meant: Text,
}

impl Arguments {
    /// What stands in front of each key, where that is a marker.
    pub(crate) fn key_open(&self) -> &Marker {
        match self {
            Self::Tagged { key_open, .. } => key_open,
            Self::Nested { open_prefix, .. } => open_prefix,
            Self::Json | Self::Literal { .. } => &Marker::NONE,
        }
    }
}

/// What stands behind a name: a marker, or a marker, a word that varies, and another marker.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Suffix {
    /// What follows the name at once.
    pub text: Marker,
    /// A word that follows, such as a type or a number.
    pub hint: Option<Hint>,
}

impl Suffix {
    /// A marker alone.
    pub fn new(canonical: impl AsRef<str>) -> Self {
        Self { text: Marker::new(canonical), hint: None }
    }
}

/// A word in markup that varies: a count, or the type of the value that follows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Hint {
    /// What stands behind the word.
    pub end: Marker,
    /// The words that say that the value is a text; empty where the word says nothing of it.
    pub string: List<Text>,
}
