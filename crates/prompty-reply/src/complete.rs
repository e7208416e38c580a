//! Checks that a reply can be used as an answer: it is complete, and it is not a refusal.

use std::fmt;

use prompty_core::error::{Error, ErrorKind};

use crate::{FinishReason, Reply};

/// The reason why a reply cannot be used as an answer, with the reply.
///
/// `Display` gives the message in one line; `{:#}` adds the help.
#[derive(Clone)]
pub struct ReplyError {
    inner: Box<ReplyErrorInner>,
}

#[derive(Clone)]
struct ReplyErrorInner {
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

/// The help for a reply that ended early.
const AFTER_CUT: &str = "use the reply so far in `reply()`, or send the request again";

/// Finish reasons of providers for an answer that they broke off although nothing failed.
const BROKEN_OFF: [&str; 2] = ["incomplete", "pause_turn"];

/// Finish reasons of providers for an answer during which the server failed.
const FAILURES: [&str; 4] = ["error", "failed", "insufficient_system_resource", "network_error"];

/// Whether a provider's finish reason means that the server failed. In OpenAI's responses, the
/// reason may appear before a colon and details.
pub fn is_failure(word: &str) -> bool {
    word.split(':').next().is_some_and(|word| FAILURES.contains(&word))
}

impl Reply {
    /// Returns the reply if it is complete and not a refusal. Call it before you show the reply, so
    /// that half an answer or a refusal is not mistaken for the answer.
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
    /// Returns an error of the kind [`ReplyErrorKind::Refused`] if the model refused or a filter
    /// stopped it. Returns [`ReplyErrorKind::CutOff`] if the token limit was reached, the reply was
    /// cancelled, or the provider broke it off. [`ReplyError::reply`] is the reply.
    pub fn complete(self) -> Result<Self, ReplyError> {
        let (kind, message, help) = match (self.refusal_message(), self.finish_reason()) {
            (Some(why), _) => (ReplyErrorKind::Refused, why, None),
            (None, Some(FinishReason::Length)) => (
                ReplyErrorKind::CutOff,
                "the reply reached the token limit".to_owned(),
                Some("set a higher limit: `request.with_max_output_tokens(…)`"),
            ),
            (None, Some(FinishReason::Cancelled)) => {
                (ReplyErrorKind::CutOff, "the reply was cancelled".to_owned(), Some(AFTER_CUT))
            }
            _ => match self.finish_word() {
                Some(word) if is_failure(word) || BROKEN_OFF.contains(&word) => (
                    ReplyErrorKind::CutOff,
                    format!("the provider broke off the reply: {word}"),
                    Some(AFTER_CUT),
                ),
                _ => return Ok(self),
            },
        };
        Err(ReplyError { inner: Box::new(ReplyErrorInner { kind, message, help, reply: self }) })
    }
}

impl ReplyError {
    /// The kind of the error.
    pub fn kind(&self) -> ReplyErrorKind {
        self.inner.kind
    }

    /// An instruction to fix the problem, if one is known.
    pub fn help(&self) -> Option<&str> {
        self.inner.help
    }

    /// The reply. Calls that had not ended are incomplete.
    pub fn reply(&self) -> &Reply {
        &self.inner.reply
    }

    /// Returns the reply.
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
    /// Writes the kind and the message with its help, which `unwrap` shows.
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
