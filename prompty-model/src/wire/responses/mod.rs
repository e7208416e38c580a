//! OpenAI's responses.

pub(super) mod parse;
mod read;
mod write;

pub(super) use read::ResponsesReader;
pub(super) use write::ResponsesBody;

/// The protocol's name in parts that only its providers understand.
pub(super) const PROTOCOL: &str = "openai-responses";
