//! Messages, and their text in each format. The text depends only on the format's data, as in a
//! template.

use prompty_reply::format::{
    Arguments, CallId, CallIdPosition, CallShape, Escape, Headers, JsonCall, NamePlace, NamedCall,
    Quoting, ReplyFormat, Suffix, Tools,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A possible answer of a model.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) reasoning: String,
    pub(crate) content: String,
    pub(crate) calls: Vec<Map<String, Value>>,
}

/// Texts that look like markup of some format, and like JSON.
const WORDS: &[&str] = &[
    "Bonn",
    "a b",
    "x",
    "\n",
    "\n\n",
    " ",
    "\"",
    "'",
    "\\",
    "\\n",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ",",
    ":",
    "=",
    "ö",
    "日本",
    "😀",
    "\t",
    "\u{1}",
    "\u{7f}",
    "<",
    ">",
    "</",
    "<|",
    "|>",
    "true",
    "None",
    "12",
    "null",
    "{}",
    "[1]",
    "<call>",
    "</call>",
    "<muse>",
    "</muse>",
    "<|over|>",
    "[CALLS]",
    "[/CALLS]",
    "[CALL]",
    "[ARGS]",
    "[ID]",
    "<do=weather>",
    "</do>",
    "<arg=size>",
    "</arg>",
    "</arg>\n<arg=",
    "<|do name=\"",
    "<|/arg|>",
    "<|/do|>",
    "<|calls|>",
    "<|/calls|>",
    "~<calls>",
    "~</city>",
    "~<item>",
    "~</do>",
    "~<",
    "<|call>",
    "<call|>",
    "<|q|>",
    "do:",
    "<|start|>assistant",
    "<|body|>",
    "<|end|>",
    "<|channel|>answer",
    " to=functions.weather",
    "{\"name\": \"weather\"",
    "\\u00",
    "```",
];

pub(crate) fn texts(longest: usize) -> impl Strategy<Value = String> {
    let words = prop::sample::select(WORDS).prop_map(str::to_owned);
    let word =
        prop_oneof![8 => words, 1 => "[ -~]{0,6}", 1 => any::<char>().prop_map(String::from)];
    prop::collection::vec(word, 0..longest).prop_map(|words| words.concat())
}

fn arguments() -> impl Strategy<Value = Map<String, Value>> {
    let either = prop_oneof![
        texts(5).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        Just(Value::Null)
    ];
    (
        prop::option::of(texts(8)),
        prop::option::of(any::<i64>()),
        prop::option::of(any::<bool>()),
        prop::option::of(prop::collection::vec(texts(3), 0..3)),
        prop::option::of((any::<i32>(), texts(3))),
        prop::option::of(either),
    )
        .prop_map(|(city, days, exact, tags, place, either)| {
            let mut arguments = Map::new();
            let mut set = |key: &str, value: Option<Value>| {
                value.map(|value| arguments.insert(key.to_owned(), value));
            };
            set("city", city.map(Value::from));
            set("days", days.map(Value::from));
            set("exact", exact.map(Value::from));
            set("tags", tags.map(Value::from));
            set("place", place.map(|(x, name)| json!({"x": f64::from(x) / 8.0, "name": name})));
            set("either", either);
            arguments
        })
}

pub(crate) fn messages() -> impl Strategy<Value = Message> {
    (texts(5), texts(5), prop::collection::vec(arguments(), 0..3))
        .prop_map(|(reasoning, content, calls)| Message { reasoning, content, calls })
}

/// Writes a message in a format.
pub(crate) fn write(format: &ReplyFormat, message: &Message) -> String {
    if let Some(headers) = &format.headers {
        return write_message_sequence(format, headers, message);
    }
    let mut out = String::new();
    if let Some(reasoning) = format.reasoning.as_ref().filter(|_| !message.reasoning.is_empty()) {
        out += &format!("{}{}{}", reasoning.open, message.reasoning, reasoning.close);
    }
    out.push_str(&message.content);
    if let Some(tools) = format.tools.as_ref().filter(|_| !message.calls.is_empty()) {
        write_calls(tools, &message.calls, &mut out);
    }
    if let Some(end) = format.turn.end.first() {
        out += end.to_string().trim_end();
    }
    out
}

fn write_message_sequence(format: &ReplyFormat, headers: &Headers, message: &Message) -> String {
    let end = headers.end.to_string();
    let mut parts = Vec::new();
    if !message.reasoning.is_empty() {
        let header = &headers.reasoning[0];
        parts.push(format!("{header}{end}{}{}", message.reasoning, headers.close[0]));
    }
    if !message.content.is_empty() {
        let header = &headers.content[0];
        parts.push(format!("{header}{end}{}{}", message.content, headers.close[0]));
    }
    for call in &message.calls {
        let header = format!("{}{}weather", headers.recipient, headers.namespace);
        parts.push(format!("{header}{end}{}{}", Value::from(call.clone()), headers.close[1]));
    }
    assert!(format.tools.is_some());
    parts.join(&headers.open.to_string())
}

