//! Reads the bodies of requests: the code that all protocols share.

use std::borrow::Cow;

use prompty_core::message::{
    ContentPart, Strictness, ToolChoice, ToolSpec, arguments_text, tool_from_openai,
};
use prompty_core::value::{Map, Value};

use super::error::WireError;
use super::fields::EXACT;
use super::options::PromptCache;
use super::originals::{OriginalJson, ParsedPart, unknown};
use super::protocol::Protocol;
use super::provider_json::ProviderJson;
use super::request::{OUTPUT_NAME, Request};
use super::response_format::FormatKind;

impl Request<'_> {
    /// Reads the body of a request in a protocol. A service can accept requests in one protocol and
    /// send them in another.
    ///
    /// Options, provider tools and parts that only this protocol understands are kept, and written
    /// only in this protocol.
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
    /// Returns an error of [`WireErrorKind::Unreadable`](super::WireErrorKind::Unreadable) if the
    /// body does not follow the protocol. The message says where.
    pub fn from_value(protocol: Protocol, body: &Value) -> Result<Request<'static>, WireError> {
        let Value::Object(map) = body else {
            return Err(invalid_body(format!("expected an object, found {}", body.kind_name())));
        };
        let mut fields = BodyFields { left: map.clone() };
        let mut request = Request::new(fields.text("model").unwrap_or_default(), &[]);
        request.protocol = protocol;
        request.read_from = Some(protocol);
        request.options.temperature = fields.number("temperature");
        request.options.top_p = fields.number("top_p");
        let is_streaming = |stream: &Value| stream.is_null().then_some(false).or(stream.as_bool());
        request.is_streaming = fields.take("stream", is_streaming).unwrap_or(false);
        protocol.parse(&mut fields, &mut request)?;
        request.options.additional = fields.left;
        Ok(request)
    }
}

pub(super) fn invalid_body(message: impl Into<String>) -> WireError {
    WireError::unreadable(format!("cannot read the request: {}", message.into()))
        .with_help("check that the body and the protocol match")
}

pub(super) fn not_an_object(what: &str, found: &Value) -> WireError {
    invalid_body(format!("expected an object as {what}, found {}", found.kind_name()))
}

/// The fields of a body. Fields that are not taken become additional options.
pub(super) struct BodyFields {
    pub(super) left: Map,
}

impl BodyFields {
    /// Takes a field if `read` accepts it; otherwise the field stays.
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

/// Whether an object has no other fields than these.
pub(super) fn has_only(map: &Map, names: &[&str]) -> bool {
    map.iter().all(|(name, value)| names.contains(&name) || value.is_null())
}

/// A string field of an object; empty if it is missing.
pub(super) fn text<'v>(map: &'v Map, name: &str) -> &'v str {
    map.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The arguments of a call: JSON text, or an object.
pub(super) fn read_arguments(map: &Map, name: &str) -> Result<String, WireError> {
    let read = arguments_text(map.get(name), EXACT).map_err(|other| {
        invalid_body(format!(
            "expected an object as `{name}` of a call, found {}",
            other.kind_name()
        ))
    });
    Ok(read?.unwrap_or_default())
}

/// The parts of content: a string, or an array of parts of the protocol.
pub(super) fn read_content(
    content: Option<&Value>,
    part: impl Fn(&Map) -> Result<ParsedPart, WireError>,
) -> Result<Vec<ParsedPart>, WireError> {
    match content {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![ContentPart::Text(text.to_string()).into()]),
        Some(Value::Array(parts)) => parts
            .iter()
            .map(|it| it.as_object().ok_or_else(|| not_an_object("a part", it)).and_then(&part))
            .collect(),
        Some(other) => Err(invalid_body(format!(
            "expected a string or an array as `content`, found {}",
            other.kind_name()
        ))),
    }
}

/// An array that a body must have.
pub(super) fn required_list(fields: &mut BodyFields, name: &str) -> Result<Vec<Value>, WireError> {
    match fields.left.get(name) {
        Some(Value::Array(_)) => Ok(fields.list(name)),
        Some(other) => {
            Err(invalid_body(format!("expected an array as `{name}`, found {}", other.kind_name())))
        }
        None => Err(invalid_body(format!("missing field `{name}`"))),
    }
}

/// Returns an error if a field that was not taken has a value, so that it is not lost silently.
pub(super) fn reject_other_kind(fields: &BodyFields, name: &str) -> Result<(), WireError> {
    match fields.left.get(name).filter(|value| !value.is_null()) {
        None => Ok(()),
        Some(other) => {
            Err(invalid_body(format!("invalid type of `{name}`: found {}", other.kind_name())))
        }
    }
}

/// The function of a tool, and the names of its unknown fields. `schema_field` is the name of the
/// field with the parameters, and `default_strictness` is that of tools without `strict`. OpenAI's
/// responses enforce such a tool if they can, other protocols do not, and a converted request must
/// not change that.
pub(super) fn read_function(
    map: &Map,
    schema_field: &str,
    default_strictness: Strictness,
) -> Option<(ToolSpec, Vec<String>)> {
    let names = unknown(map, &["type", "name", "description", "strict", schema_field]);
    let tool = tool_from_openai(map, schema_field, default_strictness).ok()?;
    Some((tool, names))
}

/// Reads the tools of a body: functions, and provider tools.
pub(super) fn read_tools(
    fields: &mut BodyFields,
    request: &mut Request<'_>,
    read: impl Fn(&Map) -> Option<(ToolSpec, Vec<String>)>,
) {
    for value in fields.list("tools") {
        match value.as_object().and_then(|map| Some((map, read(map)?))) {
            Some((map, (tool, names))) => {
                // The provider accepts a strict schema with all its keywords, so it is kept.
                if !names.is_empty() || tool.strict == Strictness::On {
                    request.originals.keep_tool(request.tools.len(), OriginalJson::new(map, names));
                }
                request.tools.push(tool);
            }
            None => request.provider_tools.push(ProviderJson(value)),
        }
    }
}

/// Reads which tools may be called, in the form of OpenAI's protocols. `read_name` reads the name
/// of a tool that must be called.
pub(super) fn read_tool_choice(
    fields: &mut BodyFields,
    field: &str,
    read_name: impl Fn(&Map) -> Option<String>,
) -> ToolChoice {
    let read = |value: &Value| match value {
        Value::String(word) => match &**word {
            "auto" => Some(ToolChoice::Auto),
            "none" => Some(ToolChoice::None),
            "required" | "any" => Some(ToolChoice::Required),
            _ => None,
        },
        Value::Object(map) => read_name(map).map(ToolChoice::Tool),
        _ => None,
    };
    fields.take(field, read).unwrap_or_default()
}

/// Reads how the provider may cache the prompt, in the form of OpenAI's protocols.
pub(super) fn read_prompt_cache(fields: &mut BodyFields, request: &mut Request<'_>) {
    let (key, time) = (fields.text("prompt_cache_key"), fields.text("prompt_cache_retention"));
    if key.is_some() || time.is_some() {
        request.prompt_cache = Some(PromptCache { key, time });
    }
}

/// Reads a response format: an object with `type` and the schema. `default_strict` applies if the
/// format has no `strict`.
pub(super) fn read_response_format(map: &Map, default_strict: bool) -> Option<FormatKind> {
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
                strict: named.get("strict").and_then(Value::as_bool).unwrap_or(default_strict),
            })
        }
        _ => None,
    }
}
