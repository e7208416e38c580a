//! The content of a reply as a typed value.

use prompty_output::output::{Answer, Output, OutputError, OutputErrorKind};

use crate::{FinishReason, Reply};

impl Reply {
    /// Parses the content into a value. [`Output::parse`] of the content also reports repairs.
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
    /// Returns an error if [`Output::parse`] does, or of these kinds: [`OutputErrorKind::Refused`]
    /// if the model refused or a filter stopped the answer, and [`OutputErrorKind::CutOff`] if the
    /// answer ended inside the value, or the provider cut a text or a number.
    pub fn output<T: Answer>(&self) -> Result<T, OutputError> {
        self.output_of(&Output::<T>::new())
    }

    /// Parses the content into a value with an [`Output`].
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`output`](Self::output).
    pub fn output_of<T>(&self, output: &Output<T>) -> Result<T, OutputError> {
        if let Some(why) = self.refusal_message() {
            return Err(OutputError::of_reply(OutputErrorKind::Refused, why));
        }
        let was_cut =
            matches!(self.finish_reason(), Some(FinishReason::Length | FinishReason::Cancelled));
        output.parse_after_end(self.content(), was_cut).map(|parsed| parsed.value)
    }
}
