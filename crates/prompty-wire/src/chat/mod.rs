//! Chat completions: the protocol of OpenAI that many others use.

mod delayed_parts;
pub(super) mod parse;
mod read;
mod write;

use prompty_core::schema::shape::StrictDialect;

use super::protocol::Protocol;
use super::protocol_rules::ProtocolRules;

pub(super) use read::ChatReader as Reader;
pub(super) use write::ChatBody as Body;

/// The protocol's name in provider parts.
pub(super) const PROTOCOL: &str = "openai-chat";

/// The fields of a call that providers want back. Google puts the signature of its reasoning into
/// `extra_content`, and refuses the call without it. LiteLLM servers use
/// `provider_specific_fields`.
pub(super) const CALL_FIELDS: &[&str] = &["extra_content", "provider_specific_fields"];

const OPENAI: ProtocolRules = ProtocolRules {
    part_name: PROTOCOL,
    path: "/chat/completions",
    key_header: ("authorization", "Bearer "),
    version_header: None,
    ends_with_done: true,
    strict_dialect: StrictDialect::OpenAi,
    has_schema_names: true,
    accepts_call_id: |id| id.len() <= 40,
    keeps_messages_separate: true,
    results_follow_calls: true,
    result_kinds: &[],
    message_metadata: &["name"],
    left_out: &["topK", "reasoning", "reasoning.summary", "toolResult.isError"],
    limits_calls_without_choice: true,
};

const COMPATIBLE: ProtocolRules =
    ProtocolRules { accepts_call_id: |_| true, message_metadata: &["name", "prefix"], ..OPENAI };

pub(super) const fn rules(protocol: Protocol) -> &'static ProtocolRules {
    if matches!(protocol, Protocol::OpenAiCompatible) { &COMPATIBLE } else { &OPENAI }
}
