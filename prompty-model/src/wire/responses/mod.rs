//! OpenAI's responses.

mod read;

pub(super) use read::ResponsesReader;

/// The protocol's name in parts that only its providers understand.
pub(super) const PROTOCOL: &str = "openai-responses";
