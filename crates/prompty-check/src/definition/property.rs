//! A declared input, output or parameter (§2.7).

use std::fmt;

use super::host::{Fields, NamedHostParts};
use prompty_core::diagnostic::Span;
use prompty_core::message::{RichKind, ThreadRoles};
use prompty_core::trace::{REDACTED, is_secret};
use prompty_core::value::{Map, Value};

/// A declared input, output or parameter.
///
/// `Debug` hides the values of a property whose name looks like the name of a credential.
#[derive(Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Property {
    /// The name; empty for the items of a list.
    pub name: String,
    /// The span of the name in the source; `None` if there is no source.
    pub name_span: Option<Span>,
    /// The kind of its values.
    pub kind: Kind,
    /// The span of the kind in the source.
    pub kind_span: Option<Span>,
    /// The description.
    pub description: Option<String>,
    /// Whether a value must be given.
    pub required: bool,
    /// Whether `null` may be given.
    pub nullable: bool,
    /// The value that is used if none is given.
    pub default: Option<Value>,
    /// The span of the default in the source.
    pub default_span: Option<Span>,
    /// An example for people. It is never used as a value.
    pub example: Option<Value>,
    /// The allowed values; empty if every value of the kind is allowed.
    pub enum_values: Vec<Value>,
    /// Whether the kinds of a union are given as `oneOf` (a value has exactly one of the kinds) and
    /// not as `anyOf`.
    pub one_of: bool,
    /// Whether a role line in this input is an error. Only renders to segments check this.
    pub strict: bool,
    /// The roles that the messages of a thread may have. This key is ours; the specification has none.
    pub roles: ThreadRoles,
    /// A JSON schema that values of the input must follow. This key (`jsonSchema`) is ours.
    pub schema: Option<Value>,
    /// The keys that the format does not define.
    pub unknown: Map,
    pub(super) host: NamedHostParts,
}

impl fmt::Debug for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_secret = is_secret(&self.name);
        let secret = Value::from(REDACTED);
        let shown = |value| if is_secret { &secret } else { value };
        Fields::new(f, "Property", &self.host.parts)
            .name("name", &self.name, &self.host.name)
            .safe("name_span", &self.name_span)
            .field("kind", "kind", &self.kind)
            .safe("kind_span", &self.kind_span)
            .field("description", "description", &self.description)
            .field("required", "required", &self.required)
            .field("nullable", "nullable", &self.nullable)
            .value("default", "default", self.default.as_ref().map(shown))
            .safe("default_span", &self.default_span)
            .value("example", "example", self.example.as_ref().map(shown))
            .field("enum_values", "enumValues", &self.enum_values)
            .safe("one_of", &self.one_of)
            .field("strict", "strict", &self.strict)
            .field("roles", "roles", &self.roles)
            .field("schema", "jsonSchema", &self.schema)
            .unknown(&self.unknown)
            .finish()
    }
}

impl Property {
    /// Makes a property from its name and its kind.
    pub fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self { name: name.into(), kind, ..Self::default() }
    }
}

/// The kind of a property's values.
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
    /// A list, with the property that describes its items, if it is declared.
    Array(Option<Box<Property>>),
    /// A map, with its declared properties.
    Object(Vec<Property>),
    /// A thread, an image, a file or audio.
    Rich(RichKind),
    /// One of several kinds.
    Union(Vec<Property>),
    /// Any kind, because none is given.
    #[default]
    Any,
    /// A kind that the format does not define, as the source writes it.
    Unknown(String),
}

impl Kind {
    /// The names of all kinds, in the order in which help texts list them.
    pub const NAMES: [&'static str; 11] = [
        "string", "integer", "float", "boolean", "array", "object", "thread", "image", "file",
        "audio", "union",
    ];

    /// The name of the kind in a source; empty for [`Kind::Any`].
    pub fn name(&self) -> &str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Float => "float",
            Self::Boolean => "boolean",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
            Self::Rich(kind) => kind.name(),
            Self::Union(_) => "union",
            Self::Any => "",
            Self::Unknown(name) => name,
        }
    }

    /// The kind of a name, without items or properties; `None` for `union` and for other names.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "" => Self::Any,
            "string" => Self::String,
            "integer" => Self::Integer,
            "float" => Self::Float,
            "boolean" => Self::Boolean,
            "array" => Self::Array(None),
            "object" => Self::Object(Vec::new()),
            name => Self::Rich(RichKind::from_name(name)?),
        })
    }

    /// The rich kind, if values of this kind are not text (§5.2).
    pub fn rich(&self) -> Option<RichKind> {
        match self {
            Self::Rich(kind) => Some(*kind),
            _ => None,
        }
    }
}
