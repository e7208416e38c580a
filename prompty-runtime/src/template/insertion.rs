//! What a render puts into a template's text beside plain values.

/// A place in a template's literal text at which a render writes its nonce.
///
/// Written is `before`, then the digits of the nonce, then `after`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Insertion {
    /// Where: a byte offset in the template's text, inside or at the edge of a literal text.
    pub offset: usize,
    /// What stands before the nonce.
    pub before: String,
    /// What stands behind the nonce.
    pub after: String,
}

impl Insertion {
    /// An insertion at a byte offset.
    pub fn new(offset: usize, before: impl Into<String>, after: impl Into<String>) -> Self {
        Self { offset, before: before.into(), after: after.into() }
    }
}

/// What a rich input (a thread, an image, a file, a sound) prints as.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Placeholder {
    /// The input's name.
    pub name: String,
    /// The text that stands for it until the parser puts the input in its place.
    pub text: String,
    /// Whether the input has nothing in it, so that conditions on it do not hold.
    pub is_empty: bool,
}

impl Placeholder {
    /// The placeholder of an input that has something in it.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into(), is_empty: false }
    }

    /// The same placeholder, of an input that is empty or not.
    #[must_use]
    pub fn with_empty(mut self, is_empty: bool) -> Self {
        self.is_empty = is_empty;
        self
    }
}
