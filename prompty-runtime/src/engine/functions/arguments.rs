//! What a function of the host is called with, and what Rust makes of it.

use std::sync::Arc;

use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::{Map, Value};

/// What a function is called with: the arguments of the call, and behind them the inputs of the render.
/// Each call has its own, so none can change those of another.
#[derive(Debug, Clone, Default)]
pub struct Arguments {
    inputs: Map,
    named: Map,
    /// The arguments that have no name.
    positional: Vec<Value>,
}

impl Arguments {
    /// Those of a call that gives none.
    pub(crate) fn new(inputs: Map) -> Self {
        Self { inputs, ..Self::default() }
    }

    /// Adds an argument; one of the same name is replaced.
    pub(crate) fn set(&mut self, name: &Arc<str>, value: Value) {
        self.named.insert(Arc::clone(name), value);
    }

    /// Adds an argument without a name.
    pub(crate) fn push(&mut self, value: Value) {
        self.positional.push(value);
    }

    /// The argument of a name, given by the call or among the inputs.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.own(name).or_else(|| self.inputs.get(name))
    }

    /// The argument that the call gives by this name.
    pub fn own(&self, name: &str) -> Option<&Value> {
        self.named.get(name)
    }

    /// The names that the call gives.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.named.keys()
    }

    /// The arguments as a list; those with a name are one map behind the others.
    pub(super) fn listed(&self) -> Vec<Value> {
        let mut list = self.positional.clone();
        if !self.named.is_empty() {
            list.push(self.named.clone().into());
        }
        list
    }

    /// The argument of a parameter as a Rust type.
    pub(super) fn read<T: FromArgument>(&self, name: &str) -> Result<T, Error> {
        let wanted = T::WANTED;
        let Some(value) = self.get(name) else {
            return T::missing().ok_or_else(|| {
                let message = format!("the argument `{name}` is missing");
                Error::new(ErrorKind::Render, message)
                    .with_help(format!("give {wanted} as `{name}`, in the call or as an input"))
            });
        };
        T::from_argument(value).ok_or_else(|| {
            let message =
                format!("the argument `{name}` is no value of its type: {}", value.kind_name());
            Error::new(ErrorKind::Render, message).with_help(format!("`{name}` must be {wanted}"))
        })
    }
}

/// A Rust type that arguments of templates can have. In a template texts alone can be written, so
/// numbers and truth values are read from texts, too.
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
    /// What values it takes, as a help text says it: `a whole number`.
    const WANTED: &'static str;

    /// The value; `None` if it is no such value.
    fn from_argument(value: &Value) -> Option<Self>;

    /// What it is where no argument is given; `None` if there must be one.
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
    const WANTED: &'static str = "a text";

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

macro_rules! whole_numbers {
    ($($number:ty)*) => {$(
        impl FromArgument for $number {
            const WANTED: &'static str = "a whole number";

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

whole_numbers!(i32 i64 u32 u64 usize);
