//! The error of a conversion, with the place in the value.

use std::fmt::{self, Display, Formatter};

use super::Value;
use super::json::{JsonStyle, JsonWriter};
use crate::error::{Error, ErrorKind};

/// The maximum length of a quotation of an input, in characters.
const LONGEST_EXCERPT: usize = 40;

/// The maximum length of a message of another crate, in characters.
#[cfg(feature = "serde")]
const LONGEST_MESSAGE: usize = 1000;

/// The result of a conversion by serde.
#[cfg(feature = "serde")]
pub(super) type Result<T, E = Failure> = std::result::Result<T, E>;

/// The error of a conversion. Each level of the call stack adds its step of the path.
#[derive(Debug)]
pub struct Failure {
    // Boxed to keep results small.
    inner: Box<FailureData>,
}

#[derive(Debug)]
struct FailureData {
    message: String,
    /// The path from the place of the error outwards.
    path: Vec<PathStep>,
}

/// A step from a value to one that it contains.
#[derive(Debug, Clone)]
pub enum PathStep {
    /// To the entry of a map with this key.
    Name(String),
    /// To the item of a list with this index.
    Index(usize),
}

impl Failure {
    /// Creates an error at the current place.
    pub fn new(message: impl Into<String>) -> Self {
        Self { inner: Box::new(FailureData { message: message.into(), path: Vec::new() }) }
    }

    /// The error of data that is nested more than [`MAX_DEPTH`](super::MAX_DEPTH) levels deep.
    pub fn too_deep() -> Self {
        Self::new(format!("nested more than {} levels deep", super::MAX_DEPTH))
    }

    /// The same error with a key added as the next step outwards.
    #[must_use]
    pub fn in_name(mut self, name: &str) -> Self {
        self.inner.path.push(PathStep::Name(name.to_owned()));
        self
    }

    /// The same error with an index added as the next step outwards.
    #[must_use]
    pub fn in_index(mut self, index: usize) -> Self {
        self.inner.path.push(PathStep::Index(index));
        self
    }

    /// The same error with the innermost steps added. serde does not report them for data that it
    /// buffers, such as that of a flattened struct or a tagged enum.
    #[cfg(feature = "serde")]
    #[must_use]
    pub fn with_inner_steps(mut self, steps: Vec<PathStep>) -> Self {
        self.inner.path.splice(..0, steps.into_iter().rev());
        self
    }

    /// The message without the place.
    #[cfg(feature = "serde")]
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// The path to the place, from the outermost value.
    #[cfg(feature = "serde")]
    pub fn steps(&self) -> impl Iterator<Item = &PathStep> {
        self.inner.path.iter().rev()
    }

    /// The place as text, such as `passages[2].title`; empty for the outermost value.
    #[cfg(feature = "serde")]
    pub fn place(&self) -> String {
        let mut place = String::new();
        // Writing to a `String` cannot fail.
        let _ = self.write_place(&mut place);
        place
    }

    /// Writes `passages[2].title`; a name with other characters is quoted: `["a b"]`.
    fn write_place(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        for (position, step) in self.inner.path.iter().rev().enumerate() {
            let name = match step {
                PathStep::Index(index) => {
                    write!(out, "[{index}]")?;
                    continue;
                }
                PathStep::Name(name) => excerpt(name),
            };
            match position {
                _ if !is_plain(&name) => write!(out, "[{name:?}]")?,
                0 => out.write_str(&name)?,
                _ => write!(out, ".{name}")?,
            }
        }
        Ok(())
    }

    /// Converts it to the crate's error: `at passages[2].title: expected a string, found null`.
    pub fn into_error(self, kind: ErrorKind) -> Error {
        Error::new(kind, self.to_string())
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.inner.path.is_empty() {
            f.write_str("at ")?;
            self.write_place(f)?;
            f.write_str(": ")?;
        }
        f.write_str(&self.inner.message)
    }
}

impl std::error::Error for Failure {}

/// The beginning of a text, short enough for a message.
pub fn excerpt(text: &str) -> String {
    first_characters(text, LONGEST_EXCERPT)
}

/// The beginning of a value as JSON text, short enough for a message. The rest of the value is not
/// written.
pub fn json_excerpt(value: &Value) -> String {
    let mut writer = JsonWriter::new(ExcerptWriter(String::new()), JsonStyle::SPACED);
    // The writer returns an error once the text is longer than an excerpt.
    let _ = writer.value(value);
    excerpt(&writer.into_inner().0)
}

/// Text that is cut after the first character that is not part of an excerpt.
struct ExcerptWriter(String);

impl fmt::Write for ExcerptWriter {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let left = (LONGEST_EXCERPT + 1).saturating_sub(self.0.chars().count());
        self.0.extend(text.chars().take(left));
        if self.0.chars().count() > LONGEST_EXCERPT { Err(fmt::Error) } else { Ok(()) }
    }
}

/// A message of another crate, shortened if it is too long.
#[cfg(feature = "serde")]
pub fn bounded(message: &str) -> String {
    first_characters(message, LONGEST_MESSAGE)
}

fn first_characters(text: &str, length: usize) -> String {
    let mut beginning: String = text.chars().take(length).collect();
    if beginning.len() < text.len() {
        beginning.push('…');
    }
    beginning
}

/// Whether a name can follow a dot in a path. `…` is the end of an excerpt.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '…'))
}

#[cfg(test)]
mod tests {
    use super::Failure;

    #[test]
    fn a_path_is_written_in_dots_and_brackets() {
        let failure = Failure::new("no").in_name("title").in_index(2).in_name("passages");
        assert_eq!(failure.to_string(), "at passages[2].title: no");
        assert_eq!(
            Failure::new("no").in_name("a b").in_index(0).to_string(),
            "at [0][\"a b\"]: no"
        );
        assert_eq!(Failure::new("no").to_string(), "no");
    }

    #[test]
    fn a_long_name_is_cut() {
        let failure = Failure::new("no").in_name(&"é".repeat(1000));
        assert_eq!(failure.to_string(), format!("at {}…: no", "é".repeat(40)));
    }
}
