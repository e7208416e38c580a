//! Values that generated code converts for the engine or for `tojson`. A conversion by `Serialize`
//! can fail.

use std::cell::RefCell;

use prompty_core::error::Error;
use prompty_core::value::Value;

/// The result of a conversion: a value, or a result of one.
pub trait IntoConverted {
    /// The value.
    ///
    /// # Errors
    ///
    /// Returns an error if the conversion failed.
    fn into_converted(self) -> Result<Value, Error>;
}

impl IntoConverted for Value {
    #[inline]
    fn into_converted(self) -> Result<Value, Error> {
        Ok(self)
    }
}

/// Collects the first failure of several conversions. They are inside of closures, from which
/// generated code cannot return an error.
#[derive(Debug, Default)]
pub struct Failures(RefCell<Option<Error>>);

impl Failures {
    /// The value of a conversion; `null` if it failed.
    pub fn keep(&self, converted: impl IntoConverted) -> Value {
        converted.into_converted().unwrap_or_else(|error| {
            self.0.borrow_mut().get_or_insert(error);
            Value::Null
        })
    }

    /// Returns what was made of the values.
    ///
    /// # Errors
    ///
    /// Returns an error if a conversion failed.
    pub fn finish<T>(self, made: T) -> Result<T, Error> {
        self.0.into_inner().map_or(Ok(made), Err)
    }
}

/// The value of a conversion that cannot report an error; `null` if it failed.
pub fn value(converted: impl IntoConverted) -> Value {
    converted.into_converted().unwrap_or_default()
}
