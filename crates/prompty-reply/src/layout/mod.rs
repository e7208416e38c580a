//! The layout of a reply: one tree of literals and slots that is built from a format alone.
//!
//! For calls such as `<call><f=NAME><p=KEY>VALUE</p></f></call>` after content, the tree is
//! (without the parts that the format does not have):
//!
//! ```text
//! Repeat(Choice(
//!     Unit(Content, Slot(Content)),
//!     Unit(Calls, Repeat(Row(
//!         Literal("<call>", CallOpen),
//!         Unit(Call, Row(
//!             Literal("<f=", NamePrefix), Slot(Name), Optional(Literal(">", NameSuffix)),
//!             Unit(Arguments, Repeat(Unit(Argument, Row(
//!                 Literal("<p=", KeyOpen), Slot(Key), Literal(">", KeyClose),
//!                 Slot(Value), Literal("</p>", ValueClose),
//!             )))),
//!             Literal("</f>", NamedClose),
//!         )),
//!         Literal("</call>", CallClose),
//!     ))),
//! ))
//! ```
//!
//! A format describes what a template writes. The layout describes what a reply has: the literals
//! that open, close, separate or decorate. A literal is required if nothing else distinguishes two
//! parts. A literal that is not required is written by the grammars, but may be missing in a reply.
//!
//! All readers of a format read this tree: the parser, the grammars, the structural tag, the texts
//! of continued messages, and the view for people. If one of them had its own rules, a grammar
//! could make a model write a reply that the parser reads differently. A property test draws
//! replies from layouts and compares all readers.

mod call;
mod order;
mod read;
mod reply;

pub(crate) use order::{Leaf, LeafId, Order};
pub(crate) use read::begin_with_call_opener;

use serde::Serialize;

use super::format::{CallShape, JsonCall, List, Marker, Quoting, ReplyFormat, Text};

/// A part of a reply.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) enum LayoutPart {
    Literal(Literal),
    Slot(Slot),
    /// Consecutive parts.
    Row(Vec<LayoutPart>),
    /// One of several parts.
    Choice(Vec<LayoutPart>),
    /// A part as the template writes it, and alternatives that a reply may have instead.
    Spellings(Box<LayoutPart>, Vec<LayoutPart>),
    /// A part that a reply may omit.
    Optional(Box<LayoutPart>),
    /// A part that may be repeated, with a literal between two repetitions.
    Repeat {
        part: Box<LayoutPart>,
        separator: Literal,
        /// Whether a reply may have it more than once.
        many: bool,
    },
    /// A part with a name that readers look up.
    Unit(Unit, Box<LayoutPart>),
}

/// The parts with a name that readers look up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub(crate) enum Unit {
    /// Reasoning, with the markers around it.
    Reasoning,
    /// Content, with the markers around it.
    Content,
    /// All calls, with the text around and between them.
    Calls,
    /// One call, without the markers around it.
    Call,
    /// The arguments of a call.
    Arguments,
    /// One argument.
    Argument,
}

/// A text that the template writes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Literal {
    pub(crate) marker: Marker,
    pub(crate) mark: Mark,
    /// Whether a reply must have it.
    pub(crate) is_required: bool,
}

/// The function of a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LiteralRole {
    Opens,
    Closes,
    Separates,
    /// It does not distinguish anything: an id's prefix, or a constant attribute.
    Decorates,
}

/// The kinds of literals, by what they open, close or separate. Their texts are [`Marker`]s.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub(crate) enum Mark {
    HeaderOpen,
    /// A token that a header may begin with.
    HeaderStart,
    /// A header with its end, but without its opener.
    CompleteHeader,
    HeaderEnd,
    BodyClose,
    ReasoningOpen,
    ReasoningClose,
    ContentOpen,
    ContentClose,
    SectionOpen,
    SectionClose,
    ListOpen,
    ListClose,
    CallOpen,
    CallClose,
    CallSeparator,
    /// The separator of two calls in a list.
    ListSeparator,
    IdPrefix,
    IdSuffix,
    NamePrefix,
    NameSuffix,
    /// The end of a varying word after a name or a key.
    WordEnd,
    ArgumentsOpen,
    KeyOpen,
    KeyClose,
    ValueClose,
    ArgumentSeparator,
    /// The closer after the arguments of a named call.
    NamedClose,
    TurnEnd,
    /// A token of the checkpoint that may precede calls without markers.
    CallToken,
    /// A control token without a meaning at its position.
    Stray,
}

/// A position for data.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) enum Slot {
    Reasoning,
    Content,
    Header(Header),
    /// The name of a tool, after a namespace that is not part of it.
    Name {
        namespace: Text,
    },
    Id,
    /// A varying word. If `of_texts` is not empty, the word says whether a value is a string.
    Word {
        of_texts: List<Text>,
    },
    /// Arguments as JSON.
    Json,
    /// Arguments as assignments.
    Assignments {
        assign: Text,
        separator: Text,
        quote: Text,
        close: Text,
    },
    Key,
    /// The value of a tagged argument, and the quoting of some strings in it.
    Value {
        quoting: Quoting,
    },
    /// The value of an argument whose parts are tags as well.
    Tags {
        item: Text,
        /// The parts of the closing tag around the key.
        close_prefix: Marker,
        close_suffix: Marker,
    },
    /// A complete call as a JSON object.
    Object(JsonCall),
}

/// The header of a message.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Header {
    /// The words of a header of reasoning.
    pub(crate) reasoning: List<Text>,
    /// The words of a header of content.
    pub(crate) content: List<Text>,
    /// The text before a tool's name.
    pub(crate) recipient: Text,
    pub(crate) namespace: Text,
    /// The text after a tool's name.
    pub(crate) suffix: Text,
    /// The closers of reasoning and of content.
    pub(crate) closers: [Marker; 2],
}

