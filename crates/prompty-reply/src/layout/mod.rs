//! The layout of a reply: one tree of literals and slots, made from a format, that all its readers read.
//!
//! A format says what a template writes. The layout says what a reply has: which literals open, close,
//! separate or decorate, and which of them a reply must have, since nothing else tells two things apart. What
//! is not required is written by the grammars, and may be missing where a reply is read.

mod call;
mod order;
mod read;
mod reply;

pub(crate) use order::{Leaf, LeafId, Order};
pub(crate) use read::show_a_call;

use serde::Serialize;

use super::format::{CallShape, JsonCall, List, Marker, Quoting, ReplyFormat, Text};

/// A part of a reply.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) enum Part {
    Literal(Literal),
    Slot(Slot),
    /// Parts one behind the other.
    Row(Vec<Part>),
    /// One of some parts.
    Choice(Vec<Part>),
    /// A part as the template writes it, and others that a reply may have in its place.
    Spellings(Box<Part>, Vec<Part>),
    /// A part that a reply need not have.
    Optional(Box<Part>),
    /// A part, as often as the model likes, with a literal between two of them.
    Repeat {
        part: Box<Part>,
        separator: Literal,
        /// Whether a reply has it more than once.
        many: bool,
    },
    /// A part that readers know by name.
    Unit(Unit, Box<Part>),
}

/// The parts that readers know by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub(crate) enum Unit {
    /// Reasoning, with the markers around it.
    Reasoning,
    /// Content, with the markers around it.
    Content,
    /// All calls, with what stands around them and between them.
    Calls,
    /// One call, without the markers around it.
    Call,
    /// The arguments of a call.
    Arguments,
    /// One of them.
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

/// What a literal does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Opens,
    Closes,
    Separates,
    /// It tells nothing apart: an id's prefix, a constant attribute.
    Decorates,
}

/// Which literal it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub(crate) enum Mark {
    HeaderOpen,
    /// A token that a header may begin with.
    HeaderStart,
    /// A header with its end, and without its opener.
    WholeHeader,
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
    /// What stands between two calls of a list.
    ListSeparator,
    IdPrefix,
    IdSuffix,
    NamePrefix,
    NameSuffix,
    /// What ends a word that varies, behind a name or a key.
    WordEnd,
    ArgumentsOpen,
    KeyOpen,
    KeyClose,
    ValueClose,
    ArgumentSeparator,
    /// What stands behind the arguments of a named call.
    NamedClose,
    TurnEnd,
    /// A token of the checkpoint that may stand in front of calls without markers.
    CallToken,
    /// A control token that has no meaning where it stands.
    Stray,
}

/// A place where data stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) enum Slot {
    Reasoning,
    Content,
    Header(Header),
    /// The name of a tool, behind a namespace that is not part of it.
    Name {
        namespace: Text,
    },
    Id,
    /// A word that varies. Where there are some words for texts, it says whether a value is one.
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
    /// The value of a tagged argument, and how some texts in it are written.
    Value {
        quoting: Quoting,
    },
    /// The value of an argument whose parts are tags as well.
    Tags {
        item: Text,
        /// What stands around the key in the tag that closes it.
        close_prefix: Marker,
        close_suffix: Marker,
    },
    /// A whole call as a JSON object.
    Object(JsonCall),
}

/// The header of a message.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Header {
    /// What it says of reasoning.
    pub(crate) reasoning: List<Text>,
    /// What it says of content.
    pub(crate) content: List<Text>,
    /// What stands in front of a tool's name.
    pub(crate) recipient: Text,
    pub(crate) namespace: Text,
    /// What stands behind it.
    pub(crate) suffix: Text,
    /// What closes reasoning, and what closes content.
    pub(crate) closers: [Marker; 2],
}

impl Mark {
    /// Whether it opens all calls, or one.
    pub(crate) fn opens_call(self) -> bool {
        matches!(self, Self::SectionOpen | Self::CallOpen | Self::NamePrefix | Self::CallToken)
    }

    /// Whether it opens or closes all calls, or one.
    pub(crate) fn is_of_calls(self) -> bool {
        self.opens_call() || matches!(self, Self::SectionClose | Self::CallClose | Self::NamedClose)
    }

    /// What it does.
    pub(crate) fn role(self) -> Role {
        match self {
            Self::HeaderOpen
            | Self::HeaderStart
            | Self::WholeHeader
            | Self::ReasoningOpen
            | Self::ContentOpen
            | Self::SectionOpen
            | Self::ListOpen
            | Self::CallOpen
            | Self::NamePrefix
            | Self::ArgumentsOpen
            | Self::KeyOpen => Role::Opens,
            Self::BodyClose
            | Self::ReasoningClose
            | Self::ContentClose
            | Self::SectionClose
            | Self::ListClose
            | Self::CallClose
            | Self::ValueClose
            | Self::NamedClose
            | Self::TurnEnd => Role::Closes,
            Self::HeaderEnd
            | Self::CallSeparator
            | Self::ListSeparator
            | Self::NameSuffix
            | Self::WordEnd
            | Self::KeyClose
            | Self::ArgumentSeparator => Role::Separates,
            Self::IdPrefix | Self::IdSuffix | Self::CallToken | Self::Stray => Role::Decorates,
        }
    }
}

/// Whether a marker looks like a control token: people do not write a bar inside of brackets.
pub(crate) fn looks_like_control(mark: &str) -> bool {
    ["<|", "|>", "<｜", "｜>"].iter().any(|part| mark.contains(part))
}

/// Of some literals those by which a call is known in free text: the outermost opener, and those inside of it that
/// are markup.
fn call_openers<'l, T>(
    literals: impl Iterator<Item = T>,
    literal: impl Fn(&T) -> &'l Literal + Copy,
) -> impl Iterator<Item = T> {
    let opens = |it: &Literal| it.mark.opens_call() && it.mark != Mark::CallToken;
    let openers = literals.filter(move |it| opens(literal(it)) && !literal(it).marker.is_none());
    let numbered = openers.enumerate();
    let known = numbered.filter(move |(depth, it)| *depth == 0 || literal(it).shows_a_call());
    known.map(|(_, it)| it)
}

impl Part {
    fn row<const N: usize>(parts: [Part; N]) -> Self {
        Self::Row(parts.into())
    }

    fn spellings(written: Part, others: Vec<Part>) -> Self {
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
    fn new(marker: Marker, mark: Mark) -> Self {
        Self { marker, mark, is_required: false }
    }

    /// Whether it shows by itself that a call begins.
    pub(crate) fn shows_a_call(&self) -> bool {
        self.mark.opens_call() && self.marker.is_markup()
    }

    fn required(marker: &Marker, mark: Mark) -> Self {
        Self { marker: marker.clone(), mark, is_required: !marker.is_none() }
    }

    fn free(marker: &Marker, mark: Mark) -> Self {
        Self { marker: marker.clone(), mark, is_required: false }
    }

    /// An opener, which is still clear without the words behind its first token, unless others begin so.
    fn with_short(self, format: &ReplyFormat) -> Part {
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
        Part::spellings(self.into(), vec![short.into()])
    }
}

impl From<Literal> for Part {
    fn from(literal: Literal) -> Self {
        Self::Literal(literal)
    }
}

/// What may open a part of a reply, or end the turn.
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
