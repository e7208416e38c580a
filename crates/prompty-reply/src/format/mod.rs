//! How a model writes: where its reasoning, content and tool calls stand, and what stands around them.
//!
//! A [`ReplyFormat`] is plain data. The analysis of a chat template finds one; it can also be written
//! by hand, read from JSON, or be a constant. The [parser](super::ReplyParser) runs on nothing else.

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

/// A text that is known when the program is compiled, or found when it runs.
pub type Text = Cow<'static, str>;

/// A list that is known when the program is compiled, or found when it runs.
pub type List<T> = Cow<'static, [T]>;

/// A text that marks a boundary, and the white space that a template writes around it.
///
/// The white space is canonical, not demanded: a reply may have less of it. White space inside `text`
/// may be any, or none. A marker without text marks nothing.
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
    /// White space in front.
    pub before: Text,
    /// The mark itself; it neither begins nor ends with white space.
    pub text: Text,
    /// White space behind.
    pub after: Text,
}

impl Marker {
    /// The marker that is none.
    pub const NONE: Self =
        Self { before: Cow::Borrowed(""), text: Cow::Borrowed(""), after: Cow::Borrowed("") };

    /// The marker that a template writes as `canonical`. White space alone stands in
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

    /// Whether there is nothing to look for: no mark, or one of white space alone.
    pub fn is_none(&self) -> bool {
        self.text.trim_ascii().is_empty()
    }

    /// This marker, a word and another marker as one.
    pub(crate) fn around(&self, word: &str, behind: &Self) -> Self {
        let text = format!("{}{word}{}", self.text, behind.text);
        Self { before: self.before.clone(), text: text.into(), after: behind.after.clone() }
    }

    /// The tag that closes this one, by its spelling: `</a>` for `<a>`, `[/A]` for `[A]`.
    ///
    /// For `prompty-chat`.
    #[doc(hidden)]
    pub fn mirrored_closer(&self) -> Option<Text> {
        let name = tag_name(&self.text).filter(|name| !name.starts_with('/'))?;
        Some(self.text.replacen(name, &format!("/{name}"), 1).into())
    }

    /// The tag that this one closes, by its spelling: `<a>` for `</a>`.
    ///
    /// For `prompty-chat`.
    #[doc(hidden)]
    pub fn mirrored_opener(&self) -> Option<Text> {
        let name = tag_name(&self.text)?.strip_prefix('/')?;
        Some(self.text.replacen(&format!("/{name}"), name, 1).into())
    }

    /// Whether its text is markup, which no prose has by chance. A marker of plain words is found in
    /// any text.
    ///
    /// For `prompty-chat`.
    #[doc(hidden)]
    pub fn is_markup(&self) -> bool {
        self.text.contains(['<', '['])
    }
}

/// The name in a tag without attributes, with the slash of one that closes.
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
    /// As the template writes it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}{}", self.before, self.text, self.after)
    }
}

/// How a model writes a reply.
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
    /// Where the model thinks; nothing where the format knows no reasoning.
    pub reasoning: Option<Reasoning>,
    /// Where the model speaks.
    pub content: Content,
    /// How it calls tools; nothing where it cannot.
    pub tools: Option<Tools>,
    /// The headers of messages, where a reply is a row of messages.
    pub headers: Option<Headers>,
}

impl ReplyFormat {
    /// The format in which all text is content.
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
    /// What opens a turn of the user.
    pub user_open: Text,
    /// What stands in front of the assistant's turn, up to where the reply begins.
    pub open: Text,
    /// What ends the turn, such as `<|im_end|>`: the stop strings.
    pub end: List<Marker>,
    /// Tokens that are never text: those of the checkpoint's tokenizer, and those that the template knows
    /// and does not write itself. In front of calls without markers they are read past. A marker that is one of them,
    /// or looks like one, is dropped where it stands without its partner.
    pub control_tokens: List<Text>,
}

/// How a template handles reasoning (the seed's `reasoning_mode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum ReasoningMode {
    /// Between an opening and a closing tag, which the model writes.
    TagBased,
    /// From the reply's start up to a delimiter.
    Delimiter,
    /// The prompt ends with the opening tag.
    ForcedOpen,
    /// The prompt ends with the opening tag, or with both where thinking is switched off.
    ForcedClosed,
    /// Only in replies that call tools.
    ToolsOnly,
}

/// Where the model thinks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reasoning {
    /// How the template handles it.
    pub mode: ReasoningMode,
    /// What opens it; none where the reply begins with it.
    #[serde(default)]
    pub open: Marker,
    /// What closes it.
    pub close: Marker,
}

impl Reasoning {
    /// Reasoning between two tags that the model writes.
    pub fn tags(open: impl AsRef<str>, close: impl AsRef<str>) -> Self {
        Self { mode: ReasoningMode::TagBased, open: Marker::new(open), close: Marker::new(close) }
    }
}

/// How a template wraps content (the seed's `content_mode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum ContentMode {
    /// Not at all.
    #[default]
    Plain,
    /// Always.
    AlwaysWrapped,
    /// Only behind reasoning.
    WrappedWithReasoning,
}

/// Where the model speaks. Text outside the markers is content, too.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Content {
    /// How the template wraps it.
    pub mode: ContentMode,
    /// What opens it.
    pub open: Marker,
    /// What closes it.
    pub close: Marker,
    /// Whether the template demands content that is not null.
    pub requires_nonnull: bool,
}

/// A reply that is a row of messages, each with a header that says what its body is:
/// `OPEN header END body CLOSE`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Headers {
    /// What opens a message behind the first; the prompt ends with the first one's.
    pub open: Marker,
    /// What ends the header, and begins the body.
    pub end: Marker,
    /// What closes a body.
    pub close: List<Marker>,
    /// What a header holds whose body is reasoning.
    pub reasoning: List<Text>,
    /// What a header holds whose body is content, as are all bodies that nothing else claims.
    pub content: List<Text>,
    /// What stands in front of the tool's name in the header of a call, without `namespace`.
    pub recipient: Text,
    /// What the tool's name begins with in a header, such as `functions.`.
    pub namespace: Text,
}

#[cfg(test)]
mod tests {
    use super::Marker;

    #[test]
    fn a_tag_has_a_mirrored_one() {
        let opener = |tag: &'static str| Marker::new(tag).mirrored_opener().unwrap_or_default();
        assert_eq!((&*opener("</think>"), &*opener("[/THINK]")), ("<think>", "[THINK]"));
        assert_eq!((&*opener("<a>"), &*opener("</|a|>"), &*opener("</>")), ("", "", ""));
    }

    #[test]
    fn a_tag_has_a_mirrored_closer() {
        let closer = |tag: &'static str| Marker::new(tag).mirrored_closer().unwrap_or_default();
        assert_eq!((&*closer("<think>"), &*closer("[THINK]")), ("</think>", "[/THINK]"));
        assert_eq!((&*closer("<|a|>"), &*closer("</a>"), &*closer("<a b>")), ("", "", ""));
    }
}
