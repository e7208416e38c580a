//! The one error type of the crate: what went wrong, where, and how to fix it.

// The public interface names no types of third parties, because each new major version of their
// crates would be a breaking change of ours. So their errors become messages. The exceptions are
// the traits of serde and schemars, and the module `async_openai` of `prompty-wire`.

use std::error::Error as StdError;
use std::fmt;

use crate::diagnostic::Place;

/// What went wrong when a prompt was loaded, rendered or parsed.
///
/// `Display` gives the message in one line; `{:#}` adds the place and the help.
///
/// ```
/// # use prompty_core as typed_prompty;
/// use typed_prompty::error::{Error, ErrorKind};
///
/// let error = Error::new(ErrorKind::MissingInput, "missing required input `city`")
///     .with_help("give `city` a value or declare a default");
/// assert_eq!(error.to_string(), "missing required input `city`");
/// assert_eq!(error.help(), Some("give `city` a value or declare a default"));
/// ```
pub struct Error {
    inner: Box<ErrorData>,
}

struct ErrorData {
    kind: ErrorKind,
    message: String,
    place: Option<Place>,
    help: Option<String>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// The kinds of [`Error`]. The error type of the Prompty specification is in brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The prompt's file does not exist or cannot be read. (FileNotFoundError)
    FileNotFound,
    /// The front matter is not a YAML mapping, or a value in it has the wrong form. (ValueError)
    FrontMatter,
    /// An environment variable without a default is not set. (ValueError)
    EnvironmentVariable,
    /// A file reference is missing, not allowed, or leads out of the allowed roots. The error does
    /// not reveal which of the three it is. (ValueError)
    FileReference,
    /// The host's credentials, or content of its variables and files, would be sent to an endpoint
    /// that the prompt chose. (ValueError)
    UntrustedEndpoint,
    /// A required input was not given. (ValueError)
    MissingInput,
    /// An input does not have the form that its kind requires. (ValueError)
    WrongInput,
    /// The template's text cannot be parsed. (ValueError)
    TemplateSyntax,
    /// The template failed while it ran. (ValueError)
    Render,
    /// A chat template rejected the conversation with its own message. (TemplateError)
    Refused,
    /// Data contains the markup of a chat template. (ValueError)
    ControlTokens,
    /// The chat template does not show how replies are written. (ValueError)
    Analysis,
    /// A schema cannot be expressed by a grammar, or no text can match it. (ValueError)
    Grammar,
    /// A JSON schema cannot be read as a shape, or a shape has no schema of that form. (ValueError)
    Schema,
    /// A variable is undefined, and the caller chose strict mode. (ValueError)
    Undefined,
    /// A limit on work, output or depth was reached. (ValueError)
    Limit,
    /// A line of an input looks like a role marker, and the caller chose an error. (ValueError)
    ForgedMarker,
    /// A message of a thread has a role that the thread does not allow. (ValueError)
    RoleNotAllowed,
    /// An input marked strict contains a line that opens a role. (StrictViolation)
    StrictViolation,
    /// No renderer or parser of that kind is registered. (InvokerError)
    Invoker,
    /// A value does not fit the Rust type, or a Rust value cannot be converted. (ValueError)
    Conversion,
    /// A tool call of a reply is not complete.
    IncompleteCall,
    /// A tool that was called returned an error.
    Tool,
    /// A request cannot be sent, or its answer is an error or cannot be read. (ExecuteError)
    Provider,
    /// The operating system gave no random bytes.
    Random,
}

impl Error {
    /// Creates an error of a kind with a message.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { inner: Box::new(ErrorData { kind, message, place: None, help: None, source: None }) }
    }

    /// The same error at a place.
    #[must_use]
    pub fn with_place(mut self, place: Place) -> Self {
        self.inner.place = Some(place);
        self
    }

    /// The same error with a way to fix it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.inner.help = Some(help.into());
        self
    }

    /// The same error with the help of another.
    #[cfg(feature = "schema")]
    pub(crate) fn with_help_of(mut self, help: Option<&str>) -> Self {
        self.inner.help = help.map(str::to_owned);
        self
    }

    /// The same error with its cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.inner.source = Some(source.into());
        self
    }

    /// A copy of the error without its cause.
    #[doc(hidden)]
    pub fn duplicate(&self) -> Self {
        let ErrorData { kind, message, place, help, source: _ } = &*self.inner;
        let (message, place, help) = (message.clone(), place.clone(), help.clone());
        Self { inner: Box::new(ErrorData { kind: *kind, message, place, help, source: None }) }
    }

    /// The same error with its texts rewritten. The text of a cause cannot be changed, so a cause
    /// is left out if `rewrite` would change its text or that of a cause below it.
    pub(crate) fn map_texts(self, mut rewrite: impl FnMut(String) -> String) -> Self {
        let mut inner = *self.inner;
        inner.message = rewrite(inner.message);
        inner.help = inner.help.map(&mut rewrite);
        inner.source = inner.source.filter(|source| {
            let mut cause: Option<&dyn StdError> = Some(&**source);
            while let Some(error) = cause {
                let text = format!("{error} {error:?}");
                if rewrite(text.clone()) != text {
                    return false;
                }
                cause = error.source();
            }
            true
        });
        Self { inner: Box::new(inner) }
    }

    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    /// The place in the prompt, if it is known.
    pub fn place(&self) -> Option<&Place> {
        self.inner.place.as_ref()
    }

    /// How to fix it, if the error has help.
    pub fn help(&self) -> Option<&str> {
        self.inner.help.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.inner.message)?;
        if !f.alternate() {
            return Ok(());
        }
        if let Some(place) = &self.inner.place {
            write!(f, "\n  --> {place}")?;
        }
        if let Some(help) = &self.inner.help {
            write!(f, "\n  = help: {help}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    /// The kind, then the output of `{:#}`, for messages of `unwrap`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self:#}", self.inner.kind)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.inner.source.as_ref().map(|source| &**source as &(dyn StdError + 'static))
    }
}
