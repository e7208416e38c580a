//! Anthropic's messages.

mod options;
pub(super) mod parse;
mod read;
mod strict_limits;
mod write;

use prompty_core::message::ToolSpec;
use prompty_core::schema::shape::StrictDialect;

use super::protocol::Protocol;
use super::protocol_rules::ProtocolRules;

pub(super) use read::AnthropicReader as Reader;
pub(super) use write::AnthropicBody as Body;

/// The protocol's name in provider parts.
pub(super) const PROTOCOL: &str = "anthropic-messages";

/// The fields of a call that the provider wants back: the program that made it.
pub(super) const CALL_FIELDS: &[&str] = &["caller"];

pub(super) const fn rules(_: Protocol) -> &'static ProtocolRules {
    &ProtocolRules {
        part_name: PROTOCOL,
        path: "/messages",
        key_header: ("x-api-key", ""),
        // The version is independent of the model.
        version_header: Some(("anthropic-version", "2023-06-01")),
        ends_with_done: false,
        strict_dialect: StrictDialect::Anthropic,
        has_schema_names: false,
        accepts_call_id: |id| id.chars().all(ToolSpec::is_name_character),
        keeps_messages_separate: false,
        results_follow_calls: true,
        result_kinds: &["tool_result"],
        message_metadata: &["cache_control"],
        left_out: &[
            "frequencyPenalty",
            "presencePenalty",
            "seed",
            "reasoning.summary",
            "promptCache.key",
            "output.description",
        ],
        limits_calls_without_choice: false,
    }
}
