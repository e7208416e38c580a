//! Reply formats: where a model writes its reasoning, content and tool calls, and the markers
//! around them.
//!
//! A [`ReplyFormat`] is plain data. The analysis of a chat template produces one. It can also be
//! written by hand, read from JSON, or be a constant. The [parser](super::ReplyParser) and the
//! grammars need no other description of the model.

mod arguments;
mod json;
mod markdown;
pub mod response_template;
mod tools;
pub mod view;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use arguments::{Arguments, Escape, Hint, Quoting, Suffix};
pub use tools::{CallId, CallIdPosition, CallShape, JsonCall, NamePlace, NamedCall, Tools};
pub use view::{AnalysisResult, MarkerRegistry};

/// A string that is a constant or created at run time.
pub type Text = Cow<'static, str>;

/// A list that is a constant or created at run time.
pub type List<T> = Cow<'static, [T]>;

/// A text that marks a boundary, with the white space that a template writes around it.
///
/// The white space is canonical, not required: a reply may have less of it. White space inside
/// `text` matches any white space, or none. A marker without text marks nothing.
///
/// ```
/// # mod typed_prompty { pub use prompty_reply as reply; }
/// use typed_prompty::reply::format::Marker;
///
/// let close = Marker::new("\n</think>\n\n");
/// assert_eq!((&*close.before, &*close.text, &*close.after), ("\n", "</think>", "\n\n"));
/// assert_eq!(close.to_string(), "\n</think>\n\n");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(from = "Text", into = "String")]
pub struct Marker {
    /// The white space before the text.
    pub before: Text,
    /// The text of the marker; it neither begins nor ends with white space.
    pub text: Text,
    /// The white space after the text.
    pub after: Text,
}

impl Marker {
    /// The empty marker.
    pub const NONE: Self =
        Self { before: Cow::Borrowed(""), text: Cow::Borrowed(""), after: Cow::Borrowed("") };

    /// Creates the marker that a template writes as `canonical`. White space alone becomes
    /// [`Marker::after`].
    pub fn new(canonical: impl AsRef<str>) -> Self {
        let canonical = canonical.as_ref();
        let without_end = canonical.trim_end();
        let text = without_end.trim_start();
        let before = without_end.strip_suffix(text).unwrap_or_default();
        let after = canonical.strip_prefix(without_end).unwrap_or_default();
        Self {
            before: Cow::Owned(before.to_owned()),
            text: Cow::Owned(text.to_owned()),
            after: Cow::Owned(after.to_owned()),
        }
    }

    /// Whether there is nothing to search for: the text is empty or white space.
    pub fn is_none(&self) -> bool {
        self.text.trim_ascii().is_empty()
    }

    /// Joins this marker, a word and another marker.
    pub(crate) fn wrap_word(&self, word: &str, closer: &Self) -> Self {
        let text = format!("{}{word}{}", self.text, closer.text);
        Self { before: self.before.clone(), text: text.into(), after: closer.after.clone() }
    }

    /// The closing tag of this tag, derived from its spelling: `</a>` for `<a>`, `[/A]` for `[A]`.
    ///
    /// For `prompty-chat`.
    #[doc(hidden)]
    pub fn mirrored_closer(&self) -> Option<Text> {
        let name = tag_name(&self.text).filter(|name| !name.starts_with('/'))?;
        Some(self.text.replacen(name, &format!("/{name}"), 1).into())
    }

    /// The opening tag of this tag, derived from its spelling: `<a>` for `</a>`.
    ///
    /// For `prompty-chat`.
    #[doc(hidden)]
    pub fn mirrored_opener(&self) -> Option<Text> {
        let name = tag_name(&self.text)?.strip_prefix('/')?;
        Some(self.text.replacen(&format!("/{name}"), name, 1).into())
    }

    /// Whether its text is markup, which does not appear in prose by chance. A marker of plain
    /// words may appear in any text.
    ///
    /// For `prompty-chat`.
    #[doc(hidden)]
    pub fn is_markup(&self) -> bool {
        self.text.contains(['<', '['])
    }
}

/// The name in a tag without attributes, with the slash of a closing tag.
fn tag_name(tag: &str) -> Option<&str> {
    let inside = |front, back| tag.strip_prefix(front)?.strip_suffix(back);
    let name = inside('<', '>').or_else(|| inside('[', ']'))?;
    let is_name = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-' | ':');
    let word = name.strip_prefix('/').unwrap_or(name);
    (!word.is_empty() && word.chars().all(is_name)).then_some(name)
}

impl From<Text> for Marker {
    fn from(canonical: Text) -> Self {
        Self::new(canonical)
    }
}

impl From<Marker> for String {
    fn from(marker: Marker) -> Self {
        marker.to_string()
    }
}

impl std::fmt::Display for Marker {
    /// Writes the marker as the template does.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}{}", self.before, self.text, self.after)
    }
}

