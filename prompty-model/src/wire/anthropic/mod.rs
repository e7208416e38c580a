//! Anthropic's messages.

mod read;

pub(super) use read::AnthropicReader;

/// The protocol's name in parts that only its provider understands.
pub(super) const PROTOCOL: &str = "anthropic-messages";
