//! Fields of calls that only their provider understands, and that it wants back.
//!
//! Without Google's signature of the reasoning, for example, Google refuses the call. Each protocol
//! has a list of these fields, so a stored call cannot set others.

use prompty_core::message::ToolCall;
use prompty_core::value::{Map, Value};

/// The fields of a call with the given names, if they have a meaning.
pub(super) fn provider_fields(call: &Map, names: &[&str]) -> Map {
    let fields = names.iter().filter_map(|name| Some((*name, call.get(name)?)));
    fields.filter(|(name, value)| has_meaning(name, value)).map(|(k, v)| (k, v.clone())).collect()
}

/// Whether a field of a call means more than a missing field. `caller` with the type `direct` is
/// the default, and hosts that do not know other callers refuse it.
pub(super) fn has_meaning(name: &str, value: &Value) -> bool {
    let kind = value.get("type").and_then(Value::as_str);
    let is_usual = name == "caller" && kind == Some("direct");
    !value.is_null() && !is_usual
}

/// The fields of a call that are written: those with the given names. A stored call can contain
/// other fields.
pub(super) fn written_fields<'c>(
    call: &'c ToolCall,
    protocol: &str,
    names: &[&'c str],
) -> impl Iterator<Item = (&'c str, &'c Value)> {
    let fields =
        names.iter().filter_map(move |name| Some((*name, call.provider_field(protocol, name)?)));
    fields.filter(|(name, value)| has_meaning(name, value))
}
