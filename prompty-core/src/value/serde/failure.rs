//! Serde errors, with the messages of this package.

use std::fmt::Display;

use serde_core::de::{self, Expected, Unexpected};
use serde_core::ser;

use crate::value::failure::{Failure, bounded, excerpt};

impl ser::Error for Failure {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(message.to_string())
    }
}

impl de::Error for Failure {
    /// Shortens the message, because it may quote input.
    fn custom<T: Display>(message: T) -> Self {
        Self::new(bounded(&message.to_string()))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::new(format!(
            "unknown variant `{}`, {}",
            excerpt(variant),
            one_of("variants", expected)
        ))
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self::new(format!("unknown field `{}`, {}", excerpt(field), one_of("fields", expected)))
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(format!("expected {expected}, found {}", describe(found)))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        <Self as de::Error>::invalid_type(found, expected)
    }
}

/// The expected names, in serde's style.
fn one_of(what: &str, names: &[&str]) -> String {
    match names {
        [] => format!("no {what} are allowed"),
        [only] => format!("expected `{only}`"),
        [one, other] => format!("expected `{one}` or `{other}`"),
        names => format!("expected one of `{}`", names.join("`, `")),
    }
}

/// What was found, in the terms of [`Value::kind_name`](crate::value::Value::kind_name).
pub(super) fn describe(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Str(text) => format!("string {:?}", excerpt(text)),
        Unexpected::Seq => "an array".to_owned(),
        Unexpected::Map => "an object".to_owned(),
        Unexpected::Unit => "null".to_owned(),
        // Serde describes 128-bit numbers in this form.
        Unexpected::Other(text) => match text.strip_suffix(" as i128") {
            Some(number) => number.to_owned(),
            None => text.to_owned(),
        },
        other => other.to_string(),
    }
}
