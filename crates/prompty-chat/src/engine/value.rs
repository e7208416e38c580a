//! The values of a render. They behave like Python's values: a list has an identity and can change.

use super::arguments::{any_names, named, positional};
use super::fault::{Fault, FaultResult};
use super::table::{Entry, Table, find};
use super::text::Text;
use prompty_core::value::Value;

/// The result of a step, usually a value.
pub(super) type Outcome<T = Val> = FaultResult<T>;

/// Errors that name the type of a value.
impl Fault {
    /// The error for a value of a wrong type: `a value of type int has no length`.
    pub(super) fn wrong_type(value: &Val, fact: &str) -> Self {
        Self::render(format!("a value of type {} {fact}", value.type_name()))
    }

    /// The error for a value of another type than the expected one.
    pub(super) fn unexpected(expectation: &str, found: &Val) -> Self {
        Self::render(format!("{expectation}, found a value of type {}", found.type_name()))
    }
}

/// The memory of a value in a list, in bytes.
pub(super) const VALUE_BYTES: usize = size_of::<Val>();

/// A value. A number refers to an entry of the [`Heap`](super::heap::Heap): two values with the
/// same number are the same list, map and so on.
#[derive(Debug, Clone)]
pub(super) enum Val {
    Undefined,
    None,
    Bool(bool),
    Integer(i128),
    Float(f64),
    String(Text),
    /// A string after the filter `safe`. Apart from that, it is like other strings.
    Safe(Text),
    List(u32),
    Tuple(u32),
    Dict(u32),
    Namespace(u32),
    Function(Function),
    /// A method of a value.
    Method(u32),
    Macro(u32),
    Loop(u32),
    /// The result of `cycler`: a list of the index of the next item, and the items.
    Cycler(u32),
    /// The result of `joiner`: a list of the separator. After the first call it has a second item.
    Joiner(u32),
}

impl Val {
    /// A short string of the engine.
    pub(super) fn literal(text: &'static str) -> Self {
        Self::String(Text::literal(text))
    }

    /// Converts a value that has no items.
    #[inline]
    pub(super) fn of_scalar(value: &Value) -> Option<Self> {
        Some(match value {
            Value::Null => Self::None,
            Value::Bool(value) => Self::Bool(*value),
            Value::Integer(number) => Self::Integer(*number),
            Value::Float(number) => Self::Float(*number),
            Value::String(text) => Self::String(Text::shared(text)),
            Value::Array(_) | Value::Object(_) => return None,
        })
    }

    /// The string, if this is one.
    pub(super) fn as_text(&self) -> Option<&Text> {
        match self {
            Self::String(text) | Self::Safe(text) => Some(text),
            _ => None,
        }
    }

    /// The integer, if this is one. Booleans are integers, as in Python.
    pub(super) fn as_integer(&self) -> Option<i128> {
        match self {
            Self::Integer(number) => Some(*number),
            Self::Bool(value) => Some(i128::from(*value)),
            _ => None,
        }
    }

    /// The number, if this is one.
    #[expect(clippy::cast_precision_loss, reason = "the caller asks for a float")]
    pub(super) fn as_float(&self) -> Option<f64> {
        match self {
            Self::Float(number) => Some(*number),
            _ => self.as_integer().map(|number| number as f64),
        }
    }

    pub(super) fn is_undefined(&self) -> bool {
        matches!(self, Self::Undefined)
    }

    /// The name of the type in Python.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Undefined => "Undefined",
            Self::None => "NoneType",
            Self::Bool(_) => "bool",
            Self::Integer(_) => "int",
            Self::Float(_) => "float",
            Self::String(_) | Self::Safe(_) => "str",
            Self::List(_) => "list",
            Self::Tuple(_) => "tuple",
            Self::Dict(_) => "dict",
            Self::Namespace(_) => "Namespace",
            Self::Function(_) | Self::Method(_) => "function",
            Self::Macro(_) => "Macro",
            Self::Loop(_) => "LoopContext",
            Self::Cycler(_) => "Cycler",
            Self::Joiner(_) => "Joiner",
        }
    }
}

impl From<usize> for Val {
    fn from(number: usize) -> Self {
        Self::Integer(i128::try_from(number).unwrap_or(i128::MAX))
    }
}

/// The built-in functions of templates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Range,
    Dict,
    Namespace,
    Cycler,
    Joiner,
    RaiseException,
    StrftimeNow,
}

impl Function {
    /// All functions, with their names.
    pub(super) const ALL: &Table<Self> = &[
        (&["range"], positional(3), Self::Range),
        (&["dict"], any_names(1), Self::Dict),
        (&["namespace"], any_names(1), Self::Namespace),
        (&["cycler"], positional(usize::MAX), Self::Cycler),
        (&["joiner"], named(&["sep"]), Self::Joiner),
        (&["raise_exception"], named(&["message"]), Self::RaiseException),
        (&["strftime_now"], named(&["format"]), Self::StrftimeNow),
    ];

    /// Its name in error messages, and its parameters.
    pub(super) fn entry(self) -> Option<&'static Entry<Self>> {
        Self::ALL.iter().find(|(.., function)| *function == self)
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        find(Self::ALL, name).map(|(_, _, function)| *function)
    }
}
