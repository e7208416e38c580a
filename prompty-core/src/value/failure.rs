//! Why a conversion failed, and at which place in the value.

use std::fmt::{self, Display, Formatter};

use crate::error::{Error, ErrorKind};

/// How many characters of an input a message quotes.
const EXCERPT: usize = 40;

/// The length of a message that may quote any text, in characters.
#[cfg(feature = "serde")]
const LONGEST: usize = 1000;

/// The result of a conversion by serde.
#[cfg(feature = "serde")]
pub(super) type Result<T, E = Failure> = std::result::Result<T, E>;

/// A failed conversion. On its way up to the caller, each level adds its step of the path.
#[derive(Debug)]
pub struct Failure {
    // Boxed, so that the results that carry it stay small.
    inner: Box<Inner>,
}

#[derive(Debug)]
struct Inner {
    message: String,
    /// From the place of the failure outwards.
    path: Vec<Step>,
}

/// One step from a value to what it holds.
#[derive(Debug, Clone)]
pub enum Step {
    /// To what a map has under a name.
    Name(String),
    /// To an item of a list.
    Index(usize),
}

impl Failure {
    /// A failure at the place that is being converted.
    pub fn new(message: impl Into<String>) -> Self {
        Self { inner: Box::new(Inner { message: message.into(), path: Vec::new() }) }
    }

    /// Data that lies deeper than [`MAX_DEPTH`](super::MAX_DEPTH).
    pub fn too_deep() -> Self {
        Self::new(format!("nested deeper than {} levels", super::MAX_DEPTH))
    }

    /// The same failure, with the name under which it is as the next step outwards.
    #[must_use]
    pub fn in_name(mut self, name: &str) -> Self {
        self.inner.path.push(Step::Name(name.to_owned()));
        self
    }

    /// The same failure, with the index of a list's item as the next step outwards.
    #[must_use]
    pub fn in_index(mut self, index: usize) -> Self {
        self.inner.path.push(Step::Index(index));
        self
    }

    /// The same failure, with the last steps of the path added. serde does not report them for data that
    /// it buffers, such as that of a flattened struct or a tagged enum.
    #[cfg(feature = "serde")]
    #[must_use]
    pub fn further_inside(mut self, steps: Vec<Step>) -> Self {
        self.inner.path.splice(..0, steps.into_iter().rev());
        self
    }

    /// What is wrong, without the place.
    #[cfg(feature = "serde")]
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// The way to the place, from the outermost value on.
    #[cfg(feature = "serde")]
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.inner.path.iter().rev()
    }

    /// The place as people write it, such as `passages[2].title`; empty for the whole value.
    #[cfg(feature = "serde")]
    pub fn place(&self) -> String {
        let mut place = String::new();
        // Writing into a text cannot fail.
        let _ = self.write_place(&mut place);
        place
    }

    fn write_place(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        for (position, step) in self.inner.path.iter().rev().enumerate() {
            let name = match step {
                Step::Index(index) => {
                    write!(out, "[{index}]")?;
                    continue;
                }
                Step::Name(name) => excerpt(name),
            };
            match position {
                _ if !is_plain(&name) => write!(out, "[{name:?}]")?,
                0 => out.write_str(&name)?,
                _ => write!(out, ".{name}")?,
            }
        }
        Ok(())
    }

    /// The failure as the crate's error: `at passages[2].title: expected a string, found null`.
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
    beginning(text, EXCERPT)
}

/// A message of another crate, cut where it is too long.
#[cfg(feature = "serde")]
pub fn bounded(message: &str) -> String {
    beginning(message, LONGEST)
}

fn beginning(text: &str, length: usize) -> String {
    let mut beginning: String = text.chars().take(length).collect();
    if beginning.len() < text.len() {
        beginning.push('…');
    }
    beginning
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '…'))
}

#[cfg(test)]
mod tests {
    use super::Failure;

    #[test]
    fn a_path_reads_as_people_write_it() {
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
