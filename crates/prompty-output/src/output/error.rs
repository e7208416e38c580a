//! The error of a reply without a value of its type. Its message helps the model to answer again.

use std::fmt;

use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::Message;
use prompty_core::value::Value;

use super::path::Path;

/// The error of a reply without a value of its type.
///
/// `Display` prints the message in one line, with the place.
#[derive(Clone)]
pub struct OutputError {
    inner: Box<OutputErrorData>,
}

#[derive(Clone)]
struct OutputErrorData {
    kind: OutputErrorKind,
    path: Path,
    message: String,
    /// The received part of the value, if the reply ended inside of it.
    partial: Option<Value>,
}

/// The kinds of [`OutputError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OutputErrorKind {
    /// The reply contains no value.
    Nothing,
    /// The reply contains only damaged JSON, and the leniency does not allow repairs.
    Damaged,
    /// The value does not fit its type.
    Misfit,
    /// The model refused to answer.
    Refused,
    /// The reply ended before the value was complete, but the received part fits its type.
    CutOff,
}

impl OutputError {
    pub(super) fn new(kind: OutputErrorKind, path: Path, message: impl Into<String>) -> Self {
        let inner = OutputErrorData { kind, path, message: message.into(), partial: None };
        Self { inner: Box::new(inner) }
    }

    /// An error about a complete reply, for `prompty-reply`.
    #[doc(hidden)]
    #[must_use]
    pub fn of_reply(kind: OutputErrorKind, message: impl Into<String>) -> Self {
        Self::new(kind, Path::default(), message)
    }

    /// The error of a reply that ended inside of a value that fits as far as it was received.
    pub(super) fn cut_off(partial: Value) -> Self {
        let message = "the reply ended before the value was complete";
        Self::of_reply(OutputErrorKind::CutOff, message).with_partial(Some(partial))
    }

    /// Sets the received part of the value, if the reply ended inside of it.
    pub(super) fn with_partial(mut self, partial: Option<Value>) -> Self {
        self.inner.partial = partial;
        self
    }

    /// The kind of the error.
    #[must_use]
    pub fn kind(&self) -> OutputErrorKind {
        self.inner.kind
    }

    /// The path of the value that does not fit. It is empty if the error is about the complete
    /// reply.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Whether the reply ended inside of the value. A higher token limit may then help more than
    /// another attempt.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_output::output; }
    /// use typed_prompty::output::Output;
    ///
    /// let error = Output::<Vec<u8>>::new().parse("[1, 2, 300").unwrap_err();
    /// assert!(error.is_truncated());
    /// let message = "at [2]: must be at most 255, found 300; \
    ///                the reply ended before the value was complete";
    /// assert_eq!(error.to_string(), message);
    /// ```
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.inner.partial.is_some()
    }

    /// The received part of the value, if the reply ended inside of it. If the kind is
    /// [`OutputErrorKind::CutOff`], this part fits the type, and [`Value::deserialize`] gives it.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_output::output; }
    /// use typed_prompty::output::{Output, OutputErrorKind};
    ///
    /// let error = Output::<Vec<u8>>::new().parse("[1, 2,").unwrap_err();
    /// assert_eq!(error.kind(), OutputErrorKind::CutOff);
    /// let partial: Vec<u8> = error.partial().unwrap().deserialize().unwrap();
    /// assert_eq!(partial, [1, 2]);
    /// ```
    #[must_use]
    pub fn partial(&self) -> Option<&Value> {
        self.inner.partial.as_ref()
    }

    /// A message that asks the model to answer again. It says what was wrong, and where. Append it
    /// to the conversation after the reply.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_output::output; }
    /// use typed_prompty::output::Output;
    ///
    /// let output = Output::<Vec<u8>>::new();
    /// let error = output.parse("[1, 2, 300]").unwrap_err();
    /// let message = error.correction();
    /// let text = "Your answer could not be read: at [2]: must be at most 255, found 300. \
    ///             Answer again with the complete answer and nothing else.";
    /// assert_eq!(message.text(), text);
    /// ```
    #[must_use]
    pub fn correction(&self) -> Message {
        Message::user(format!(
            "Your answer could not be read: {self}. Answer again with the complete answer and \
             nothing else."
        ))
    }
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OutputErrorData { path, message, partial, kind } = &*self.inner;
        if !path.steps().is_empty() {
            write!(f, "at {path}: ")?;
        }
        f.write_str(message)?;
        if partial.is_some() && *kind != OutputErrorKind::CutOff {
            f.write_str("; the reply ended before the value was complete")?;
        }
        Ok(())
    }
}

impl fmt::Debug for OutputError {
    /// The kind, then the message. `unwrap` shows this form.
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