impl Mark {
    /// Whether it opens one call or all calls.
    pub(crate) fn opens_call(self) -> bool {
        matches!(self, Self::SectionOpen | Self::CallOpen | Self::NamePrefix | Self::CallToken)
    }

    /// Whether it opens or closes one call or all calls.
    pub(crate) fn is_of_calls(self) -> bool {
        self.opens_call() || matches!(self, Self::SectionClose | Self::CallClose | Self::NamedClose)
    }

    /// The function of the literal.
    pub(crate) fn role(self) -> LiteralRole {
        match self {
            Self::HeaderOpen
            | Self::HeaderStart
            | Self::CompleteHeader
            | Self::ReasoningOpen
            | Self::ContentOpen
            | Self::SectionOpen
            | Self::ListOpen
            | Self::CallOpen
            | Self::NamePrefix
            | Self::ArgumentsOpen
            | Self::KeyOpen => LiteralRole::Opens,
            Self::BodyClose
            | Self::ReasoningClose
            | Self::ContentClose
            | Self::SectionClose
            | Self::ListClose
            | Self::CallClose
            | Self::ValueClose
            | Self::NamedClose
            | Self::TurnEnd => LiteralRole::Closes,
            Self::HeaderEnd
            | Self::CallSeparator
            | Self::ListSeparator
            | Self::NameSuffix
            | Self::WordEnd
            | Self::KeyClose
            | Self::ArgumentSeparator => LiteralRole::Separates,
            Self::IdPrefix | Self::IdSuffix | Self::CallToken | Self::Stray => {
                LiteralRole::Decorates
            }
        }
    }
}

/// Whether a marker looks like a control token. People do not write a bar inside brackets.
pub(crate) fn looks_like_control(text: &str) -> bool {
    ["<|", "|>", "<｜", "｜>"].iter().any(|part| text.contains(part))
}

/// Selects the literals by which a call is recognised in free text: the outermost opener, and inner
/// openers that are markup. For `<call>` and `<f=`, it selects both: a reply may omit `<call>`. An
/// inner opener of plain words could be part of any text. `T` is a literal, or one with its id.
fn call_openers<'l, T>(
    literals: impl Iterator<Item = T>,
    literal: impl Fn(&T) -> &'l Literal + Copy,
) -> impl Iterator<Item = T> {
    let opens = |it: &Literal| it.mark.opens_call() && it.mark != Mark::CallToken;
    let openers = literals.filter(move |it| opens(literal(it)) && !literal(it).marker.is_none());
    let numbered = openers.enumerate();
    let known = numbered.filter(move |(depth, it)| *depth == 0 || literal(it).shows_call());
    known.map(|(_, it)| it)
}

impl LayoutPart {
    fn row<const N: usize>(parts: [LayoutPart; N]) -> Self {
        Self::Row(parts.into())
    }

    fn spellings(written: LayoutPart, others: Vec<LayoutPart>) -> Self {
        if others.is_empty() { written } else { Self::Spellings(Box::new(written), others) }
    }

    fn unit(self, unit: Unit) -> Self {
        Self::Unit(unit, Box::new(self))
    }

    fn optional(self) -> Self {
        Self::Optional(Box::new(self))
    }
}

impl Literal {
    /// A literal that a reply may omit, such as a separator.
    fn new(marker: Marker, mark: Mark) -> Self {
        Self { marker, mark, is_required: false }
    }

    /// Whether the literal alone shows that a call begins.
    pub(crate) fn shows_call(&self) -> bool {
        self.mark.opens_call() && self.marker.is_markup()
    }

    /// A literal that a reply must have, if the format has it.
    fn required(marker: &Marker, mark: Mark) -> Self {
        Self { marker: marker.clone(), mark, is_required: !marker.is_none() }
    }

    /// The same as `new`, with a marker of the format.
    fn free(marker: &Marker, mark: Mark) -> Self {
        Self::new(marker.clone(), mark)
    }

    /// An opener. A reply may omit the words after its first token, unless other openers begin with
    /// that token: `<|start|>` for `<|start|>calls`.
    fn with_short_spelling(self, format: &ReplyFormat) -> LayoutPart {
        let text = &self.marker.text;
        let token = text.split_once('>').filter(|(_, words)| !words.is_empty());
        let token = token.map(|(token, _)| format!("{token}>"));
        let is_clear = |token: &String| {
            let mut others = openers(format).filter(|other| *other != text);
            looks_like_control(token) && others.all(|other| !other.starts_with(&**token))
        };
        let Some(token) = token.filter(is_clear) else { return self.into() };
        let short = Marker { text: token.into(), ..self.marker.clone() };
        let short = Self { marker: short, ..self.clone() };
        LayoutPart::spellings(self.into(), vec![short.into()])
    }
}

impl From<Literal> for LayoutPart {
    fn from(literal: Literal) -> Self {
        Self::Literal(literal)
    }
}

/// The markers that may open a part of a reply or end the turn.
fn openers(format: &ReplyFormat) -> impl Iterator<Item = &str> {
    let tools = format.tools.iter().flat_map(|tools| {
        let [prefix, key_open] = match &tools.shape {
            CallShape::Named(call) => [&call.prefix, call.arguments.key_open()],
            CallShape::Json(_) => [&Marker::NONE; 2],
        };
        [&tools.section_open, &tools.call_open, prefix, key_open]
    });
    let reasoning = format.reasoning.iter().map(|reasoning| &reasoning.open);
    let others = [&format.content.open].into_iter().chain(format.turn.end.iter());
    tools.chain(reasoning).chain(others).map(|marker| &*marker.text)
}
