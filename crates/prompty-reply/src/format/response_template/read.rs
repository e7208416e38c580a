//! Reading a response template: its keys, reasoning and content.

use super::fields::{Delimiter, TemplateField, check_keys, unsupported_list};
use super::pattern::PatternPart;
use super::{message_sequence, read_calls};
use crate::format::{Content, ContentMode, Marker, Reasoning, ReplyFormat};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::{Map, Value};

/// The names of the reasoning field of a message.
const REASONING_FIELDS: [&str; 3] = ["thinking", "reasoning", "reasoning_content"];

impl ReplyFormat {
    /// Reads a response template: the value of `response_template` in a `tokenizer_config.json`, or
    /// a string that contains it as JSON. The [module](super) lists what is supported.
    ///
    /// # Errors
    ///
    /// Returns an error of the kind [`ErrorKind::Conversion`] if a format cannot express the
    /// template. The message names the key and the unsupported part; nothing is guessed.
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
    /// "response template, `fields.thinking.close`: several strings are not supported here"
    /// );
    /// # Ok::<_, prompty_core::Error>(())
    /// ```
    pub fn from_response_template(template: &Value) -> Result<Self, Error> {
        let parsed = match template {
            Value::String(json) => Some(Value::from_json(json).map_err(|error| {
                let message = format!("the response template is not valid JSON: {error}");
                Error::new(ErrorKind::Conversion, message).with_help(CORRECT_TEMPLATE)
            })?),
            _ => None,
        };
        read(parsed.as_ref().unwrap_or(template)).map_err(|problem| {
            let is_unsupported =
                problem.contains("not supported") || problem.contains("not allowed");
            let help = match is_unsupported {
                true => "write the format by hand, or derive it from the chat template",
                false => CORRECT_TEMPLATE,
            };
            Error::new(ErrorKind::Conversion, format!("response template, {problem}"))
                .with_help(help)
        })
    }
}

/// The help of errors in the template itself.
const CORRECT_TEMPLATE: &str = "correct the response template, or write the format by hand";

fn read(template: &Value) -> Result<ReplyFormat, String> {
    let template = template.as_object().ok_or("the template: expected an object")?;
    check_keys(
        template,
        "",
        &["version", "defaults", "fields", "start_anchor", "start_anchor_pattern"],
    )?;
    match template.get("version") {
        None => {}
        Some(version) if version.as_integer() == Some(1) => {}
        Some(version) => {
            return Err(format!("`version`: expected 1, found {}", version.to_json()));
        }
    }
    check_defaults(template.get("defaults"))?;
    let fields = template.get("fields").and_then(Value::as_object);
    let fields = fields
        .filter(|fields| !fields.is_empty())
        .ok_or("`fields`: expected an object with at least one field")?;

    let mut format = ReplyFormat::plain();
    format.turn.open = start_anchor(template)?.into();
    let (mut reasoning, mut content, mut calls) = (None, None, None);
    for (name, field) in fields.iter() {
        let field = TemplateField::new(name, field)?;
        let slot = match name {
            name if REASONING_FIELDS.contains(&name) => &mut reasoning,
            "content" => &mut content,
            "tool_calls" => &mut calls,
            _ => return Err(format!("`fields.{name}`: unknown key")),
        };
        if slot.replace(field).is_some() {
            return Err(format!("`fields.{name}`: the reasoning is specified twice"));
        }
    }
    if let Some(calls) = calls.as_ref().filter(|calls| calls.has_free_header()) {
        message_sequence::read(calls, reasoning.as_ref(), content.as_ref(), &mut format)?;
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

/// Checks that the defaults of a message have no effect.
fn check_defaults(defaults: Option<&Value>) -> Result<(), String> {
    let Some(defaults) = defaults else { return Ok(()) };
    let defaults = defaults.as_object().ok_or("`defaults`: expected an object")?;
    for (key, value) in defaults.iter() {
        let is_empty = match value {
            Value::Null => true,
            Value::String(text) => text.is_empty() || key == "role",
            Value::Array(items) => items.is_empty(),
            _ => false,
        };
        if !is_empty {
            return Err(format!("`defaults.{key}`: unsupported value"));
        }
    }
    Ok(())
}

fn start_anchor(template: &Map) -> Result<String, String> {
    let delimiter = Delimiter::read(template, "", "start_anchor")?;
    let Delimiter { place, is_pattern, pieces } = delimiter.ok_or("`start_anchor`: missing key")?;
    match pieces.as_slice() {
        _ if is_pattern => Err(format!("`{place}`: patterns are not supported here")),
        [PatternPart::Text(text)] => Ok(text.clone()),
        _ => Err(unsupported_list(&place)),
    }
}

fn read_reasoning(field: &TemplateField<'_>) -> Result<Reasoning, String> {
    field.check_text()?;
    let mut reasoning = Reasoning::tags("", "");
    reasoning.open = field.opener()?.marker()?;
    reasoning.close = field.closer()?.marker()?;
    Ok(reasoning)
}

fn read_content(field: &TemplateField<'_>, format: &mut ReplyFormat) -> Result<(), String> {
    field.check_text()?;
    let mut closers = match &field.close {
        Some(close) => close.markers()?,
        None => Vec::new(),
    };
    if let Some(open) = &field.open {
        // The first closer ends the content, the others end the turn.
        let close = if closers.is_empty() { Marker::NONE } else { closers.remove(0) };
        let mode = ContentMode::AlwaysWrapped;
        format.content = Content { mode, open: open.marker()?, close, requires_nonnull: false };
    }
    format.turn.end = closers.into();
    Ok(())
}
