//! Whether a reply is one that can be used: whole, and no refusal.

use super::error::{WireError, WireErrorKind, is_failure};
use crate::reply::{FinishReason, Reply};

/// The words of providers for an answer that is not whole though no limit was reached and nothing failed.
const BROKEN_OFF: [&str; 2] = ["incomplete", "pause_turn"];

impl Reply {
    /// The reply, if it is whole and no refusal. A service that shows half an answer, or a refusal as an answer,
    /// mostly does so because it did not ask.
    ///
    /// ```
    /// # use prompty_model as typed_prompty;
    /// use typed_prompty::wire::{Protocol, WireErrorKind};
    ///
    /// let body = br#"{"choices": [{"message": {"content": "Once upon"}, "finish_reason": "length"}]}"#;
    /// let error = Protocol::OpenAiChat.read(200, body)?.complete().unwrap_err();
    /// assert_eq!(error.kind(), WireErrorKind::CutOff);
    /// assert_eq!(error.partial().unwrap().content(), "Once upon");
    /// # Ok::<(), prompty_model::wire::WireError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// With the reply as [`WireError::partial`]: [`WireErrorKind::Refused`] where the model refused or a filter
    /// stopped it, [`WireErrorKind::CutOff`] where the limit of tokens did, somebody cancelled it, or the
    /// provider broke it off.
    pub fn complete(self) -> Result<Self, WireError> {
        let (kind, message, help) = match (self.why_refused(), self.finish_reason()) {
            (Some(why), _) => (WireErrorKind::Refused, why, None),
            (None, Some(FinishReason::Length)) => (
                WireErrorKind::CutOff,
                "the answer reached the limit of tokens".to_owned(),
                Some("set a higher limit: `request.max_output_tokens(…)`"),
            ),
            (None, Some(FinishReason::Cancelled)) => {
                (WireErrorKind::CutOff, "the answer was cancelled".to_owned(), None)
            }
            _ => match self
                .finish_word()
                .filter(|word| is_failure(word) || BROKEN_OFF.contains(word))
            {
                Some(word) => (
                    WireErrorKind::CutOff,
                    format!("the provider broke the answer off: {word}"),
                    None,
                ),
                None => return Ok(self),
            },
        };
        let error = WireError::new(kind, message);
        let error = match help {
            Some(help) => error.with_help(help),
            None => error,
        };
        Err(error.with_partial(self))
    }
}
