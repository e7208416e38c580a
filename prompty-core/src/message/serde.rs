//! Messages through serde, in the forms that [`Message::from_value`] accepts.

use serde_core::de::{Deserialize, Deserializer, Error as _};
use serde_core::ser::{Serialize, Serializer};

use super::Message;
use super::convert::read_message;
use crate::value::Value;

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = <Value as Deserialize>::deserialize(deserializer)?;
        read_message(&value).map_err(D::Error::custom)
    }
}
