//! References to slots in texts: `${input}` becomes the title of that block, `[INPUT]`, and
//! `${info.city}` becomes `[INFO > city]`.

use crate::value::{Map, Value};

use super::layout::Layout;
use super::placeholders::next_placeholder;
use super::slot::Slot;

/// Replaces references by titles in all strings of a value. Unknown references are kept.
pub(super) fn resolve(value: &Value, layout: &Layout) -> Value {
    match value {
        Value::String(text) => Value::from(resolve_text(text, layout)),
        Value::Array(items) => items.iter().map(|item| resolve(item, layout)).collect(),
        Value::Object(map) => {
            let entries = map.iter().map(|(name, item)| (name, resolve(item, layout)));
            entries.collect::<Map>().into()
        }
        other => other.clone(),
    }
}

/// Replaces references by titles in a text.
pub(super) fn resolve_text(text: &str, layout: &Layout) -> String {
    let mut resolved = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, placeholder, after)) = next_placeholder(rest) {
        resolved.push_str(before);
        match referenced_title(placeholder.name, layout) {
            Some(title) => resolved.push_str(&title),
            None => resolved.push_str(placeholder.written),
        }
        rest = after;
    }
    resolved.push_str(rest);
    resolved
}

fn referenced_title(name: &str, layout: &Layout) -> Option<String> {
    let mut steps = name.split('.').map(str::trim);
    let slot = referenced_slot(steps.next()?)?;
    let path = steps.map(|step| format!(" > {step}")).collect::<String>();
    Some(format!("[{}{path}]", layout.title(slot)))
}

/// The slot with a name, in any case, and with `-` or `_`.
pub(super) fn referenced_slot(name: &str) -> Option<Slot> {
    match name.to_lowercase().replace('-', "_").as_str() {
        "instruction" | "instructions" => Some(Slot::Instruct),
        // The block of the requirement describes the output.
        "output" | "output_requirement" => Some(Slot::OutputFormat),
        // Attachments and options have no block. The block of the format has the names above.
        "attachment" | "options" | "output_format" => None,
        name => Slot::from_name(name),
    }
}
