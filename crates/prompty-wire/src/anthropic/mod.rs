//! Anthropic's messages.

mod limits;
mod options;
pub(super) mod parse;
mod read;
mod write;

use super::protocol::Protocol;

pub(super) use read::AnthropicReader;
pub(super) use write::AnthropicBody;

/// The protocol's name in parts that only its provider understands.
pub(super) const PROTOCOL: &str = Protocol::AnthropicMessages.part_name();

/// What the provider says of a call and wants back with it: which program made it.
pub(super) const CALL_FIELDS: &[&str] = &["caller"];
