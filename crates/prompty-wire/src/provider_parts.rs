//! Parts of messages that only one provider understands: whether a message of a role may hold them. They reach
//! messages from stored conversations as well, which may come from outside, so no such part speaks in another's name.

use prompty_core::message::{ProviderPart, Role};
use prompty_core::value::{Map, Value};

use super::error::{Result, WireError};
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

/// Whether a part is what a tool answers, in the form of the protocol.
pub(super) fn is_result(part: &ProviderPart, protocol: Protocol) -> bool {
    let rules = protocol.rules();
    part.protocol == rules.part_name
        && part.kind().is_some_and(|it| rules.result_kinds.contains(&it))
}

/// Whether a part is reasoning in the provider's own form.
pub(super) fn is_reasoning(part: &ProviderPart) -> bool {
    let kinds = ["thinking", "redacted_thinking", "reasoning", "reasoning_details"];
    part.kind().is_some_and(|kind| kinds.contains(&kind))
}
