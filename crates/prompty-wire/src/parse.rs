//! Reads the bodies of requests: what all protocols have in common.

use std::borrow::Cow;

use prompty_core::message::{
    ContentPart, Strictness, ToolChoice, ToolSpec, arguments_text, tool_from_openai,
};
use prompty_core::value::{Map, Value};

use super::error::WireError;
use super::fields::EXACT;
use super::kept::{Original, Piece, unknown};
use super::options::PromptCache;
use super::protocol::Protocol;
use super::request::{OUTPUT_NAME, Request};
use super::response_format::FormatKind;

impl Request<'_> {
    /// Reads the body of a request in a protocol. So a service can take requests in one protocol and send them
    /// in another.
    ///
    /// What only that protocol knows is kept, and written in that protocol alone: options, tools that the provider
    /// runs, parts of messages.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::value; pub use prompty_wire as wire; }
    /// use typed_prompty::value::{Map, Value};
    /// use typed_prompty::wire::{Protocol, Request};
    ///
    /// let body = Value::from_json(
    ///     r#"{"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}], "n": 2}"#,
    /// )?;
    /// let request = Request::from_value(Protocol::OpenAiChat, &body)?;
    /// let request = request.with_protocol(Protocol::OpenAiResponses);
    /// assert_eq!(
    ///     request.to_json()?,
    ///     r#"{"model":"m","input":[{"role":"user","content":"Hi"}],"max_output_tokens":9}"#
    /// );
    /// assert_eq!(request.left_out(), ["n"]);
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`WireErrorKind::Unreadable`](super::WireErrorKind::Unreadable) where the body is not one of the protocol;
    /// the message says where.
    pub fn from_value(protocol: Protocol, body: &Value) -> Result<Request<'static>, WireError> {
        request(protocol, body)
    }
}

/// Reads the body of a request in a protocol.
fn request(protocol: Protocol, body: &Value) -> Result<Request<'static>, WireError> {
    let Value::Object(map) = body else {
        return Err(wrong(format!("a request is a map, found {}", body.kind_name())));
    };
    let mut fields = Fields { left: map.clone() };
    let mut request = Request::new(fields.text("model").unwrap_or_default(), &[]);
    request.protocol = protocol;
    request.read_from = Some(protocol);
    request.options.temperature = fields.number("temperature");
    request.options.top_p = fields.number("top_p");
    match fields.left.get("stream") {
        Some(Value::Bool(true)) => {
            request.is_streaming = true;
            fields.left.remove("stream");
        }
        Some(Value::Bool(false) | Value::Null) => {
            fields.left.remove("stream");
        }
        _ => {}
    }
    protocol.parse(&mut fields, &mut request)?;
    request.options.additional = fields.left;
    Ok(request)
}

pub(super) fn wrong(message: impl Into<String>) -> WireError {
    WireError::unreadable(format!("the request cannot be read: {}", message.into()))
        .with_help("check that the body belongs to the protocol")
}

/// The fields of a body. What is not taken is an additional option.
pub(super) struct Fields {
    pub(super) left: Map,
}

impl Fields {
    /// Takes a field, if it is of the kind that is read; another stays.
    pub(super) fn take<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Option<T> {
        let taken = self.left.get(name).and_then(read)?;
        self.left.remove(name);
        Some(taken)
    }

    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        self.take(name, |value| value.as_str().map(str::to_owned))
    }

    pub(super) fn number(&mut self, name: &str) -> Option<f64> {
        self.take(name, Value::as_f64)
    }

    pub(super) fn count(&mut self, name: &str) -> Option<u64> {
        self.take(name, |value| u64::try_from(value.as_integer()?).ok())
    }

    pub(super) fn list(&mut self, name: &str) -> Vec<Value> {
        self.take(name, |value| value.as_array().map(<[Value]>::to_vec)).unwrap_or_default()
    }
}

/// Whether a map has no other names than these.
pub(super) fn has_only(map: &Map, names: &[&str]) -> bool {
    map.iter().all(|(name, value)| names.contains(&name) || value.is_null())
}

/// A text of a map; empty where there is none.
pub(super) fn text<'v>(map: &'v Map, name: &str) -> &'v str {
    map.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The arguments of a call: their JSON text, or the map itself.
pub(super) fn arguments(map: &Map, name: &str) -> Result<String, WireError> {
    let read = arguments_text(map.get(name), EXACT)
        .map_err(|other| wrong(format!("`{name}` of a call is of the kind {}", other.kind_name())));
    Ok(read?.unwrap_or_default())
}

