//! Writing a response template.

use super::pattern::{MOST_SPACE, escape, is_literal, of_marker, of_suffix};
use crate::format::{
    Arguments, CallShape, Content, ContentMode, Headers, JsonCall, Marker, NamePlace, NamedCall,
    ReplyFormat, Tools,
};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::{Map, Value};

/// The characters that a name cannot contain.
const NOT_IN_NAMES: &str = "\\s<>{}\\[\\]()\"'";

impl ReplyFormat {
    /// Writes the format as a response template, for a `tokenizer_config.json`. A format that is
    /// read from it parses replies in the same way.
    ///
    /// # Errors
    ///
    /// Returns an error of the kind [`ErrorKind::Conversion`] if a response template cannot express
    /// the format. The message names the key.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_reply as reply; }
    /// use typed_prompty::reply::format::{CallShape, JsonCall, ReplyFormat, Tools};
    ///
    /// let mut format = ReplyFormat::plain();
    /// format.turn.open = "<|turn|>assistant\n".into();
    /// format.tools = Some(
    ///     Tools::new(CallShape::Json(JsonCall::default())).with_call("<call>", "</call>"),
    /// );
    /// let template = format.to_response_template()?;
    /// let calls = template.get("fields").and_then(|fields| fields.get("tool_calls")).unwrap();
    /// assert_eq!(calls.get("open").and_then(|open| open.as_str()), Some("<call>"));
    /// assert_eq!(ReplyFormat::from_response_template(&template)?, format);
    /// # Ok::<_, prompty_core::Error>(())
    /// ```
    pub fn to_response_template(&self) -> Result<Value, Error> {
        write(self).map_err(|problem| {
            let message = format!("a response template cannot express {problem}");
            Error::new(ErrorKind::Conversion, message)
                .with_help("store the format with `ReplyFormat::to_json` instead")
        })
    }
}

fn write(format: &ReplyFormat) -> Result<Value, String> {
    let mut fields = Map::new();
    let mut anchor = format.turn.open.to_string();
    if let Some(headers) = &format.headers {
        anchor = anchor_of(headers, anchor)?;
        write_headers(headers, format.tools.as_ref(), &mut fields)?;
    } else {
        write_plain(format, &mut fields)?;
    }
    if anchor.is_empty() {
        return Err("a turn without an opener: `turn.open`".to_owned());
    }
    let template = [
        ("version", Value::from(1)),
        ("defaults", Map::from([("role", "assistant")]).into()),
        ("start_anchor", anchor.into()),
        ("fields", fields.into()),
    ];
    Ok(Map::from(template).into())
}

fn write_plain(format: &ReplyFormat, fields: &mut Map) -> Result<(), String> {
    if let Some(reasoning) = &format.reasoning {
        if reasoning.open.is_none() || reasoning.close.is_none() {
            return Err("reasoning without an opener or a closer: `reasoning`".to_owned());
        }
        let mut field = text_field();
        insert_marker(&mut field, "open", &reasoning.open, "reasoning.open")?;
        insert_marker(&mut field, "close", &reasoning.close, "reasoning.close")?;
        fields.insert("thinking", field);
    }
    if let Some(tools) = &format.tools {
        fields.insert("tool_calls", write_calls(tools)?);
    }
    let content = write_content(&format.content, &format.turn.end)?;
    fields.insert("content", content);
    Ok(())
}

/// A field of text that is not changed, with all its parts joined.
fn text_field() -> Map {
    Map::from([
        ("content", Value::from("text")),
        ("content_args", Map::from([("strip", false)]).into()),
        ("repeats", true.into()),
        ("join", "".into()),
    ])
}

/// The error about a marker with too much white space.
fn white_space(name: &str) -> String {
    format!("more than {MOST_SPACE} equal white space characters in a row: `{name}`")
}

/// Adds an opener or a closer: as a string, or as a pattern if it has white space around it.
fn insert_marker(field: &mut Map, key: &str, marker: &Marker, name: &str) -> Result<(), String> {
    if is_literal(marker) {
        field.insert(key, &*marker.text);
        return Ok(());
    }
    field.insert(format!("{key}_pattern"), pattern_of(marker, name)?);
    Ok(())
}

