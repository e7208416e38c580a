//! The description of an input, an output or a parameter (Prompty §2.7).

use std::fmt;

use super::host::{DebugFields, NamedHostParts};
use prompty_core::diagnostic::SourceSpan;
use prompty_core::message::{RichKind, ThreadRoles};
use prompty_core::trace::{REDACTED, is_secret};
use prompty_core::value::{Map, Value};

/// An input of a prompt. Outputs, parameters of tools, and parts of types are inputs, too.
///
/// `Debug` hides the values of an input whose name looks like the name of a credential.
#[derive(Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Input {
    /// The name; empty for the items of a list.
    pub name: String,
    /// The span of the name in the source; `None` if Rust code declares the input.
    pub name_span: Option<SourceSpan>,
    /// The type of its values.
    pub value_type: ValueType,
    /// The span of the type's name, which is under `kind` in the source.
    pub kind_span: Option<SourceSpan>,
    /// The description.
    pub description: Option<String>,
    /// Whether a value must be given.
    pub required: bool,
    /// The value that is used if none is given.
    pub default: Option<Value>,
    /// The span of the default in the source.
    pub default_span: Option<SourceSpan>,
    /// An example for people. It is never used as a value.
    pub example: Option<Value>,
    /// The allowed values, as they are declared; empty if every value of the type is allowed. If
    /// all are strings, the type is a [`ValueType::Choice`].
    pub enum_values: Vec<Value>,
    /// Whether the types of a union are under `oneOf` (exactly one matches) and not `anyOf`.
    pub one_of: bool,
    /// Whether a role line in this input is an error. Only renders to segments check it.
    pub strict: bool,
    /// The roles that the messages of a thread may have. This key is an extension of the format.
    pub roles: ThreadRoles,
    /// A JSON schema that values of the input must follow. This key (`jsonSchema`) is an extension.
    pub schema: Option<Value>,
    /// The keys that the format does not define.
    pub unknown: Map,
    /// The parts of these fields that came from the host. `Debug` hides them.
    pub(super) host: NamedHostParts,
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_secret = is_secret(&self.name);
        let secret = Value::from(REDACTED);
        let shown = |value| if is_secret { &secret } else { value };
        DebugFields::new(f, "Input", &self.host.parts)
            .name("name", &self.name, &self.host.name)
            .shown_as_is("name_span", &self.name_span)
            .field("value_type", self.key_of_type(), &self.value_type)
            .shown_as_is("kind_span", &self.kind_span)
            .field("description", "description", &self.description)
            .field("required", "required", &self.required)
            .value("default", "default", self.default.as_ref().map(shown))
            .shown_as_is("default_span", &self.default_span)
            .value("example", "example", self.example.as_ref().map(shown))
            .field("enum_values", "enumValues", &self.enum_values)
            .shown_as_is("one_of", &self.one_of)
            .field("strict", "strict", &self.strict)
            .field("roles", "roles", &self.roles)
            .field("schema", "jsonSchema", &self.schema)
            .unknown(&self.unknown)
            .finish()
    }
}

impl Input {
    /// Creates an input that must be given, from its name and its type.
    pub fn new(name: impl Into<String>, value_type: ValueType) -> Self {
        Self { name: name.into(), value_type, required: true, ..Self::default() }
    }

    /// Returns the same input as an optional one.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.required = false;
        self
    }

    /// Returns the same input with the span of its name in the source.
    #[doc(hidden)]
    #[must_use]
    pub fn at(mut self, span: SourceSpan) -> Self {
        self.name_span = Some(span);
        self
    }

    /// Whether a template finds a value for the input. The default `null` is not a value.
    pub fn presence(&self) -> Presence {
        match &self.default {
            Some(default) if !default.is_null() => Presence::Defaulted,
            _ if self.required && !self.value_type.is_nullable() => Presence::Required,
            _ => Presence::Optional,
        }
    }

    /// The key that the type was read from. `Debug` hides the type if the value of that key came
    /// from the host.
    fn key_of_type(&self) -> &'static str {
        let lists_values = self.value_type.choices().is_some();
        if lists_values && self.host.parts.entry("enumValues").any() {
            "enumValues"
        } else {
            "kind"
        }
    }
}

/// Whether a template finds a value for an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Presence {
    /// It must be given.
    Required,
    /// It has a default.
    Defaulted,
    /// It may be missing.
    Optional,
}

