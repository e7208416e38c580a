//! The error of a call. Its message helps the model to repeat the call correctly.

use std::fmt;

use prompty_core::error::{Error, ErrorKind};

/// The error of a call that was not executed, or whose tool failed.
///
/// `Display` prints the message in one line, with the place; `{:#}` adds the help.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::message; pub use prompty_output::tools; }
/// use typed_prompty::message::ToolCall;
/// use typed_prompty::tools::ToolError;
///
/// let call = ToolCall::new("call_1", "send", r#"{"to": "Ada"}"#);
/// let error = ToolError::failed("the mailbox is full").with_help("try again tomorrow");
/// let result = error.to_result(&call);
/// assert_eq!(result.call_id, "call_1");
/// let text = "error: the mailbox is full\nhelp: try again tomorrow";
/// assert_eq!(result.content[0].as_text(), Some(text));
///
/// let error = ToolError::failed("nobody has that name").with_place("to");
/// assert_eq!(error.to_string(), "at to: nobody has that name");
/// ```
#[derive(Clone)]
pub struct ToolError {
    inner: Box<ToolErrorData>,
}

/// The text before the help in the alternate form, as in [`Error`].
const HELP: &str = "\n  = help: ";

#[derive(Clone)]
struct ToolErrorData {
    kind: ToolErrorKind,
    /// The subject of the message, which is printed before the place.
    subject: Option<String>,
    message: String,
    place: Option<String>,
    help: Option<String>,
}

/// The kinds of [`ToolError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolErrorKind {
    /// The call is not complete: the reply ended inside it, or it is malformed.
    Incomplete,
    /// The name of the tool is unknown.
    UnknownTool,
    /// The arguments are not JSON, or do not fit the tool.
    Arguments,
    /// The tool was called and returned an error.
    Failed,
}

impl ToolError {
    /// An error by its kind and message.
    pub fn new(kind: ToolErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        let inner = ToolErrorData { kind, subject: None, message, place: None, help: None };
        Self { inner: Box::new(inner) }
    }

    /// The error of a tool that was called. The model reads its text, so the text must not contain
    /// secrets.
    pub fn failed(error: impl fmt::Display) -> Self {
        // The alternate form of an error may have a help.
        let text = format!("{error:#}");
        match text.rsplit_once(HELP) {
            Some((message, help)) => Self::new(ToolErrorKind::Failed, message).with_help(help),
            None => Self::new(ToolErrorKind::Failed, text),
        }
    }

    /// Sets the place in the arguments, such as `orders[2].city`.
    #[must_use]
    pub fn with_place(mut self, place: impl Into<String>) -> Self {
        self.inner.place = Some(place.into());
        self
    }

    /// Sets the subject, which is printed before the place.
    #[must_use]
    pub(super) fn with_subject(mut self, subject: impl Into<String>) -> Self {
        self.inner.subject = Some(subject.into());
        self
    }

    /// Sets the help, which says how to fix the error.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.inner.help = Some(help.into());
        self
    }

    /// The kind of the error.
    pub fn kind(&self) -> ToolErrorKind {
        self.inner.kind
    }

    /// The place in the arguments, such as `orders[2].city`; `None` if the error is about all of
    /// them.
    pub fn place(&self) -> Option<&str> {
        self.inner.place.as_deref()
    }

    /// The help, which says how to fix the error, if there is one.
    pub fn help(&self) -> Option<&str> {
        self.inner.help.as_deref()
    }

    /// The error of a call with an unknown name.
    pub(super) fn unknown(name: &str, names: &[&str]) -> Self {
        let message = format!("unknown tool `{}`", prompty_core::value::internal::excerpt(name));
        let help = match names {
            [] => "no tools are available".to_owned(),
            names => format!("available tools: `{}`", names.join("`, `")),
        };
        Self::new(ToolErrorKind::UnknownTool, message).with_help(help)
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ToolErrorData { subject, place, message, help, kind: _ } = &*self.inner;
        if let Some(subject) = subject {
            write!(f, "{subject}: ")?;
        }
        if let Some(place) = place {
            write!(f, "at {place}: ")?;
        }
        f.write_str(message)?;
        match help {
            Some(help) if f.alternate() => write!(f, "{HELP}{help}"),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for ToolError {
    /// The kind, then the form of `{:#}`. `unwrap` shows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self:#}", self.inner.kind)
    }
}

impl std::error::Error for ToolError {}

impl From<ToolError> for Error {
    fn from(error: ToolError) -> Self {
        let kind = match error.kind() {
            ToolErrorKind::Incomplete => ErrorKind::IncompleteCall,
            ToolErrorKind::UnknownTool | ToolErrorKind::Arguments => ErrorKind::Conversion,
            ToolErrorKind::Failed => ErrorKind::Tool,
        };
        let help = error.inner.help.clone();
        let converted = Self::new(kind, error.to_string()).with_source(error);
        match help {
            Some(help) => converted.with_help(help),
            None => converted,
        }
    }
}
