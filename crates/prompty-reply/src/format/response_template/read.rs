//! Reading a response template: its keys, reasoning and content.

use super::fields::{Delimiter, Field, only_known, several};
use super::pattern::Piece;
use super::{message_rows, read_calls};
use crate::format::{Content, ContentMode, Marker, Reasoning, ReplyFormat};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::{Map, Value};

/// The names that a message's reasoning has.
const REASONING: [&str; 3] = ["thinking", "reasoning", "reasoning_content"];

impl ReplyFormat {
    /// Reads a response template: the value of `response_template` in a `tokenizer_config.json`, or a
    /// text that holds it as JSON. The [module](super) says what is understood.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Conversion`] that names the key and says what a format cannot say; nothing is
    /// guessed.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_reply as reply; }
    /// use typed_prompty::reply::ReplyParser;
    /// use typed_prompty::reply::format::ReplyFormat;
    ///
    /// let template = r#"{
    ///     "start_anchor": "<|turn|>assistant\n",
    ///     "fields": {
    ///         "thinking": {"open": "<muse>", "close": "</muse>"},
    ///         "tool_calls": {
    ///             "open": "<call>", "close": "</call>", "repeats": true, "content": "json",
    ///             "transform": {"type": "function", "function": "{content}"}
    ///         },
    ///         "content": {"close": "<|over|>"}
    ///     }
    /// }"#;
    /// let format = ReplyFormat::from_response_template(&template.into())?;
    /// let reply = ReplyParser::new(format)
    ///     .parse("<muse>Hm.</muse><call>{\"name\": \"f\", \"arguments\": {}}</call><|over|>");
    /// assert_eq!(reply.reasoning(), "Hm.");
    /// assert_eq!(reply.calls()[0].name, "f");
    ///
    /// let template = template.replace("\"</muse>\"", "[\"</muse>\", \"</hum>\"]");
    /// let error = ReplyFormat::from_response_template(&template.as_str().into()).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "response template, `fields.thinking.close`: a format has no place for several texts here"
    /// );
    /// # Ok::<_, prompty_core::Error>(())
    /// ```
    pub fn from_response_template(template: &Value) -> Result<Self, Error> {
        let parsed = match template {
            Value::String(json) => Some(Value::from_json(json).map_err(|error| {
                let message = format!("the response template is no JSON: {error}");
                Error::new(ErrorKind::Conversion, message)
            })?),
            _ => None,
        };
        read(parsed.as_ref().unwrap_or(template)).map_err(|problem| {
            Error::new(ErrorKind::Conversion, format!("response template, {problem}"))
                .with_help("write the format by hand, or let it be found from the chat template")
        })
    }
}

fn read(template: &Value) -> Result<ReplyFormat, String> {
    let template = template.as_object().ok_or("the whole of it: it is no object")?;
    only_known(
        template,
        "",
        &["version", "defaults", "fields", "start_anchor", "start_anchor_pattern"],
    )?;
    match template.get("version") {
        None => {}
        Some(version) if version.as_integer() == Some(1) => {}
        Some(version) => {
            return Err(format!("`version`: {} is not known, 1 is", version.to_json()));
        }
    }
    defaults(template.get("defaults"))?;
    let fields = template.get("fields").and_then(Value::as_object);
    let fields = fields.filter(|fields| !fields.is_empty()).ok_or("`fields`: there are none")?;

    let mut format = ReplyFormat::plain();
    format.turn.open = start_anchor(template)?.into();
    let (mut reasoning, mut content, mut calls) = (None, None, None);
    for (name, field) in fields.iter() {
        let field = Field::new(name, field)?;
        let slot = match name {
            name if REASONING.contains(&name) => &mut reasoning,
            "content" => &mut content,
            "tool_calls" => &mut calls,
            _ => return Err(format!("`fields.{name}`: a reply has no such part")),
        };
        if slot.replace(field).is_some() {
            return Err(format!("`fields.{name}`: there is reasoning twice"));
        }
    }
    if let Some(calls) = calls.as_ref().filter(|calls| calls.is_headed()) {
        message_rows::read(calls, reasoning.as_ref(), content.as_ref(), &mut format)?;
        return Ok(format);
    }
    if let Some(field) = &reasoning {
        format.reasoning = Some(read_reasoning(field)?);
    }
    if let Some(field) = &content {
        read_content(field, &mut format)?;
    }
    if let Some(field) = &calls {
        format.tools = Some(read_calls::read(field)?);
    }
    Ok(format)
}

/// Checks that the defaults of a message change nothing.
fn defaults(defaults: Option<&Value>) -> Result<(), String> {
    let Some(defaults) = defaults else { return Ok(()) };
    let defaults = defaults.as_object().ok_or("`defaults`: it is no object")?;
    for (key, value) in defaults.iter() {
        let is_nothing = match value {
            Value::Null => true,
            Value::String(text) => text.is_empty() || key == "role",
            Value::Array(items) => items.is_empty(),
            _ => false,
        };
        if !is_nothing {
            return Err(format!("`defaults.{key}`: a format has no such values"));
        }
    }
    Ok(())
}

fn start_anchor(template: &Map) -> Result<String, String> {
    let delimiter = Delimiter::read(template, "", "start_anchor")?;
    let Delimiter { place, is_pattern, pieces } =
        delimiter.ok_or("`start_anchor`: there is none")?;
    match pieces.as_slice() {
        _ if is_pattern => Err(format!("`{place}`: a format has only a text here")),
        [Piece::Text(text)] => Ok(text.clone()),
        _ => Err(several(&place)),
    }
}

fn read_reasoning(field: &Field<'_>) -> Result<Reasoning, String> {
    field.check_text()?;
    let mut reasoning = Reasoning::tags("", "");
    reasoning.open = field.opener()?.marker()?;
    reasoning.close = field.closer()?.marker()?;
    Ok(reasoning)
}

fn read_content(field: &Field<'_>, format: &mut ReplyFormat) -> Result<(), String> {
    field.check_text()?;
    let mut closers = match &field.close {
        Some(close) => close.markers()?,
        None => Vec::new(),
    };
    if let Some(open) = &field.open {
        let close = if closers.is_empty() { Marker::NONE } else { closers.remove(0) };
        let mode = ContentMode::AlwaysWrapped;
        format.content = Content { mode, open: open.marker()?, close, requires_nonnull: false };
    }
    format.turn.end = closers.into();
    Ok(())
}
