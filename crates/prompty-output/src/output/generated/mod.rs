//! Items that generated code needs from this module. They are not part of the public interface.

mod growth;
pub mod kinds;

pub use growth::*;
pub use prompty_core::schema::shape::Shape;

use std::sync::OnceLock;

pub use {schemars, serde};

use super::Output;
use prompty_core::Error;

/// The output of a prompt in a program.
#[derive(Debug)]
pub struct StaticOutput<T> {
    make: fn() -> Output<T>,
    output: OnceLock<Output<T>>,
    requirement: OnceLock<Result<String, Error>>,
}

impl<T> StaticOutput<T> {
    /// Creates an output whose schema is computed when it is needed.
    pub const fn new(make: fn() -> Output<T>) -> Self {
        Self { make, output: OnceLock::new(), requirement: OnceLock::new() }
    }

    /// The output.
    pub fn output(&self) -> &Output<T> {
        self.output.get_or_init(self.make)
    }

    /// The text about the output for a template.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Output::requirement`].
    pub fn requirement(&self) -> Result<&String, Error> {
        let make = || self.output().requirement().map(|requirement| requirement.in_template());
        self.requirement.get_or_init(make).as_ref().map_err(Error::duplicate)
    }

    /// The text about the output for a template; empty if [`StaticOutput::requirement`] returns an
    /// error.
    pub fn requirement_text(&self) -> &String {
        static EMPTY: String = String::new();
        self.requirement().unwrap_or(&EMPTY)
    }
}

/// Parses a schema that a macro generated.
pub fn schema(json: &str) -> schemars::Schema {
    let value: Option<serde_json::Value> = serde_json::from_str(json).ok();
    value.and_then(|value| value.try_into().ok()).unwrap_or_default()
}
