//! Checks of parts that only one provider understands.
//!
//! Messages may come from stored conversations, which may come from outside. Therefore such a part
//! must not appear to come from another role.
//!
//! A provider part is written only in its own protocol. Other protocols leave it out of the model's
//! messages, because it has no meaning there. In any other message it is an error.

use prompty_core::message::{ProviderPart, Role};
use prompty_core::value::{Map, Value};

use super::error::{Result, WireError};
use super::protocol::Protocol;

/// The JSON of a provider part in a message that is not from the model.
///
/// # Errors
///
/// Returns an error if the part belongs to another protocol, or the role may not send it.
pub(super) fn part_for_role<'r>(
    role: &Role,
    part: &'r ProviderPart,
    protocol: &str,
    may_send: impl FnOnce(&str) -> bool,
) -> Result<&'r Value> {
    if part.protocol != protocol {
        return Err(WireError::foreign_part(part));
    }
    let map = object_of(part)?;
    let kind = part.kind().unwrap_or_default();
    if map.contains_key("role") || !may_send(kind) {
        return Err(WireError::unsupported_part(
            if kind.is_empty() { "provider" } else { kind },
            role,
        ));
    }
    Ok(&part.value)
}

/// The JSON object of a part. All parts and items of all protocols are objects.
pub(super) fn object_of(part: &ProviderPart) -> Result<&Map> {
    part.value.as_object().ok_or_else(|| {
        let found = part.value.kind_name();
        WireError::unsupported(format!(
            "expected an object as a part of `{}`, found {found}",
            part.protocol
        ))
        .with_help("remove it")
    })
}

/// Whether a part is the result of a call, in the form of the protocol.
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
