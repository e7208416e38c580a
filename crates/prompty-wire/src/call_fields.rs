//! What providers say of calls beside what calls are for all, and want back with them.

use prompty_core::message::ToolCall;
use prompty_core::value::{Map, Value};
use serde::ser::SerializeMap;

/// The fields of a call that its provider wants back: those of a list, where they say anything.
pub(super) fn provider_fields(call: &Map, names: &[&str]) -> Map {
    let fields = names.iter().filter_map(|name| Some((*name, call.get(name)?)));
    fields.filter(|(name, value)| says_more(name, value)).map(|(k, v)| (k, v.clone())).collect()
}

/// Whether a field of a call says more than no field does. A call that the model makes itself is the usual one, and
/// hosts that do not know of others refuse the word.
pub(super) fn says_more(name: &str, value: &Value) -> bool {
    let kind = value.get("type").and_then(Value::as_str);
    let is_usual = name == "caller" && kind == Some("direct");
    !value.is_null() && !is_usual
}

/// Writes the fields of a call that its provider wants back. A stored call can hold others, which are no provider's.
pub(super) fn write_provider_fields<M: SerializeMap>(
    map: &mut M,
    call: &ToolCall,
    protocol: &str,
    names: &[&str],
) -> Result<(), M::Error> {
    let fields = names.iter().filter_map(|name| Some((name, call.provider_field(protocol, name)?)));
    fields
        .filter(|(name, value)| says_more(name, value))
        .try_for_each(|(name, value)| map.serialize_entry(name, value))
}
