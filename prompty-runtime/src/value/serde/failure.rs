//! What serde reports, in the words of the crate.

use std::fmt::Display;

use serde_core::de::{self, Expected, Unexpected};
use serde_core::ser;

use crate::value::{Failure, excerpt};

impl ser::Error for Failure {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(message.to_string())
    }
}

impl de::Error for Failure {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(format!("expected {expected}, found {}", describe(found)))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        <Self as de::Error>::invalid_type(found, expected)
    }
}

/// What was found, in the words of [`Value::kind_name`](crate::value::Value::kind_name).
fn describe(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Str(text) => format!("text {:?}", excerpt(text)),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "a map".to_owned(),
        Unexpected::Unit => "null".to_owned(),
        other => other.to_string(),
    }
}
