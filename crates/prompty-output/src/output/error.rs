//! Why a reply gave no value of its type, in words that help the model to answer again.

use std::fmt;

use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::Message;

use super::path::Path;

/// Why a reply gave no value of its type.
///
/// `Display` gives the message in one line, with the place.
#[derive(Clone)]
pub struct OutputError {
    inner: Box<Inner>,
}

#[derive(Clone)]
struct Inner {
    kind: OutputErrorKind,
    path: Path,
    message: String,
    /// Whether the reply ended inside of the value.
    truncated: bool,
}

/// The kinds of [`OutputError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OutputErrorKind {
    /// The reply holds no value.
    Nothing,
    /// The reply holds a value whose text is damaged, and damage may not be mended.
    Damaged,
    /// The value does not fit its type.
    Misfit,
    /// The model refused to answer.
    Refused,
    /// The reply ended before the value was whole, though what there is of it fits.
    CutOff,
}

impl OutputError {
    pub(super) fn new(kind: OutputErrorKind, path: Path, message: impl Into<String>) -> Self {
        let inner = Inner { kind, path, message: message.into(), truncated: false };
        Self { inner: Box::new(inner) }
    }

    /// An error of a reply as a whole, for `prompty-reply`.
    #[doc(hidden)]
    #[must_use]
    pub fn of_reply(kind: OutputErrorKind, message: impl Into<String>) -> Self {
        Self::new(kind, Path::default(), message)
    }

    /// The same error of a value in which the reply may have ended.
    pub(super) fn of_value(mut self, truncated: bool) -> Self {
        self.inner.truncated = truncated;
        self
    }

    /// What kind of error this is.
    #[must_use]
    pub fn kind(&self) -> OutputErrorKind {
        self.inner.kind
    }

    /// Which value does not fit; the whole, where the error is about all of the reply.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Whether the reply ended inside of the value that does not fit. More room for the answer may then be of
    /// more use than asking again.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_output::output; }
    /// use typed_prompty::output::Output;
    ///
    /// let error = Output::<Vec<u8>>::new().parse("[1, 2, 300").unwrap_err();
    /// assert!(error.is_truncated());
    /// let message = "at [2]: must be at most 255, found 300; the answer ended before the value was whole";
    /// assert_eq!(error.to_string(), message);
    /// ```
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.inner.truncated
    }

    /// A message that asks the model to answer again: what was wrong, and where. Append it to the
    /// conversation, behind the reply.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_output::output; }
    /// use typed_prompty::output::Output;
    ///
    /// let output = Output::<Vec<u8>>::new();
    /// let error = output.parse("[1, 2, 300]").unwrap_err();
    /// let message = error.correction();
    /// let text = "Your answer could not be read: at [2]: must be at most 255, found 300. \
    ///             Answer again, with the whole of it and nothing else.";
    /// assert_eq!(message.text(), text);
    /// ```
    #[must_use]
    pub fn correction(&self) -> Message {
        Message::user(format!(
            "Your answer could not be read: {self}. Answer again, with the whole of it and \
             nothing else."
        ))
    }
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { path, message, truncated, kind: _ } = &*self.inner;
        if !path.steps().is_empty() {
            write!(f, "at {path}: ")?;
        }
        f.write_str(message)?;
        if *truncated {
            f.write_str("; the answer ended before the value was whole")?;
        }
        Ok(())
    }
}

impl fmt::Debug for OutputError {
    /// The kind, then the message: `unwrap` shows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.inner.kind)
    }
}

impl std::error::Error for OutputError {}

impl From<OutputError> for Error {
    fn from(error: OutputError) -> Self {
        Self::new(ErrorKind::Conversion, error.to_string()).with_source(error)
    }
}
