//! Limits the bytes that a prompt adds by repeating threads and media.
//!
//! A template prints a short placeholder for a thread, an image, a file or audio. So the limit on
//! the length of the text does not limit what a loop around a placeholder adds to the messages.

use super::{ContentPart, Message, Role};
use crate::error::{Error, ErrorKind};

/// The remaining bytes for repetitions of threads and media in one prompt.
///
/// The first use of an input is free: the caller had that much memory already. Each further use is
/// charged with the bytes of a copy.
#[doc(hidden)]
#[derive(Debug)]
pub struct RepetitionBudget {
    limit: usize,
    left: usize,
}

impl RepetitionBudget {
    /// The budget of a prompt without other limits.
    pub const DEFAULT: Self = Self::new(16 << 20);

    /// Creates a budget of this many bytes.
    pub const fn new(limit: usize) -> Self {
        Self { limit, left: limit }
    }

    /// Charges for a use of an input after its first one, with the bytes of a copy.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Limit`] if less is left.
    pub fn charge(&mut self, input: &str, bytes: usize) -> Result<(), Error> {
        // A use can also split the message around it.
        let bytes = bytes.saturating_add(size_of::<Message>());
        let Some(left) = self.left.checked_sub(bytes) else {
            let message = format!(
                "the repeated threads and media take more than {} bytes, with `{input}`",
                self.limit
            );
            return Err(Error::new(ErrorKind::Limit, message).with_help(
                "print each thread and media input once, outside of loops, or raise `max_output` \
                 in the render limits of the pipeline",
            ));
        };
        self.left = left;
        Ok(())
    }
}

impl Message {
    /// The number of bytes that a copy takes. Metadata are shared.
    #[doc(hidden)]
    pub fn copied_bytes(&self) -> usize {
        let role = match &self.role {
            Role::Other(name) => name.len(),
            _ => 0,
        };
        size_of::<Self>() + role + bytes_of_parts(&self.content)
    }
}

impl ContentPart {
    /// The number of bytes that a copy takes. JSON values are shared.
    #[doc(hidden)]
    pub fn copied_bytes(&self) -> usize {
        let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let owned = match self {
            Self::Text(text) | Self::Reasoning(text) => text.len(),
            Self::Image(media) | Self::File(media) | Self::Audio(media) => {
                media.value.len()
                    + length(&media.media_type)
                    + length(&media.detail)
                    + length(&media.name)
            }
            Self::ToolCall(call) => {
                let provider = call.provider.as_ref();
                let provider = provider.map_or(0, |it| size_of_val(&**it) + it.protocol.len());
                call.id.len() + call.name.len() + call.arguments.len() + provider
            }
            Self::ToolResult(result) => {
                result.call_id.len() + result.name.len() + bytes_of_parts(&result.content)
            }
            Self::Provider(part) => part.protocol.len(),
        };
        size_of::<Self>() + owned
    }
}

fn bytes_of_parts(parts: &[ContentPart]) -> usize {
    parts.iter().map(ContentPart::copied_bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Media, ToolCall, ToolResult};

    #[test]
    fn a_copy_takes_at_least_the_bytes_of_all_its_texts() {
        let image = ContentPart::Image(Media::new("x".repeat(1000)).with_name("n".repeat(100)));
        assert!(image.copied_bytes() >= 1100);
        let call = ContentPart::ToolCall(ToolCall::new("i", "n", "a".repeat(500)));
        assert!(call.copied_bytes() >= 502);
        let result = ToolResult { content: vec![image, call], ..ToolResult::default() };
        let role = Role::Other("r".repeat(50).into());
        let message = Message::new(role, [ContentPart::ToolResult(result)]);
        assert!(message.copied_bytes() >= 1653);
    }

    #[test]
    fn a_budget_names_the_input_that_exceeds_it() {
        let mut budget = RepetitionBudget::new(10_000);
        budget.charge("photo", 9_000).unwrap();
        let error = budget.charge("photo", 9_000).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit);
        assert!(error.to_string().contains("`photo`"), "{error}");
    }
}