/// Adds an opener or a closer that is one of several strings.
fn insert_strings(field: &mut Map, key: &str, texts: Vec<String>) {
    match <[String; 1]>::try_from(texts) {
        Ok([text]) => field.insert(key, text),
        Err(texts) if texts.is_empty() => None,
        Err(texts) => field.insert(key, texts),
    };
}

fn write_content(content: &Content, ends: &[Marker]) -> Result<Map, String> {
    let mut field = text_field();
    let ends = ends.iter().filter(|end| !end.is_none()).map(|end| end.text.to_string());
    let ends: Vec<String> = ends.collect();
    match content.mode {
        ContentMode::Plain => insert_strings(&mut field, "close", ends),
        ContentMode::AlwaysWrapped if content.open.is_none() => {
            return Err("content without an opener: `content.open`".to_owned());
        }
        ContentMode::AlwaysWrapped => {
            insert_marker(&mut field, "open", &content.open, "content.open")?;
            // A single closer may be a pattern. One of several closers must be a string.
            if ends.is_empty() && !content.close.is_none() {
                insert_marker(&mut field, "close", &content.close, "content.close")?;
            } else if is_literal(&content.close) {
                let close = Some(content.close.text.to_string()).filter(|close| !close.is_empty());
                insert_strings(&mut field, "close", close.into_iter().chain(ends).collect());
            } else {
                return Err("white space in one of several closers: `content.close`".to_owned());
            }
        }
        ContentMode::WrappedWithReasoning => {
            return Err("content that is wrapped only after reasoning: `content.mode`".to_owned());
        }
    }
    Ok(field)
}

fn write_calls(tools: &Tools) -> Result<Map, String> {
    if !tools.separator.trim().is_empty() {
        return Err("text between calls: `tools.separator`".to_owned());
    }
    match &tools.shape {
        CallShape::Json(call) => write_json(tools, call),
        CallShape::Named(call) => write_named(tools, call),
    }
}

/// Writes calls that are JSON objects: in one list, each with markers, or each with markers inside
/// a section.
fn write_json(tools: &Tools, call: &JsonCall) -> Result<Map, String> {
    if call.name_is_key {
        return Err("a name that is a key: `tools.shape.json.name_is_key`".to_owned());
    }
    let mut field = Map::new();
    let has_section = !tools.section_open.is_none() && !tools.section_close.is_none();
    let has_call = !tools.call_open.is_none() && !tools.call_close.is_none();
    let call_open = with_separator(tools, &tools.call_open);
    // The start of all paths in the transform.
    let root = match (tools.array, has_section, has_call) {
        (true, true, false) => {
            insert_marker(&mut field, "open", &tools.section_open, "tools.section_open")?;
            insert_marker(&mut field, "close", &tools.section_close, "tools.section_close")?;
            field.insert("transform_each", true);
            ""
        }
        (false, false, true) => {
            insert_marker(&mut field, "open", &call_open, "tools.call_open")?;
            insert_marker(&mut field, "close", &tools.call_close, "tools.call_close")?;
            field.insert("repeats", true);
            "content."
        }
        (false, true, true) => {
            let opener = pattern_of(&call_open, "tools.call_open")?;
            insert_section(&mut field, tools, &opener, &[])?;
            "content."
        }
        _ => {
            return Err("calls without an opener and a closer for each, or for a list of them: \
                        `tools`"
                .to_owned());
        }
    };
    field.insert("content", "json");
    let inside = if call.function_field.is_empty() { "" } else { "." };
    let at = |key: &str| format!("{{{root}{}{inside}{key}}}", call.function_field);
    let mut transform = function_transform(at(&call.name_field), at(&call.args_field));
    let id = if call.id_field.is_empty() { &call.gen_id_field } else { &call.id_field };
    if !id.is_empty() {
        transform.insert("id", format!("{{{root}{id}}}"));
    }
    field.insert("transform", transform);
    let keys = [&call.name_field, &call.args_field, &call.function_field, id];
    let is_word =
        |key: &str| key.chars().all(|character| character.is_alphanumeric() || character == '_');
    if !keys.iter().all(|key| is_word(key))
        || call.name_field.is_empty()
        || call.args_field.is_empty()
    {
        return Err("keys that are not words: `tools.shape.json`".to_owned());
    }
    Ok(field)
}

