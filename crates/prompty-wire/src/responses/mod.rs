//! OpenAI's responses.

mod json_types;
pub(super) mod parse;
mod read;
mod write;

use prompty_core::schema::shape::StrictDialect;

use super::protocol::Protocol;
use super::protocol_rules::ProtocolRules;

pub(super) use read::ResponsesReader as Reader;
pub(super) use write::ResponsesBody as Body;

/// The protocol's name in provider parts.
pub(super) const PROTOCOL: &str = "openai-responses";

/// The fields of a call that the provider wants back: the group of its tool, and the program that
/// made it.
pub(super) const CALL_FIELDS: &[&str] = &["namespace", "caller"];

pub(super) const fn rules(_: Protocol) -> &'static ProtocolRules {
    &ProtocolRules {
        part_name: PROTOCOL,
        path: "/responses",
        key_header: ("authorization", "Bearer "),
        version_header: None,
        ends_with_done: false,
        strict_dialect: StrictDialect::OpenAi,
        has_schema_names: true,
        accepts_call_id: |id| id.len() <= 64,
        keeps_messages_separate: false,
        results_follow_calls: false,
        result_kinds: &[
            "apply_patch_call_output",
            "computer_call_output",
            "custom_tool_call_output",
            "function_call_output",
            "local_shell_call_output",
            "shell_call_output",
            "tool_search_output",
        ],
        message_metadata: &["phase"],
        left_out: &[
            "topK",
            "frequencyPenalty",
            "presencePenalty",
            "seed",
            "stopSequences",
            "reasoning",
            "toolResult.isError",
        ],
        limits_calls_without_choice: true,
    }
}
