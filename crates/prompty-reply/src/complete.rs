//! Checks that a reply can be used as an answer: it is complete, and it is not a refusal.

use std::fmt;

use prompty_core::error::{Error, ErrorKind};

use crate::{FinishReason, Reply};

/// Why a reply cannot be used as an answer. It holds the reply.
///
/// `Display` gives the message in one line; `{:#}` adds the help.
#[derive(Clone)]
pub struct ReplyError {
    inner: Box<Inner>,
}

#[derive(Clone)]
struct Inner {
    kind: ReplyErrorKind,
    message: String,
    help: Option<&'static str>,
    reply: Reply,
}

/// The kinds of [`ReplyError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReplyErrorKind {
    /// The model refused to answer, or the provider's filter stopped it.
    Refused,
    /// The reply was cut off.
    CutOff,
}

/// What providers write as the finish reason of an answer that they broke off although nothing failed.
const BROKEN_OFF: [&str; 2] = ["incomplete", "pause_turn"];

/// What providers write as the finish reason of an answer during which the server failed.
const FAILURES: [&str; 4] = ["error", "failed", "insufficient_system_resource", "network_error"];

/// Whether a finish reason of a provider says that the server failed. In OpenAI's responses, the
/// reason may follow after a colon.
pub fn is_failure(word: &str) -> bool {
    word.split(':').next().is_some_and(|word| FAILURES.contains(&word))
}

impl Reply {
    /// Returns the reply if it is complete and not a refusal. Call it before the reply is shown, so
    /// that half an answer or a refusal is not taken for the answer.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_reply as reply; }
    /// use typed_prompty::reply::{Event, Reply, ReplyErrorKind};
    ///
    /// let mut reply = Reply::default();
    /// reply.add(Event::Refusal { text: "I cannot help with that." });
    /// let error = reply.complete().unwrap_err();
    /// assert_eq!(error.kind(), ReplyErrorKind::Refused);
    /// assert_eq!(error.reply().refusal(), Some("I cannot help with that."));
    /// ```
    ///
    /// # Errors
    ///
    /// [`ReplyErrorKind::Refused`] if the model refused or a filter stopped it;
    /// [`ReplyErrorKind::CutOff`] if the token limit was reached, somebody cancelled the reply, or the
    /// provider broke it off. [`ReplyError::reply`] is the reply.
    pub fn complete(self) -> Result<Self, ReplyError> {
        let (kind, message, help) = match (self.why_refused(), self.finish_reason()) {
            (Some(why), _) => (ReplyErrorKind::Refused, why, None),
            (None, Some(FinishReason::Length)) => (
                ReplyErrorKind::CutOff,
                "the answer reached the limit of tokens".to_owned(),
                Some("set a higher limit: `request.with_max_output_tokens(…)`"),
            ),
            (None, Some(FinishReason::Cancelled)) => {
                (ReplyErrorKind::CutOff, "the answer was cancelled".to_owned(), None)
            }
            _ => match self.finish_word() {
                Some(word) if is_failure(word) || BROKEN_OFF.contains(&word) => (
                    ReplyErrorKind::CutOff,
                    format!("the provider broke the answer off: {word}"),
                    None,
                ),
                _ => return Ok(self),
            },
        };
        Err(ReplyError { inner: Box::new(Inner { kind, message, help, reply: self }) })
    }
}

impl ReplyError {
    /// The kind of the error.
    pub fn kind(&self) -> ReplyErrorKind {
        self.inner.kind
    }

    /// How to fix it, if that is known.
    pub fn help(&self) -> Option<&str> {
        self.inner.help
    }

    /// The reply. Calls that had not ended are not complete.
    pub fn reply(&self) -> &Reply {
        &self.inner.reply
    }

    /// The reply.
    #[doc(hidden)]
    pub fn into_reply(self) -> Reply {
        self.inner.reply
    }
}

impl fmt::Display for ReplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.inner.message)?;
        match self.inner.help {
            Some(help) if f.alternate() => write!(f, "\n  = help: {help}"),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for ReplyError {
    /// The kind, then the message with its help, which is what `unwrap` shows.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self:#}", self.inner.kind)
    }
}

impl std::error::Error for ReplyError {}

impl From<ReplyError> for Error {
    fn from(error: ReplyError) -> Self {
        let own = Self::new(ErrorKind::Provider, error.to_string());
        match error.inner.help {
            Some(help) => own.with_help(help).with_source(error),
            None => own.with_source(error),
        }
    }
}
