//! Parts of messages that only one provider understands: whether a message of a role may hold them. They reach
//! messages from stored conversations as well, which may come from outside, so no such part speaks in another's name.

use crate::error::Result;
use prompty_core::message::{ProviderPart, Role};
use prompty_core::value::{Map, Value};

use super::error::WireError;
use super::protocol::Protocol;

/// A part of the protocol in a message of somebody else than the model: its map, if the kind is one that the role may
/// send.
///
/// # Errors
///
/// Where the part is of another protocol, or of another role.
pub(super) fn said_by<'r>(
    role: &Role,
    part: &'r ProviderPart,
    protocol: &str,
    may_send: impl FnOnce(&str) -> bool,
) -> Result<&'r Value> {
    if part.protocol != protocol {
        return Err(WireError::part_of_another(part));
    }
    let map = map(part)?;
    let kind = part.kind().unwrap_or_default();
    if map.contains_key("role") || !may_send(kind) {
        return Err(WireError::no_part(if kind.is_empty() { "provider" } else { kind }, role));
    }
    Ok(&part.value)
}

/// The map of a part: all parts and items of all protocols are maps.
pub(super) fn map(part: &ProviderPart) -> Result<&Map> {
    part.value.as_object().ok_or_else(|| {
        let found = part.value.kind_name();
        WireError::unsupported(format!("a part of `{}` is no map, but {found}", part.protocol))
            .with_help("leave it out")
    })
}

const ANTHROPIC: &str = Protocol::AnthropicMessages.part_name();
const RESPONSES: &str = Protocol::OpenAiResponses.part_name();

/// The kinds of parts that are what a tool answers, with the names of their protocols.
const RESULTS: [(&str, &str); 8] = [
    (ANTHROPIC, "tool_result"),
    (RESPONSES, "apply_patch_call_output"),
    (RESPONSES, "computer_call_output"),
    (RESPONSES, "custom_tool_call_output"),
    (RESPONSES, "function_call_output"),
    (RESPONSES, "local_shell_call_output"),
    (RESPONSES, "shell_call_output"),
    (RESPONSES, "tool_search_output"),
];

/// Whether a part is what a tool answers, in the form of the protocol.
pub(super) fn is_result(part: &ProviderPart, protocol: &str) -> bool {
    let is_of = |kind: &str| RESULTS.contains(&(protocol, kind));
    part.protocol == protocol && part.kind().is_some_and(is_of)
}

/// Whether a part is reasoning in the provider's own form.
pub(super) fn is_reasoning(part: &ProviderPart) -> bool {
    let kinds = ["thinking", "redacted_thinking", "reasoning", "reasoning_details"];
    part.kind().is_some_and(|kind| kinds.contains(&kind))
}
