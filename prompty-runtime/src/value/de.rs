use super::Value;
use crate::error::{Error, ErrorKind};
pub(super) fn from_value<T: serde_core::de::DeserializeOwned>(_value: &Value) -> Result<T, Error> {
    Err(Error::new(ErrorKind::Conversion, ""))
}
