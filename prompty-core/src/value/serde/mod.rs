//! Values and serde: reading, writing, and what errors say.

mod deserialize;
mod deserializer;
mod failure;
mod serialize;

use super::Value;
use super::failure::Failure;
use crate::error::Error;

impl Value {
    /// Any serialisable value as a [`Value`], without a detour through JSON text.
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
    /// Where the type's own `Serialize` reports an error, a map's key is no text or number, or the
    /// data is nested deeper than [`MAX_DEPTH`](super::MAX_DEPTH).
    pub fn from_serialize<T: serde_core::Serialize + ?Sized>(value: &T) -> Result<Self, Error> {
        serialize::to_value(value)
    }

    /// This value as a `T`.
    ///
    /// # Errors
    ///
    /// Where the value does not fit `T`; the message says where in the value.
    pub fn deserialize<T: serde_core::de::DeserializeOwned>(&self) -> Result<T, Error> {
        deserializer::from_value(self)
    }

    /// The same, with the place of a failure told apart from its message.
    #[doc(hidden)]
    pub fn deserialize_in_place<T>(&self) -> Result<T, Failure>
    where
        T: serde_core::de::DeserializeOwned,
    {
        deserializer::in_place(self)
    }

    /// What a failure says was found, where this value does not fit.
    #[doc(hidden)]
    pub fn found(&self) -> String {
        deserializer::found(self)
    }
}
