//! The path of a value inside of another, such as `answers[0].city`.

use std::fmt;
use std::sync::Arc;

use prompty_core::value::internal::{self, Failure};

/// The path from the outermost value to a value inside of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Path(Vec<Step>);

/// One step of a [`Path`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Step {
    /// The value of a key. All paths through one value share its text.
    Key(Arc<str>),
    /// An item of an array, counted from zero.
    Index(usize),
}

impl Path {
    /// The steps, the outermost first. The path of the outermost value has none.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    pub(super) fn from_steps(steps: impl Iterator<Item = Step>) -> Self {
        Self(steps.collect())
    }

    pub(super) fn from_failure(failure: &Failure) -> Self {
        Self(
            failure
                .steps()
                .map(|step| match step {
                    internal::PathStep::Name(name) => Step::Key(name.as_str().into()),
                    internal::PathStep::Index(index) => Step::Index(*index),
                })
                .collect(),
        )
    }

    /// The path of a JSON pointer that begins with `#`. A step that is a number is treated as an
    /// index.
    pub(super) fn from_pointer(pointer: &str) -> Self {
        let steps = pointer.split('/').skip(1).map(|step| match step.parse() {
            Ok(index) => Step::Index(index),
            Err(_) => Step::Key(step.replace("~1", "/").replace("~0", "~").into()),
        });
        Self(steps.collect())
    }

    pub(super) fn push(&mut self, step: Step) {
        self.0.push(step);
    }

    pub(super) fn pop(&mut self) {
        self.0.pop();
    }
}

/// Keys are separated by points; a key that is not a word is in brackets and quotes.
impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if is_word(key) => {
                    write!(formatter, "{}{key}", if index > 0 { "." } else { "" })?;
                }
                Step::Key(key) => write!(formatter, "[{key:?}]")?,
                Step::Index(index) => write!(formatter, "[{index}]")?,
            }
        }
        Ok(())
    }
}

fn is_word(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|it| it.is_alphanumeric() || matches!(it, '_' | '-' | '$'))
}