/// A description of how a model writes a reply.
///
/// ```
/// # mod typed_prompty { pub use prompty_reply as reply; }
/// use typed_prompty::reply::ReplyParser;
/// use typed_prompty::reply::format::{Marker, Reasoning, ReplyFormat};
///
/// let mut format = ReplyFormat::plain();
/// format.reasoning = Some(Reasoning::tags("<think>", "</think>"));
/// let reply = ReplyParser::new(format).parse("<think>Easy.</think>42");
/// assert_eq!(reply.reasoning(), "Easy.");
/// assert_eq!(reply.content(), "42");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReplyFormat {
    /// The assistant's turn around the reply.
    pub turn: Turn,
    /// How the model writes reasoning; `None` if the format has no reasoning.
    pub reasoning: Option<Reasoning>,
    /// How the model writes content.
    pub content: Content,
    /// How the model calls tools; `None` if it cannot.
    pub tools: Option<Tools>,
    /// The headers of messages, if a reply is a sequence of messages.
    pub headers: Option<Headers>,
}

impl ReplyFormat {
    /// Returns the format in which all text is content.
    pub const fn plain() -> Self {
        Self {
            turn: Turn {
                user_open: Cow::Borrowed(""),
                open: Cow::Borrowed(""),
                end: Cow::Borrowed(&[]),
                control_tokens: Cow::Borrowed(&[]),
            },
            reasoning: None,
            content: Content {
                mode: ContentMode::Plain,
                open: Marker::NONE,
                close: Marker::NONE,
                requires_nonnull: false,
            },
            tools: None,
            headers: None,
        }
    }
}

/// The assistant's turn in the prompt text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Turn {
    /// The opener of a user's turn.
    pub user_open: Text,
    /// The opener of the assistant's turn, up to the start of the reply.
    pub open: Text,
    /// The ends of the turn, such as `<|im_end|>`. They are the stop strings.
    pub end: List<Marker>,
    /// Tokens that are never text: those of the checkpoint's tokenizer, and those that the template
    /// contains but does not write itself. They are skipped before calls without markers. A marker
    /// that is such a token, or looks like one, is dropped if its counterpart is missing.
    pub control_tokens: List<Text>,
}

/// How a template handles reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum ReasoningMode {
    /// The model writes an opening and a closing tag.
    TagBased,
    /// Reasoning extends from the start of the reply to a delimiter.
    Delimiter,
    /// The prompt ends with the opening tag.
    ForcedOpen,
    /// The prompt ends with the opening tag, or with both tags if thinking is disabled.
    ForcedClosed,
    /// Only replies that call tools have reasoning.
    ToolsOnly,
}

/// How a model writes reasoning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reasoning {
    /// How the template handles it.
    pub mode: ReasoningMode,
    /// The opener; none if the reply begins with reasoning.
    #[serde(default)]
    pub open: Marker,
    /// The closer.
    pub close: Marker,
}

impl Reasoning {
    /// Creates reasoning between two tags that the model writes.
    pub fn tags(open: impl AsRef<str>, close: impl AsRef<str>) -> Self {
        Self { mode: ReasoningMode::TagBased, open: Marker::new(open), close: Marker::new(close) }
    }
}

/// How a template wraps content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum ContentMode {
    /// Never.
    #[default]
    Plain,
    /// Always.
    AlwaysWrapped,
    /// Only after reasoning.
    WrappedWithReasoning,
}

/// How a model writes content. Text outside the markers is content, too.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Content {
    /// When the template wraps it.
    pub mode: ContentMode,
    /// The opener.
    pub open: Marker,
    /// The closer.
    pub close: Marker,
    /// Whether the template requires content that is not null.
    pub requires_nonnull: bool,
}

/// The headers of a reply that is a sequence of messages. Each header says what its body is: `OPEN
/// header END body CLOSE`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Headers {
    /// The opener of each message after the first. The prompt ends with the opener of the first
    /// one.
    pub open: Marker,
    /// The end of the header, where the body begins.
    pub end: Marker,
    /// The closers of a body.
    pub close: List<Marker>,
    /// The words of a header whose body is reasoning.
    pub reasoning: List<Text>,
    /// The words of a header whose body is content. Bodies without any known header are also
    /// content.
    pub content: List<Text>,
    /// The text before the tool's name in the header of a call, without `namespace`.
    pub recipient: Text,
    /// The prefix of the tool's name in a header, such as `functions.`.
    pub namespace: Text,
}

#[cfg(test)]
mod tests {
    use super::Marker;

    #[test]
    fn closing_tag_has_mirrored_opener() {
        let opener = |tag: &'static str| Marker::new(tag).mirrored_opener().unwrap_or_default();
        assert_eq!((&*opener("</think>"), &*opener("[/THINK]")), ("<think>", "[THINK]"));
        assert_eq!((&*opener("<a>"), &*opener("</|a|>"), &*opener("</>")), ("", "", ""));
    }

    #[test]
    fn opening_tag_has_mirrored_closer() {
        let closer = |tag: &'static str| Marker::new(tag).mirrored_closer().unwrap_or_default();
        assert_eq!((&*closer("<think>"), &*closer("[THINK]")), ("</think>", "[/THINK]"));
        assert_eq!((&*closer("<|a|>"), &*closer("</a>"), &*closer("<a b>")), ("", "", ""));
    }
}
