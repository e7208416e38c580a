//! The path of a value inside of another, such as `answers[0].city`.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use prompty_core::value::internal::{self, Failure};

/// The path from the outermost value to a value inside of it.
#[derive(Clone, Default)]
pub struct Path {
    /// `None` if there are no steps.
    last: Option<Arc<LastStep>>,
}

/// The last step of a path. The paths of all values in a value share the path of that value, so
/// that the events of a deeply nested value do not copy its path.
struct LastStep {
    parent: Path,
    step: Step,
    /// All steps, once they were needed.
    steps: OnceLock<Box<[Step]>>,
}

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
        let Some(last) = &self.last else { return &[] };
        last.steps.get_or_init(|| {
            let lasts = std::iter::successors(Some(last), |it| it.parent.last.as_ref());
            let mut steps: Vec<Step> = lasts.map(|it| it.step.clone()).collect();
            steps.reverse();
            steps.into()
        })
    }

    pub(super) fn from_steps(steps: impl Iterator<Item = Step>) -> Self {
        steps.fold(Self::default(), |path, step| path.join(step))
    }

    /// The path of a value inside of this one.
    #[must_use]
    pub(super) fn join(&self, step: Step) -> Self {
        let last = LastStep { parent: self.clone(), step, steps: OnceLock::new() };
        Self { last: Some(Arc::new(last)) }
    }

    pub(super) fn push(&mut self, step: Step) {
        *self = self.join(step);
    }

    pub(super) fn pop(&mut self) {
        if let Some(last) = self.last.take() {
            *self = last.parent.clone();
        }
    }

    pub(super) fn from_failure(failure: &Failure) -> Self {
        Self::from_steps(failure.steps().map(|step| match step {
            internal::PathStep::Name(name) => Step::Key(name.as_str().into()),
            internal::PathStep::Index(index) => Step::Index(*index),
        }))
    }

    /// The path of a JSON pointer that begins with `#`. A step that is a number is treated as an
    /// index.
    pub(super) fn from_pointer(pointer: &str) -> Self {
        let steps = pointer.split('/').skip(1).map(|step| match step.parse() {
            Ok(index) => Step::Index(index),
            Err(_) => Step::Key(step.replace("~1", "/").replace("~0", "~").into()),
        });
        Self::from_steps(steps)
    }
}

impl PartialEq for Path {
    fn eq(&self, other: &Self) -> bool {
        self.steps() == other.steps()
    }
}

impl Eq for Path {}

impl Hash for Path {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.steps().hash(state);
    }
}

impl fmt::Debug for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Path").field(&self.steps()).finish()
    }
}

/// Keys are separated by points; a key that is not a word is in brackets and quotes.
impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.steps().iter().enumerate() {
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