fn write_calls(tools: &Tools, calls: &[Map<String, Value>], out: &mut String) {
    *out += &tools.section_open.to_string();
    out.push_str(if tools.array { "[" } else { "" });
    for (index, arguments) in calls.iter().enumerate() {
        if index > 0 {
            let comma = if tools.array { ", " } else { "" };
            out.push_str(if tools.separator.is_empty() { comma } else { &tools.separator });
        }
        *out += &tools.call_open.to_string();
        match &tools.shape {
            CallShape::Json(call) => *out += &json_call(call, index, arguments).to_string(),
            CallShape::Named(call) => write_named(call, index, arguments, out),
            _ => panic!("no such shape"),
        }
        *out += &tools.call_close.to_string();
    }
    out.push_str(if tools.array { "]" } else { "" });
    *out += &tools.section_close.to_string();
}

fn json_call(call: &JsonCall, index: usize, arguments: &Map<String, Value>) -> Value {
    if call.name_is_key {
        return json!({"weather": arguments});
    }
    let mut object = Map::new();
    object.insert(call.name_field.to_string(), "weather".into());
    object.insert(call.args_field.to_string(), arguments.clone().into());
    if !call.id_field.is_empty() {
        object.insert(call.id_field.to_string(), format!("id{index}").into());
    }
    object.into()
}

fn write_suffix(suffix: &Suffix, hint: &str, out: &mut String) {
    *out += &suffix.text.to_string();
    if let Some(it) = &suffix.hint {
        *out += &format!("{hint}{}", it.end);
    }
}

fn write_named(call: &NamedCall, index: usize, arguments: &Map<String, Value>, out: &mut String) {
    assert_eq!(call.name, NamePlace::Call);
    *out += &format!("{}weather", call.prefix);
    match &call.id {
        Some(CallId { position: CallIdPosition::BetweenFuncAndArgs, prefix, suffix }) => {
            *out += &format!("{prefix}id{index}{suffix}");
        }
        _ => write_suffix(&call.suffix, "7", out),
    }
    write_arguments(&call.arguments, arguments, out);
    *out += &call.close.to_string();
}

/// Writes a string, in quotes if it may contain a tag.
pub(crate) fn quoted(Quoting { open, close, escapes }: &Quoting, text: &str) -> String {
    let escaped = |text: String, it: &Escape| text.replace(&*it.meant, &it.written);
    let text = escapes.iter().fold(text.to_owned(), escaped);
    if text.contains('<') { format!("{open}{text}{close}") } else { text }
}

fn write_arguments(how: &Arguments, arguments: &Map<String, Value>, out: &mut String) {
    match how {
        Arguments::Json => *out += &Value::from(arguments.clone()).to_string(),
        Arguments::Tagged { key_open, key_close, value_close, separator, quoting } => {
            for (index, (key, value)) in arguments.iter().enumerate() {
                out.push_str(if index > 0 { separator } else { "" });
                *out += &format!("{key_open}{key}");
                let is_text = value.is_string();
                let hint = key_close.hint.as_ref().map_or("", |hint| &hint.string[0]);
                write_suffix(key_close, if is_text { hint } else { "other" }, out);
                match value.as_str() {
                    Some(text) => *out += &quoted(quoting, text),
                    None => *out += &value.to_string(),
                }
                *out += &value_close.to_string();
            }
        }
        Arguments::Nested { .. } => {
            for (key, value) in arguments {
                write_nested(how, key, value, out);
            }
        }
        Arguments::Literal { open, assign, separator, quote, close } => {
            out.push_str(open);
            for (index, (key, value)) in arguments.iter().enumerate() {
                out.push_str(if index > 0 { separator } else { "" });
                *out += &format!("{key}{assign}");
                write_literal(value, quote, out);
            }
            out.push_str(close);
        }
        _ => panic!("no such arguments"),
    }
}

fn write_nested(how: &Arguments, key: &str, value: &Value, out: &mut String) {
    let Arguments::Nested { open_prefix, open_suffix, close_prefix, close_suffix, item } = how
    else {
        panic!("not nested");
    };
    *out += &format!("{open_prefix}{key}{open_suffix}");
    match value {
        Value::String(text) => out.push_str(text),
        Value::Array(items) => items.iter().for_each(|it| write_nested(how, item, it, out)),
        Value::Object(map) => map.iter().for_each(|(key, it)| write_nested(how, key, it, out)),
        other => *out += &other.to_string(),
    }
    *out += &format!("{close_prefix}{key}{close_suffix}");
}

/// Writes a value as Python prints it, or between quoting tokens.
fn write_literal(value: &Value, quote: &str, out: &mut String) {
    let python = quote.is_empty();
    match value {
        Value::Null if python => out.push_str("None"),
        Value::Bool(yes) if python => out.push_str(if *yes { "True" } else { "False" }),
        Value::String(text) if python => {
            let text = text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n");
            *out += &format!("'{text}'");
        }
        Value::String(text) => *out += &format!("{quote}{text}{quote}"),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write_literal(item, quote, out);
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (index, (key, item)) in map.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                *out += &if python { format!("'{key}': ") } else { format!("{key}:") };
                write_literal(item, quote, out);
            }
            out.push('}');
        }
        other => *out += &other.to_string(),
    }
}
