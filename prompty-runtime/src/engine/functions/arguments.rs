//! The arguments of a call of a host function, and their conversion into Rust types.

use std::sync::Arc;

use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::{Map, Value};

/// The arguments of a call, and the inputs of the render. Each call has its own copy.
#[derive(Debug, Clone, Default)]
pub struct Arguments {
    inputs: Map,
    named: Map,
    /// The arguments without a name.
    positional: Vec<Value>,
}

impl Arguments {
    /// Makes the arguments of a call that has none.
    pub(crate) fn new(inputs: Map) -> Self {
        Self { inputs, ..Self::default() }
    }

    /// Adds an argument, or replaces the one with the same name.
    pub(crate) fn set(&mut self, name: &Arc<str>, value: Value) {
        self.named.insert(Arc::clone(name), value);
    }

    /// Adds an argument without a name.
    pub(crate) fn push(&mut self, value: Value) {
        self.positional.push(value);
    }

    /// The argument of this name, or else the input of this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.own(name).or_else(|| self.inputs.get(name))
    }

    /// The call's own argument of this name.
    pub fn own(&self, name: &str) -> Option<&Value> {
        self.named.get(name)
    }

    /// The names of the call's arguments.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.named.keys()
    }

    /// The arguments as a list. Named arguments are one map at the end.
    pub(super) fn to_list(&self) -> Vec<Value> {
        let mut list = self.positional.clone();
        if !self.named.is_empty() {
            list.push(self.named.clone().into());
        }
        list
    }

    /// Converts the argument of a parameter into a Rust type.
    pub(super) fn read<T: FromArgument>(&self, name: &str) -> Result<T, Error> {
        let wanted = T::WANTED;
        let Some(value) = self.get(name) else {
            return T::missing().ok_or_else(|| {
                let message = format!("the argument `{name}` is missing");
                Error::new(ErrorKind::Render, message)
                    .with_help(format!("pass {wanted} as `{name}` in the call, or as an input"))
            });
        };
        T::from_argument(value).ok_or_else(|| {
            let message =
                format!("expected {wanted} for the argument `{name}`, found {}", value.kind_name());
            Error::new(ErrorKind::Render, message).with_help(format!("pass {wanted} as `{name}`"))
        })
    }
}

/// A Rust type that arguments of templates can have. Some templates can only write strings, so
/// numbers and booleans are also parsed from strings.
///
/// ```
/// # mod typed_prompty {
/// #     pub use prompty_core::value;
/// #     pub mod registry { pub use prompty_runtime::engine::FromArgument; }
/// # }
/// use typed_prompty::registry::FromArgument;
/// use typed_prompty::value::Value;
///
/// assert_eq!(i64::from_argument(&Value::from("42")), Some(42));
/// assert_eq!(Option::<bool>::from_argument(&Value::Null), Some(None));
/// ```
pub trait FromArgument: Sized {
    /// The expected values in an error's help text, such as `an integer`.
    const WANTED: &'static str;

    /// Converts the value; `None` if it has another type.
    fn from_argument(value: &Value) -> Option<Self>;

    /// The value of a missing argument; `None` if the argument is required.
    fn missing() -> Option<Self> {
        None
    }
}

impl FromArgument for Value {
    const WANTED: &'static str = "a value";

    fn from_argument(value: &Value) -> Option<Self> {
        Some(value.clone())
    }
}

impl<T: FromArgument> FromArgument for Option<T> {
    const WANTED: &'static str = T::WANTED;

    fn from_argument(value: &Value) -> Option<Self> {
        if value.is_null() { Some(None) } else { T::from_argument(value).map(Some) }
    }

    fn missing() -> Option<Self> {
        Some(None)
    }
}

impl<T: FromArgument> FromArgument for Vec<T> {
    const WANTED: &'static str = "a list";

    fn from_argument(value: &Value) -> Option<Self> {
        value.as_array()?.iter().map(T::from_argument).collect()
    }
}

impl FromArgument for Map {
    const WANTED: &'static str = "a map";

    fn from_argument(value: &Value) -> Option<Self> {
        value.as_object().cloned()
    }
}

impl FromArgument for Arc<str> {
    const WANTED: &'static str = "a string";

    fn from_argument(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Some(Arc::clone(text)),
            Value::Bool(_) | Value::Integer(_) | Value::Float(_) => Some(value.to_string().into()),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }
}

impl FromArgument for String {
    const WANTED: &'static str = <Arc<str>>::WANTED;

    fn from_argument(value: &Value) -> Option<Self> {
        <Arc<str>>::from_argument(value).map(|text| text.as_ref().to_owned())
    }
}

impl FromArgument for bool {
    const WANTED: &'static str = "`true` or `false`";

    fn from_argument(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(value) => Some(*value),
            Value::String(text) if text.trim().eq_ignore_ascii_case("true") => Some(true),
            Value::String(text) if text.trim().eq_ignore_ascii_case("false") => Some(false),
            _ => None,
        }
    }
}

impl FromArgument for f64 {
    const WANTED: &'static str = "a number";

    fn from_argument(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => text.trim().parse().ok(),
            value => value.as_f64(),
        }
    }
}

macro_rules! integers {
    ($($number:ty)*) => {$(
        impl FromArgument for $number {
            const WANTED: &'static str = "an integer";

            fn from_argument(value: &Value) -> Option<Self> {
                match value {
                    Value::Integer(number) => Self::try_from(*number).ok(),
                    Value::String(text) => text.trim().parse().ok(),
                    _ => None,
                }
            }
        }
    )*};
}

integers!(i32 i64 u32 u64 usize);
