//! Chat completions, as OpenAI has them and many others after it.

mod messages;
pub(super) mod parse;
mod read;
mod write;

use super::protocol::Protocol;

pub(super) use read::ChatReader;
pub(super) use write::ChatBody;

/// The protocol's name in parts that only its providers understand.
pub(super) const PROTOCOL: &str = Protocol::OpenAiChat.part_name();

/// What providers say of a call and want back with it. Google has the signature of the thoughts that led to the call
/// in `extra_content`, and refuses the call without it; servers of LiteLLM have it in `provider_specific_fields`.
pub(super) const CALL_FIELDS: &[&str] = &["extra_content", "provider_specific_fields"];