/// The parts of content: a text, or a list of parts that the protocol reads.
pub(super) fn content(
    content: Option<&Value>,
    part: impl Fn(&Map) -> Result<Piece, WireError>,
) -> Result<Vec<Piece>, WireError> {
    match content {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![ContentPart::Text(text.to_string()).into()]),
        Some(Value::Array(parts)) => parts
            .iter()
            .map(|it| it.as_object().ok_or_else(|| wrong("a part is no map")).and_then(&part))
            .collect(),
        Some(other) => Err(wrong(format!("`content` is of the kind {}", other.kind_name()))),
    }
}

/// A list that a body must have.
pub(super) fn required_list(fields: &mut Fields, name: &str) -> Result<Vec<Value>, WireError> {
    match fields.left.get(name) {
        Some(Value::Array(_)) => Ok(fields.list(name)),
        Some(other) => {
            Err(wrong(format!("`{name}` is of the kind {}, and no list", other.kind_name())))
        }
        None => Err(wrong(format!("it has no `{name}`"))),
    }
}

/// Whether a field that was not taken says nothing: what it would say must not be lost.
pub(super) fn no_other_kind(fields: &Fields, name: &str) -> Result<(), WireError> {
    match fields.left.get(name).filter(|value| !value.is_null()) {
        None => Ok(()),
        Some(other) => Err(wrong(format!("`{name}` is of the kind {}", other.kind_name()))),
    }
}

/// The function that a tool is, by the map that has its name, and the name of its schema; and what else it says. Where it
/// does not say whether calls are held to its schema, the protocol does.
pub(super) fn function(
    map: &Map,
    schema: &str,
    unsaid: Strictness,
) -> Option<(ToolSpec, Vec<String>)> {
    let names = unknown(map, &["type", "name", "description", "strict", schema]);
    let tool = tool_from_openai(map, schema, unsaid).ok()?;
    Some((tool, names))
}

/// The tools of a body: functions, and those in the provider's own form.
pub(super) fn tools(
    fields: &mut Fields,
    request: &mut Request<'_>,
    read: impl Fn(&Map) -> Option<(ToolSpec, Vec<String>)>,
) {
    for value in fields.list("tools") {
        match value.as_object().and_then(|map| Some((map, read(map)?))) {
            Some((map, (tool, names))) => {
                // A strict schema is one that the provider accepts, with all its words.
                if !names.is_empty() || tool.strict == Strictness::On {
                    request.kept.keep_tool(request.tools.len(), Original::new(map, names));
                }
                request.tools.push(tool);
            }
            None => request.provider_tools.push(value),
        }
    }
}

/// Which tools may be called, in the words of OpenAI's protocols.
pub(super) fn choice(
    fields: &mut Fields,
    field: &str,
    name: impl Fn(&Map) -> Option<String>,
) -> ToolChoice {
    let read = |value: &Value| match value {
        Value::String(word) => match &**word {
            "auto" => Some(ToolChoice::Auto),
            "none" => Some(ToolChoice::None),
            "required" | "any" => Some(ToolChoice::Required),
            _ => None,
        },
        Value::Object(map) => name(map).map(ToolChoice::Tool),
        _ => None,
    };
    fields.take(field, read).unwrap_or_default()
}

/// How the provider may keep the prompt, in the words of OpenAI's protocols.
pub(super) fn prompt_cache(fields: &mut Fields, request: &mut Request<'_>) {
    let (key, time) = (fields.text("prompt_cache_key"), fields.text("prompt_cache_retention"));
    if key.is_some() || time.is_some() {
        let mut cache = PromptCache::new();
        (cache.key, cache.time) = (key, time);
        request.prompt_cache = Some(cache);
    }
}

/// The form of an answer: a map of `type`, and of what the schema is. Where it does not say whether the answer is held to
/// it, the protocol does.
pub(super) fn output_form(map: &Map, unsaid: bool) -> Option<FormatKind> {
    match text(map, "type") {
        "json_object" if has_only(map, &["type"]) => Some(FormatKind::Json),
        "json_schema" => {
            let named = map.get("json_schema").and_then(Value::as_object).unwrap_or(map);
            let known = ["type", "name", "schema", "strict", "description", "json_schema"];
            (has_only(map, &known) && has_only(named, &known)).then(|| FormatKind::Schema {
                name: match text(named, "name") {
                    "" => Cow::Borrowed(OUTPUT_NAME),
                    name => Cow::Owned(name.to_owned()),
                },
                description: named.get("description").and_then(Value::as_str).map(str::to_owned),
                schema: named.get("schema").cloned().unwrap_or_default(),
                strict: named.get("strict").and_then(Value::as_bool).unwrap_or(unsaid),
            })
        }
        _ => None,
    }
}