/// The type of the values of an input.
///
/// The format calls it the `kind` of an input. The items of a list, the fields of an object and the
/// branches of a union are described as inputs, too.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum ValueType {
    /// Any type, because none is given.
    #[default]
    Any,
    /// A string.
    String,
    /// An integer.
    Integer,
    /// A number.
    Float,
    /// `true` or `false`.
    Boolean,
    /// A string that is one of these values.
    Choice(Vec<String>),
    /// A list. Its items are described if they are declared.
    Array(Option<Box<Input>>),
    /// A map with these fields. Without declared fields it may have any fields.
    Object(Vec<Input>),
    /// A thread, an image, a file or audio.
    Rich(RichKind),
    /// A value of one of several types.
    Union(Vec<Input>),
    /// A value of this type, or `null`.
    Optional(Box<ValueType>),
    /// A Rust type whose fields only rustc knows, as it is written. The text is empty if a macro
    /// does not see the type, such as that of a field of another Rust type.
    Foreign(String),
    /// A kind that the format does not define, as the source writes it.
    Unknown(String),
}

impl ValueType {
    /// The types whose values are not rich, in the order of help texts.
    const PLAIN: [Self; 6] = [
        Self::String,
        Self::Integer,
        Self::Float,
        Self::Boolean,
        Self::Array(None),
        Self::Object(Vec::new()),
    ];

    /// A list of values of a type.
    pub fn list_of(item: Self) -> Self {
        Self::Array(Some(Box::new(Input::new("", item))))
    }

    /// The names of all types in the format, in the order of help texts.
    #[doc(hidden)]
    pub fn names() -> Vec<&'static str> {
        let plain = Self::PLAIN.into_iter().map(|plain| plain.plain_name());
        let rich = RichKind::ALL.iter().map(|kind| kind.name());
        plain.chain(rich).chain(["union"]).collect()
    }

    /// The name of the type in the format; empty for [`ValueType::Any`].
    pub fn name(&self) -> &str {
        match self {
            Self::Optional(inner) => inner.name(),
            Self::Unknown(name) => name,
            plain => plain.plain_name(),
        }
    }

    fn plain_name(&self) -> &'static str {
        match self {
            Self::String | Self::Choice(_) => "string",
            Self::Integer => "integer",
            Self::Float => "float",
            Self::Boolean => "boolean",
            Self::Array(_) => "array",
            Self::Object(_) | Self::Foreign(_) => "object",
            Self::Rich(kind) => kind.name(),
            Self::Union(_) => "union",
            Self::Any | Self::Optional(_) | Self::Unknown(_) => "",
        }
    }

    /// The type with a name, without items or fields; `None` for `union` and unknown names.
    pub fn from_name(name: &str) -> Option<Self> {
        if name.is_empty() {
            return Some(Self::Any);
        }
        let plain = Self::PLAIN.into_iter().find(|plain| plain.plain_name() == name);
        plain.or_else(|| RichKind::from_name(name).map(Self::Rich))
    }

    /// Whether `null` is a value of the type.
    #[doc(hidden)]
    pub fn is_nullable(&self) -> bool {
        matches!(self, Self::Optional(_))
    }

    /// The type of the values that are not `null`.
    #[doc(hidden)]
    pub fn non_null(&self) -> &Self {
        match self {
            Self::Optional(inner) => inner.non_null(),
            other => other,
        }
    }

    /// The same type with `null` as a further value.
    #[doc(hidden)]
    #[must_use]
    pub fn nullable(self) -> Self {
        match self {
            Self::Optional(_) => self,
            other => Self::Optional(Box::new(other)),
        }
    }

    /// Another type, with `null` as a further value if this type has it.
    #[doc(hidden)]
    #[must_use]
    pub fn with_non_null(&self, other: Self) -> Self {
        if self.is_nullable() { other.nullable() } else { other }
    }

    /// The rich kind, if values of this type are not text (Prompty §5.2).
    pub fn rich(&self) -> Option<RichKind> {
        match self.non_null() {
            Self::Rich(kind) => Some(*kind),
            _ => None,
        }
    }

    /// The strings that are values of the type, if it lists them.
    #[doc(hidden)]
    pub fn choices(&self) -> Option<&[String]> {
        match self.non_null() {
            Self::Choice(values) => Some(values),
            _ => None,
        }
    }

    /// The type of the items, if values of this type are lists.
    pub fn item(&self) -> Option<&Self> {
        match self {
            Self::Array(item) => {
                Some(item.as_ref().map_or(const { &Self::Any }, |item| &item.value_type))
            }
            _ => None,
        }
    }

    /// The declared fields, if values of this type are maps with exactly these fields.
    #[doc(hidden)]
    pub fn fields(&self) -> Option<&[Input]> {
        match self {
            Self::Object(fields) if !fields.is_empty() => Some(fields),
            _ => None,
        }
    }

    /// Whether values of this type have no parts: strings, numbers and booleans.
    #[doc(hidden)]
    pub fn is_scalar(&self) -> bool {
        matches!(self, Self::String | Self::Integer | Self::Float | Self::Boolean | Self::Choice(_))
    }
}
