//! How much a render may do, what it makes of names that have no value, and how it fails.

use std::fmt;

use crate::diagnostic::Span;
use crate::error::{Error, ErrorKind};

/// How much work and text one render may cost, so that a stranger's template or input cannot bring
/// a service down.
///
/// ```
/// use prompty_runtime::template::RenderLimits;
///
/// let limits = RenderLimits::default().with_max_output(64 * 1024);
/// assert_eq!(limits.fuel, 1_000_000);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RenderLimits {
    /// How many steps it may take; a step is about a node of the template that is written, or a
    /// turn of a loop. By default 1,000,000.
    pub fuel: u64,
    /// How many bytes it may write. By default 16 MiB.
    pub max_output: usize,
    /// How deep sections, loops and calls may lie in each other while it runs. By default 64.
    pub max_depth: usize,
}

impl Default for RenderLimits {
    fn default() -> Self {
        Self { fuel: 1_000_000, max_output: 16 * 1024 * 1024, max_depth: 64 }
    }
}

impl RenderLimits {
    /// The same limits with other fuel.
    #[must_use]
    pub fn with_fuel(mut self, fuel: u64) -> Self {
        self.fuel = fuel;
        self
    }

    /// The same limits with another length of the text, in bytes.
    #[must_use]
    pub fn with_max_output(mut self, max_output: usize) -> Self {
        self.max_output = max_output;
        self
    }

    /// The same limits with another depth.
    #[must_use]
    pub fn with_max_depth(mut self, max_depth: usize) -> Self {
        self.max_depth = max_depth;
        self
    }

    /// The failure of a render that took too many steps.
    pub(crate) fn out_of_fuel(&self) -> RenderFailure {
        let message = format!("the template took more than {} steps", self.fuel);
        Error::new(ErrorKind::Limit, message)
            .with_help("give it shorter lists, or allow more steps with `RenderLimits::fuel`")
            .into()
    }

    /// The failure of a render that wrote too much.
    pub(crate) fn too_long(&self) -> RenderFailure {
        let message = format!("the rendered text is longer than {} bytes", self.max_output);
        Error::new(ErrorKind::Limit, message)
            .with_help("give it shorter inputs, or allow more with `RenderLimits::max_output`")
            .into()
    }

    /// The failure of a render whose blocks lie too deep in each other.
    pub(crate) fn too_deep(&self) -> RenderFailure {
        let message = format!("the template runs deeper than {} levels", self.max_depth);
        Error::new(ErrorKind::Limit, message)
            .with_help("nest fewer blocks, or allow more with `RenderLimits::max_depth`")
            .into()
    }
}

/// What becomes of a name that has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Undefined {
    /// It prints as nothing and counts as false, as the specification's cases have it.
    #[default]
    Empty,
    /// It is an error of kind [`ErrorKind::Undefined`].
    Error,
}

/// A render that failed, and where in the template's text.
#[derive(Debug)]
#[non_exhaustive]
pub struct RenderFailure {
    /// What went wrong.
    pub error: Error,
    /// Where, in bytes of the template's text, if it has a place.
    pub span: Option<Span>,
}

impl RenderFailure {
    /// The same failure at a place, unless it has one.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.span.get_or_insert(span);
        self
    }
}

impl From<Error> for RenderFailure {
    fn from(error: Error) -> Self {
        Self { error, span: None }
    }
}

impl fmt::Display for RenderFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for RenderFailure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error.source()
    }
}
