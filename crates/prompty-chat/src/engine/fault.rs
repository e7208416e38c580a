//! Why a render stops.

use std::borrow::Cow;

use prompty_core::error::ErrorKind;

/// How many bytes of a text from the template an error message shows at most.
const LONGEST_SHOWN: usize = 200;

/// Why a render stopped.
#[derive(Debug)]
pub(super) struct Fault(Box<Cause>);

#[derive(Debug)]
pub(super) struct Cause {
    pub(super) kind: ErrorKind,
    pub(super) message: String,
    /// The byte of the template at which it happened.
    pub(super) at: Option<u32>,
}

impl Fault {
    pub(super) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Cause { kind, message: message.into(), at: None }))
    }

    /// An error of the template, which Python would raise as well.
    pub(super) fn render(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Render, message)
    }

    /// The error where a filter or a test is named that there is none of.
    pub(super) fn missing(what: &str, name: &str) -> Self {
        Self::render(format!("there is no {what} named `{}`", shown(name)))
    }

    /// The error where a method of Python is called that chat templates do not have.
    pub(super) fn unavailable(name: &str) -> Self {
        Self::render(format!("the method `{name}` is not available"))
    }

    pub(super) fn limit(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Limit, message)
    }

    /// The same fault at a place, unless it has one that is closer.
    pub(super) fn at(mut self, at: u32) -> Self {
        self.0.at.get_or_insert(at);
        self
    }

    pub(super) fn into_cause(self) -> Cause {
        *self.0
    }
}

/// What comes of a step.
pub(super) type Outcome<T> = Result<T, Fault>;

/// A text as an error message shows it: only its start, if it is long.
pub(super) fn shown(text: &str) -> Cow<'_, str> {
    if text.len() <= LONGEST_SHOWN {
        return Cow::Borrowed(text);
    }
    #[expect(clippy::string_slice, reason = "`floor_char_boundary` gives a place in the text")]
    let start = &text[..text.floor_char_boundary(LONGEST_SHOWN)];
    Cow::Owned(format!("{start}…"))
}
