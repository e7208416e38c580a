//! The error that stops a render.

use std::borrow::Cow;

use prompty_core::error::ErrorKind;

/// The maximum number of bytes of the template's text in an error message.
const LONGEST_SHOWN: usize = 200;

/// The help of limits that a program can raise.
pub(super) const RAISE_LIMITS: &str = "raise the template's `RenderLimits`";

/// The error that stops a render.
#[derive(Debug)]
pub(super) struct Fault(Box<FaultCause>);

#[derive(Debug)]
pub(super) struct FaultCause {
    pub(super) kind: ErrorKind,
    pub(super) message: String,
    pub(super) help: Option<&'static str>,
    /// The offset in the template, in bytes.
    pub(super) at: Option<u32>,
}

impl Fault {
    pub(super) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(FaultCause { kind, message: message.into(), help: None, at: None }))
    }

    /// An error that Python would also raise for this template.
    pub(super) fn render(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Render, message)
    }

    /// The error for an unknown filter or test.
    pub(super) fn missing(what: &str, name: &str) -> Self {
        Self::render(format!("unknown {what} `{}`", shorten(name)))
    }

    /// The error for a Python method that chat templates do not support.
    pub(super) fn unavailable(name: &str) -> Self {
        Self::render(format!("the method `{name}` is not available"))
    }

    /// An error because the template exceeds a limit.
    pub(super) fn limit(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Limit, message)
    }

    pub(super) fn with_help(mut self, help: &'static str) -> Self {
        self.0.help = Some(help);
        self
    }

    /// The same fault with an offset, unless it already has a more precise one.
    pub(super) fn at(mut self, at: u32) -> Self {
        self.0.at.get_or_insert(at);
        self
    }

    pub(super) fn into_cause(self) -> FaultCause {
        *self.0
    }
}

/// The result of a step.
pub(super) type FaultResult<T> = Result<T, Fault>;

/// A text for an error message: only its start, if it is long.
pub(super) fn shorten(text: &str) -> Cow<'_, str> {
    if text.len() <= LONGEST_SHOWN {
        return Cow::Borrowed(text);
    }
    #[expect(clippy::string_slice, reason = "`floor_char_boundary` gives a place in the text")]
    let start = &text[..text.floor_char_boundary(LONGEST_SHOWN)];
    Cow::Owned(format!("{start}…"))
}
