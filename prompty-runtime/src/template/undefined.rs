//! What becomes of variables that have no value.

/// What a variable that has no value does when a template prints it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Undefined {
    /// It prints as nothing, as the reference cases have it.
    #[default]
    Empty,
    /// It is an error of kind [`Undefined`](crate::error::ErrorKind::Undefined).
    Error,
}
