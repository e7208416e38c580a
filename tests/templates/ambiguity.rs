//! Finds messages whose text is also the text of another message. A parser cannot distinguish them.

use serde_json::Value;
use typed_prompty::reply::format::{Arguments, CallShape, Marker, NamedCall, ReplyFormat};

use super::markers::{dense, markers};
use super::messages::{AssistantMessage, schema};

/// The reason why the text of a message is also that of another one.
pub(crate) fn ambiguity(format: &ReplyFormat, message: &AssistantMessage) -> Option<&'static str> {
    if message.reasoning.is_none() && format.reasoning.as_ref().is_some_and(|it| it.open.is_none())
    {
        return Some("reasoning has no opener, so nothing shows that there is no reasoning");
    }
    let texts = [&message.reasoning, &message.content].into_iter().flatten();
    let tokens = control_tokens(format);
    if texts.clone().any(|text| tokens.iter().any(|token| dense(text).contains(&**token))) {
        return Some("a control token in a text is dropped, or is read as markup");
    }
    let tools = format.tools.as_ref()?;
    let is_bracket = message.content.as_ref().is_some_and(|content| dense(content) == "[");
    if is_bracket && !message.calls.is_empty() && matches!(tools.shape, CallShape::Json(_)) {
        return Some("a single bracket before calls may open a list of calls");
    }
    let CallShape::Named(call) = &tools.shape else { return None };
    let mut leaves = Leaves::default();
    message.calls.iter().for_each(|call| leaves.add(&call.arguments));
    match &call.arguments {
        Arguments::Tagged { value_close, .. } => {
            let followers = followers(format, call);
            let is_cut = |text: &String| closes(text, &value_close.text, &followers);
            leaves.texts.iter().any(is_cut).then_some(
                "a raw value contains its closing tag and a text that may follow a value",
            )
        }
        Arguments::Nested { .. } if leaves.has_null => Some("nested tags omit null"),
        Arguments::Nested { .. } if leaves.has_mixed_list => {
            Some("nested tags write a string like the value that it looks like")
        }
        Arguments::Nested { open_prefix, open_suffix, close_prefix, close_suffix, item } => {
            let tag = |before: &Marker, key: &str, after: &Marker| {
                dense(&format!("{}{key}{}", before.text, after.text))
            };
            let keys = leaves.keys.iter().map(|key| &**key).chain([&**item]);
            let mut tags = keys.flat_map(|key| {
                [tag(open_prefix, key, open_suffix), tag(close_prefix, key, close_suffix)]
            });
            let texts: Vec<String> = leaves.texts.iter().map(|text| dense(text)).collect();
            let has_tag = tags.any(|tag| texts.iter().any(|text| text.contains(&tag)));
            has_tag.then_some("a raw value contains a tag of the call")
        }
        Arguments::Literal { quote, .. } if !quote.is_empty() => leaves
            .texts
            .iter()
            .any(|text| text.contains(&**quote))
            .then_some("a string contains the token that quotes it"),
        _ => None,
    }
}

/// The control tokens in the markers of a format.
fn control_tokens(format: &ReplyFormat) -> Vec<String> {
    let markers = markers(format);
    let pieces = markers.structure.iter().flat_map(|marker| marker.split_inclusive('>'));
    let tokens = pieces.filter_map(|piece| piece.get(piece.rfind('<')?..));
    let is_control = |token: &&str| ["<|", "|>", "<｜", "｜>"].iter().any(|it| token.contains(it));
    tokens.filter(|token| token.ends_with('>')).filter(is_control).map(dense).collect()
}

/// The texts that may follow a tagged value: another argument, the end of the call, or another
/// call.
fn followers(format: &ReplyFormat, call: &NamedCall) -> Vec<String> {
    let mut marks: Vec<&Marker> = vec![&call.close, &call.prefix];
    if let Some(tools) = &format.tools {
        marks.extend([
            &tools.call_close,
            &tools.section_close,
            &tools.call_open,
            &tools.section_open,
        ]);
    }
    if let Arguments::Tagged { key_open, .. } = &call.arguments {
        marks.push(key_open);
    }
    marks.extend(format.turn.end.iter());
    let marks = marks.into_iter().filter(|mark| !mark.is_none());
    marks.map(|mark| dense(&mark.text)).collect()
}

/// Whether a text contains a closing tag that is followed by a follower, with any white space
/// between them.
fn closes(text: &str, close: &str, followers: &[String]) -> bool {
    let (text, close) = (dense(text), dense(close));
    text.match_indices(&*close).any(|(at, _)| {
        let after = &text[at + close.len()..];
        followers.iter().any(|follower| after.starts_with(&**follower))
    })
}

/// The values in arguments.
#[derive(Debug, Default)]
struct Leaves {
    texts: Vec<String>,
    keys: Vec<String>,
    has_null: bool,
    /// Whether a list contains values of several types.
    has_mixed_list: bool,
}

impl Leaves {
    fn add(&mut self, value: &Value) {
        match value {
            Value::Null => self.has_null = true,
            Value::String(text) => self.texts.push(text.clone()),
            Value::Array(items) => {
                self.has_mixed_list |= schema(value)["items"].get("anyOf").is_some();
                items.iter().for_each(|item| self.add(item));
            }
            Value::Object(entries) => {
                self.keys.extend(entries.keys().cloned());
                entries.values().for_each(|item| self.add(item));
            }
            Value::Bool(_) | Value::Number(_) => {}
        }
    }
}