/// The opener of a call, with the white space between calls before it.
fn with_separator(tools: &Tools, opener: &Marker) -> Marker {
    let before = format!("{}{}", tools.separator, opener.before);
    Marker { before: before.into(), ..opener.clone() }
}

/// Writes a marker as a pattern. The name is for the error message.
fn pattern_of(marker: &Marker, name: &str) -> Result<String, String> {
    of_marker(marker).ok_or_else(|| white_space(name))
}

/// Adds the opener and the closer of a call, with the optional markers around all calls.
fn insert_section(
    field: &mut Map,
    tools: &Tools,
    opener: &str,
    inner_close: &[&Marker],
) -> Result<(), String> {
    let around = |marker: &Marker, name: &str| {
        let pattern = pattern_of(marker, name)?;
        Ok::<_, String>(if marker.is_none() { String::new() } else { format!("(?:{pattern})?") })
    };
    let section_open = around(&tools.section_open, "tools.section_open")?;
    let section_close = around(&tools.section_close, "tools.section_close")?;
    let mut closer = String::new();
    for marker in inner_close.iter().copied().chain([&tools.call_close]) {
        closer += &pattern_of(marker, "tools.call_close")?;
    }
    field.insert("open_pattern", format!("{section_open}{opener}"));
    field.insert("close_pattern", format!("{closer}{section_close}"));
    field.insert("repeats", true);
    Ok(())
}

/// Writes calls whose name is in markup.
fn write_named(tools: &Tools, call: &NamedCall) -> Result<Map, String> {
    let unsupported = |what: &str| Err(format!("{what}: `tools.shape.named`"));
    if call.name != NamePlace::Call {
        return unsupported("a name outside a call's opener");
    }
    if call.id.is_some() {
        return unsupported("an optional id");
    }
    if tools.array {
        return Err("a list of calls that are not JSON: `tools.array`".to_owned());
    }
    if tools.call_open.is_none() && call.prefix.is_none() {
        return unsupported("a name without a preceding marker");
    }
    if call.close.is_none() && tools.call_close.is_none() {
        return unsupported("a call without a closer");
    }
    let (outer, prefix) = if tools.call_open.is_none() {
        (String::new(), with_separator(tools, &call.prefix))
    } else {
        let opener = with_separator(tools, &tools.call_open);
        (pattern_of(&opener, "tools.call_open")?, call.prefix.clone())
    };
    let prefix = pattern_of(&prefix, "tools.shape.named.prefix")?;
    let suffix = of_suffix(&call.suffix).ok_or_else(|| white_space("tools.shape.named.suffix"))?;
    let name = name_group(&call.namespace, call.suffix.text.text.chars().next());
    let mut field = Map::new();
    insert_section(&mut field, tools, &format!("{outer}{prefix}{name}{suffix}"), &[&call.close])?;
    write_arguments(&call.arguments, &mut field)?;
    field.insert("transform", named_transform());
    Ok(field)
}

/// The transform of calls whose name is in markup.
fn named_transform() -> Map {
    function_transform("{name}".to_owned(), "{content}".to_owned())
}

/// The transform that takes the name and the arguments from these placeholders.
fn function_transform(name: String, arguments: String) -> Map {
    let function = Map::from([("name", name), ("arguments", arguments)]);
    Map::from([("type", Value::from("function")), ("function", function.into())])
}

/// Writes the group of a name: `(?:functions\.)?(?P<name>[^…]+)`. The name ends before `stop`, the
/// first character after it.
fn name_group(namespace: &str, stop: Option<char>) -> String {
    let namespace = match escape(namespace) {
        namespace if namespace.is_empty() => namespace,
        namespace => format!("(?:{namespace})?"),
    };
    let stop = match stop {
        Some(stop) if !"<>{}[]()\"'".contains(stop) => {
            let is_plain = stop.is_alphanumeric();
            if is_plain { stop.to_string() } else { format!("\\{stop}") }
        }
        _ => String::new(),
    };
    format!("{namespace}(?P<name>[^{NOT_IN_NAMES}{stop}]+)")
}

