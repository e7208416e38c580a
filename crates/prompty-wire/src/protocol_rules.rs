//! The differences between protocols that are needed outside of their modules.

use prompty_core::schema::shape::StrictDialect;

/// The rules of a protocol. Each protocol module has a constant.
#[derive(Debug)]
pub(super) struct ProtocolRules {
    /// The name of the protocol in provider parts. Protocols with the same name accept each other's
    /// options.
    pub(super) part_name: &'static str,
    /// The path of requests below the base URL.
    pub(super) path: &'static str,
    /// The header with the API key, and the text before the key.
    pub(super) key_header: (&'static str, &'static str),
    /// The header with the version of the protocol.
    pub(super) version_header: Option<(&'static str, &'static str)>,
    /// Whether `[DONE]` ends a stream. Gateways append it to streams of other protocols, too.
    pub(super) ends_with_done: bool,
    /// The dialect of strict schemas.
    pub(super) strict_dialect: StrictDialect,
    /// Whether the schema of a response format has a name.
    pub(super) has_schema_names: bool,
    /// Whether the provider accepts this id of a call.
    pub(super) accepts_call_id: fn(&str) -> bool,
    /// Whether consecutive messages of the model stay separate. Other protocols join them.
    pub(super) keeps_messages_separate: bool,
    /// Whether the results of calls must directly follow the calls.
    pub(super) results_follow_calls: bool,
    /// The kinds of provider parts that are results of calls.
    pub(super) result_kinds: &'static [&'static str],
    /// The message metadata that the protocol accepts, wherever the messages come from.
    pub(super) message_metadata: &'static [&'static str],
    /// The settings of a request that the protocol cannot express, by their names in
    /// [`Request::left_out`](super::Request::left_out).
    pub(super) left_out: &'static [&'static str],
    /// Whether a body with the tool choice `none` still limits parallel calls.
    pub(super) limits_calls_without_choice: bool,
}
