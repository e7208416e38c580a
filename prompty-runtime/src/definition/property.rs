//! A declared input, output or parameter (§2.7).

use std::fmt;

use prompty_core::diagnostic::Span;
use prompty_core::trace::{REDACTED, is_secret, redact, redact_entries};
use prompty_core::value::{Map, Value};

/// A declared input, output or parameter.
///
/// `Debug` shows no values of one whose name sounds like a credential's.
#[derive(Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Property {
    /// Its name; empty for the items of a list.
    pub name: String,
    /// Where the source names it; `None` where there is no source.
    pub name_span: Option<Span>,
    /// What kind of value it takes.
    pub kind: Kind,
    /// Where the source gives the kind.
    pub kind_span: Option<Span>,
    /// What it is for.
    pub description: Option<String>,
    /// Whether it must be given.
    pub required: bool,
    /// Whether `null` may be given.
    pub nullable: bool,
    /// What it is when it is not given.
    pub default: Option<Value>,
    /// Where the source gives the default.
    pub default_span: Option<Span>,
    /// An example for people; never used as a value.
    pub example: Option<Value>,
    /// The only values that it takes; empty when all are allowed.
    pub enum_values: Vec<Value>,
    /// Whether a union's kinds are given as `oneOf`: a value is of exactly one of them. Otherwise
    /// they are given as `anyOf`.
    pub one_of: bool,
    /// Whether a role line in this input is an error (segments only).
    pub strict: bool,
    /// Keys that the format does not have.
    pub unknown: Map,
}

impl fmt::Debug for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |value: &Option<Value>| match value {
            Some(_) if is_secret(&self.name) => Some(Value::from(REDACTED)),
            given => given.as_ref().map(redact),
        };
        f.debug_struct("Property")
            .field("name", &self.name)
            .field("name_span", &self.name_span)
            .field("kind", &self.kind)
            .field("kind_span", &self.kind_span)
            .field("description", &self.description)
            .field("required", &self.required)
            .field("nullable", &self.nullable)
            .field("default", &shown(&self.default))
            .field("default_span", &self.default_span)
            .field("example", &shown(&self.example))
            .field("enum_values", &self.enum_values)
            .field("one_of", &self.one_of)
            .field("strict", &self.strict)
            .field("unknown", &redact_entries(&self.unknown))
            .finish()
    }
}

impl Property {
    /// A property by its name and kind.
    pub fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self { name: name.into(), kind, ..Self::default() }
    }
}

/// What kind of value a property takes.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum Kind {
    /// Text.
    String,
    /// A whole number.
    Integer,
    /// A number.
    Float,
    /// `true` or `false`.
    Boolean,
    /// A list; its items are of one kind, where declared.
    Array(Option<Box<Property>>),
    /// A map; with its properties, where declared.
    Object(Vec<Property>),
    /// Messages of an earlier conversation.
    Thread,
    /// An image.
    Image,
    /// A file.
    File,
    /// A sound.
    Audio,
    /// One of several kinds.
    Union(Vec<Property>),
    /// No kind is given.
    #[default]
    Any,
    /// A kind that the format does not have, kept as it is written.
    Unknown(String),
}

impl Kind {
    /// Every kind that can be written, in the order in which help texts list them.
    pub const NAMES: [&'static str; 11] = [
        "string", "integer", "float", "boolean", "array", "object", "thread", "image", "file",
        "audio", "union",
    ];

    /// The kind's name as it is written; empty for [`Kind::Any`].
    pub fn name(&self) -> &str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Float => "float",
            Self::Boolean => "boolean",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
            Self::Thread => "thread",
            Self::Image => "image",
            Self::File => "file",
            Self::Audio => "audio",
            Self::Union(_) => "union",
            Self::Any => "",
            Self::Unknown(name) => name,
        }
    }

    /// Whether values of this kind are no text and travel as placeholders (§5.2).
    pub fn is_rich(&self) -> bool {
        matches!(self, Self::Thread | Self::Image | Self::File | Self::Audio)
    }
}