fn write_arguments(arguments: &Arguments, field: &mut Map) -> Result<(), String> {
    let mut insert_content = |kind: &str, arguments: Option<Map>| {
        field.insert("content", kind);
        arguments.map(|arguments| field.insert("content_args", arguments));
    };
    let unsupported = |what: &str| Err(format!("{what}: `tools.shape.named.arguments`"));
    match arguments {
        Arguments::Json => insert_content("json", None),
        Arguments::Literal { open, assign, separator, quote, close } => {
            if [open, assign, close] != ["{", ":", "}"] || separator != "," {
                return unsupported("assignments other than `{key:value,key:value}`");
            }
            let mut arguments = Map::from([("unquoted_keys", true)]);
            if !quote.is_empty() {
                arguments.insert("string_delims", [[&**quote, quote]]);
            }
            insert_content("json", Some(arguments));
        }
        Arguments::Tagged { key_open, key_close, value_close, separator, quoting } => {
            if key_close.hint.as_ref().is_some_and(|hint| !hint.string.is_empty()) {
                return unsupported("types in the markup of arguments");
            }
            if !separator.trim().is_empty() {
                return unsupported("text between arguments");
            }
            if !quoting.is_none() {
                return unsupported("quotes around some of the strings only");
            }
            if key_open.is_none() || value_close.is_none() {
                return unsupported("arguments without markers");
            }
            let name = "tools.shape.named.arguments";
            let key_close = of_suffix(key_close).ok_or_else(|| white_space(name))?;
            let pattern = format!(
                "{}(?P<key>.*?){key_close}(?P<value>.*?){}",
                pattern_of(key_open, name)?,
                pattern_of(value_close, name)?
            );
            insert_content("xml-inline", Some(Map::from([("tag_pattern", pattern)])));
        }
        Arguments::Nested { .. } => return unsupported("tags inside tags"),
    }
    Ok(())
}

/// The start anchor of a format with headers. A template has one anchor for the turn and the
/// message.
fn anchor_of(headers: &Headers, turn: String) -> Result<String, String> {
    if turn.is_empty() {
        return Ok(headers.open.to_string());
    }
    if Marker::new(&turn).text != headers.open.text {
        return Err(
            "messages with an opener other than that of the turn: `headers.open`".to_owned()
        );
    }
    Ok(turn)
}

fn write_headers(headers: &Headers, tools: Option<&Tools>, fields: &mut Map) -> Result<(), String> {
    if !is_literal(&headers.end) || headers.end.is_none() {
        return Err("headers whose end is missing or has white space: `headers.end`".to_owned());
    }
    if headers.close.iter().any(|close| !is_literal(close) || close.is_none()) {
        return Err("bodies whose end is missing or has white space: `headers.close`".to_owned());
    }
    let end = &headers.end.text;
    let closers = || headers.close.iter().map(|close| close.text.to_string()).collect();
    for (name, heads) in [("thinking", &headers.reasoning), ("content", &headers.content)] {
        if heads.is_empty() {
            continue;
        }
        let mut field = text_field();
        let openers = heads.iter().map(|head| format!("{head}{end}")).collect();
        insert_strings(&mut field, "open", openers);
        insert_strings(&mut field, "close", closers());
        fields.insert(name, field);
    }
    let Some(tools) = tools else {
        return Err("a sequence of messages without calls: `headers`".to_owned());
    };
    let call = match &tools.shape {
        CallShape::Named(call) if call.name == NamePlace::Header => call,
        _ => {
            return Err(
                "calls whose name is not in the header of a message: `tools.shape`".to_owned()
            );
        }
    };
    if headers.recipient.trim().is_empty() || headers.close.is_empty() {
        return Err("calls without a recipient or an end: `headers`".to_owned());
    }
    let mut field = Map::new();
    let recipient = escape(&format!("{}{}", headers.recipient, headers.namespace));
    let name = name_group("", None);
    let open = format!("{recipient}{name}.*?{}", escape(end));
    field.insert("open_pattern", open);
    insert_strings(&mut field, "close", closers());
    field.insert("repeats", true);
    write_arguments(&call.arguments, &mut field)?;
    field.insert("transform", named_transform());
    fields.insert("tool_calls", field);
    Ok(())
}
