//! The type of the values that an input takes.

use super::Input;
use prompty_core::message::RichKind;

/// The type of the values that an input takes.
///
/// The format calls it the `kind` of an input. The parts of a type are inputs, too: the items of a list,
/// the fields of an object, and the branches of a union.
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
    /// A string that is one of these.
    Choice(Vec<String>),
    /// A list, with the description of its items, if they are declared.
    Array(Option<Box<Input>>),
    /// A map with these fields. Without declared fields, it may have any.
    Object(Vec<Input>),
    /// A thread, an image, a file or audio.
    Rich(RichKind),
    /// A value of one of several types.
    Union(Vec<Input>),
    /// A value of this type, or `null`.
    Optional(Box<ValueType>),
    /// A Rust type whose fields only rustc knows.
    Foreign(String),
    /// A kind that the format does not define, as the source writes it.
    Unknown(String),
}

impl ValueType {
    /// The types whose values are not rich, in the order in which help texts list them.
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

    /// The names of all types in the format, in the order in which help texts list them.
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

    /// The type of a name, without items or fields; `None` for `union` and for other names.
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

    /// The rich kind, if values of this type are not text (§5.2).
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

    /// The declared fields, if values of this type are maps that have these and no others.
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
