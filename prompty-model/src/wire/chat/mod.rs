//! Chat completions, as OpenAI has them and many others after it.

pub(super) mod parse;
mod read;
mod write;

pub(super) use read::ChatReader;
pub(super) use write::ChatBody;

/// The protocol's name in parts that only its providers understand.
pub(super) const PROTOCOL: &str = "openai-chat";
