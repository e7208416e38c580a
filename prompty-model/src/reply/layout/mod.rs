//! The layout of a reply: one tree of literals and slots, made from a format, that all its readers read.
//!
//! A format says what a template writes. The layout says what a reply has: which literals open, close,
//! separate or decorate, and which of them a reply must have, since nothing else tells two things apart. What
//! is not required is written by the grammars, and may be missing where a reply is read.

mod call;
mod order;
mod read;
mod reply;

pub(in crate::reply) use order::{Leaf, LeafId, Order};
pub(in crate::reply) use read::show_a_call;

use serde::Serialize;

use super::format::{JsonCall, List, Marker, ReplyFormat, Text};

/// A part of a reply.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(in crate::reply) enum Part {
    Literal(Literal),
    Slot(Slot),
    /// Parts one behind the other.
    Row(Vec<Part>),
    /// One of some parts.
    Choice(Vec<Part>),
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
pub(in crate::reply) enum Unit {
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
pub(in crate::reply) struct Literal {
    pub(in crate::reply) marker: Marker,
    pub(in crate::reply) mark: Mark,
    /// Whether a reply must have it.
    pub(in crate::reply) is_required: bool,
}

/// What a literal does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::reply) enum Role {
    Opens,
    Closes,
    Separates,
    /// It tells nothing apart: an id's prefix, a constant attribute.
    Decorates,
}

/// Which literal it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub(in crate::reply) enum Mark {
    HeaderOpen,
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
}

/// A place where data stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(in crate::reply) enum Slot {
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
    /// The value of a tagged argument.
    Value,
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
pub(in crate::reply) struct Header {
    /// What it says of reasoning.
    pub(in crate::reply) reasoning: List<Text>,
    /// What it says of content.
    pub(in crate::reply) content: List<Text>,
    /// What stands in front of a tool's name.
    pub(in crate::reply) recipient: Text,
    pub(in crate::reply) namespace: Text,
    /// What stands behind it.
    pub(in crate::reply) suffix: Text,
    /// What closes reasoning, and what closes content.
    pub(in crate::reply) closers: [Marker; 2],
}

impl Mark {
    /// What it does.
    pub(in crate::reply) fn role(self) -> Role {
        match self {
            Self::HeaderOpen
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
            Self::IdPrefix | Self::IdSuffix => Role::Decorates,
        }
    }
}

impl Part {
    /// The layout of replies of a format.
    pub(in crate::reply) fn of_format(format: &ReplyFormat) -> Self {
        reply::layout(format)
    }

    fn row(parts: impl IntoIterator<Item = Part>) -> Self {
        Self::Row(parts.into_iter().collect())
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

    /// Whether a call begins with it, as far as no other opener stands in front of it.
    pub(in crate::reply) fn opens_a_call(&self) -> bool {
        matches!(self.mark, Mark::SectionOpen | Mark::CallOpen | Mark::NamePrefix)
    }

    fn required(marker: &Marker, mark: Mark) -> Part {
        Part::Literal(Self { marker: marker.clone(), mark, is_required: !marker.is_none() })
    }

    fn free(marker: &Marker, mark: Mark) -> Part {
        Part::Literal(Self { marker: marker.clone(), mark, is_required: false })
    }
}
