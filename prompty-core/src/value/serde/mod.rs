//! Conversion between values and serde types, and its errors.

mod deserialize;
mod deserializer;
mod failure;
mod serialize;

use super::Value;
use super::failure::Failure;
use crate::error::Error;

impl Value {
    /// Converts any serialisable value, without intermediate JSON text.
    ///
    /// ```
    /// # use prompty_core as typed_prompty;
    /// use typed_prompty::value::Value;
    ///
    /// let value = Value::from_serialize(&vec![("a", 1), ("b", 2)])?;
    /// assert_eq!(value.to_string(), r#"[["a", 1], ["b", 2]]"#);
    /// let pairs: Vec<(String, u8)> = value.deserialize()?;
    /// assert_eq!(pairs[1], ("b".to_owned(), 2));
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the type's own `Serialize` does, if the key of a map is not a string, an
    /// integer or a boolean, or if the data is nested deeper than [`MAX_DEPTH`](super::MAX_DEPTH).
    pub fn from_serialize<T: serde_core::Serialize + ?Sized>(value: &T) -> Result<Self, Error> {
        serialize::to_value(value)
    }

    /// Converts the value to a `T`.
    ///
    /// # Errors
    ///
    /// Returns an error with the place in the value if the value does not fit `T`.
    pub fn deserialize<T: serde_core::de::DeserializeOwned>(&self) -> Result<T, Error> {
        deserializer::from_value(self)
    }

    /// Like [`deserialize`](Self::deserialize), with the place separate from the message.
    #[doc(hidden)]
    pub fn deserialize_in_place<T>(&self) -> Result<T, Failure>
    where
        T: serde_core::de::DeserializeOwned,
    {
        deserializer::in_place(self)
    }

    /// The description of this value in errors about values of the wrong kind.
    #[doc(hidden)]
    pub fn found(&self) -> String {
        deserializer::found(self)
    }
}
