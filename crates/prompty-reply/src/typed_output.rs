//! The typed value that a reply holds, wherever the reply came from.

use prompty_output::output::{Answer, Output, OutputError, OutputErrorKind};

use crate::{FinishReason, Reply};

impl Reply {
    /// The content as a value of a type. [`Output::parse`] of the content says also what was mended, and takes
    /// answers that were cut.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_reply as reply; }
    /// use typed_prompty::reply::{Event, Reply};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct City { name: String }
    ///
    /// let mut reply = Reply::default();
    /// reply.add(Event::Content { text: r#"{"name": "Bonn"}"# });
    /// assert_eq!(reply.output::<City>()?.name, "Bonn");
    ///
    /// let mut refused = Reply::default();
    /// refused.add(Event::Refusal { text: "I cannot help with that." });
    /// let error = refused.output::<City>().err().expect("it is a refusal");
    /// assert_eq!(error.to_string(), "the model refused: I cannot help with that.");
    /// # Ok::<(), prompty_output::output::OutputError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Output::parse`]; [`OutputErrorKind::Refused`] where the model refused to
    /// answer, or a filter stopped it;
    /// [`OutputErrorKind::CutOff`] where the answer ended inside of the value.
    pub fn output<T: Answer>(&self) -> Result<T, OutputError> {
        self.output_of(&Output::<T>::new())
    }

    /// The content as a value that an [`Output`] reads.
    ///
    /// # Errors
    ///
    /// As [`output`](Self::output).
    pub fn output_of<T>(&self, output: &Output<T>) -> Result<T, OutputError> {
        if let Some(why) = self.why_refused() {
            return Err(OutputError::of_reply(OutputErrorKind::Refused, why));
        }
        let parsed = output.parse(self.content())?;
        // A text, a number and a word have no end of their own, so only the provider knows that they were cut.
        let has_end = output.asks_for_json()
            && self.content().trim_end().ends_with(['}', ']', '"', '\'', '`']);
        let was_cut =
            matches!(self.finish_reason(), Some(FinishReason::Length | FinishReason::Cancelled));
        let is_cut = parsed.truncated || (was_cut && !has_end);
        match is_cut {
            true => {
                let message = "the answer ended before the value was whole";
                Err(OutputError::of_reply(OutputErrorKind::CutOff, message))
            }
            false => Ok(parsed.value),
        }
    }
}
