//! Response templates: the form in which a checkpoint's `tokenizer_config.json` declares how replies
//! are read (Transformers 5, `response_template`; also read by vLLM and SGLang).
//!
//! A response template has `defaults`, a `start_anchor` and `fields`, each a key of the message: with
//! an opener and a closer (texts, or patterns in the syntax of Python), what its `content` is, and a
//! `transform` that builds the value. It is described in the documentation of Transformers, under
//! "Response Parsing"; the form here is that of version 5.23.
//!
//! What the two forms share, and what either cannot say:
//!
//! | a response template | a format |
//! |---|---|
//! | `start_anchor` | [`Turn::open`]; a pattern, or several texts, cannot be said |
//! | field `thinking`, `reasoning` or `reasoning_content` | [`ReplyFormat::reasoning`] |
//! | field `content` without an opener | content as it is; its closers are [`Turn::end`] |
//! | field `content` with an opener | [`ContentMode::AlwaysWrapped`]; of several closers the first closes it, the others end the turn |
//! | field `tool_calls`, `json` | [`JsonCall`]; with `transform_each`, in a list |
//! | the same, with a group `name` in the opener | [`NamedCall`] with [`Arguments::Json`], or [`Arguments::Literal`] with `unquoted_keys` |
//! | field `tool_calls`, `xml-inline` | [`NamedCall`] with [`Arguments::Tagged`] |
//! | `.*?` between a group `name` and the opener's end | [`Headers`] |
//! | `\n?`, `\n{0,2}`, `\s*` in a pattern | white space that may be missing; for `\s*`, a line break |
//! | `(?:…)?` at the start of an opener or the end of a closer | the markers around all calls |
//!
//! White space: a template strips texts, unless it says otherwise; a format leaves out the white space
//! of its markers and nothing else. Text outside of all regions is dropped by a template, and is
//! content in a format; white space alone is not. A closer inside of a value always ends it in a
//! template.
//!
//! No part of a reply's form, and not looked at: how many calls a reply may hold, what opens the
//! user's turn, whether content may be null, the tokenizer's control tokens, the order of keys.
//!
//! [`Turn::open`]: super::Turn::open
//! [`Turn::end`]: super::Turn::end
//! [`ContentMode::AlwaysWrapped`]: super::ContentMode::AlwaysWrapped
//! [`JsonCall`]: super::JsonCall
//! [`NamedCall`]: super::NamedCall
//! [`Arguments::Json`]: super::Arguments::Json
//! [`Arguments::Literal`]: super::Arguments::Literal
//! [`Arguments::Tagged`]: super::Arguments::Tagged
//! [`Headers`]: super::Headers

mod pattern;
mod read;
mod read_calls;
mod write;

use super::ReplyFormat;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::Value;

/// The names that a message's reasoning has.
const REASONING: [&str; 3] = ["thinking", "reasoning", "reasoning_content"];

impl ReplyFormat {
    /// Reads a response template: the value of `response_template` in a `tokenizer_config.json`, or a
    /// text that holds it as JSON. The [module](self) says what is understood.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Conversion`] that names the key and says what a format cannot say; nothing is
    /// guessed.
    ///
    /// ```
    /// use prompty_model::reply::ReplyParser;
    /// use prompty_model::reply::format::ReplyFormat;
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
        read::read(parsed.as_ref().unwrap_or(template)).map_err(|problem| {
            Error::new(ErrorKind::Conversion, format!("response template, {problem}"))
                .with_help("write the format by hand, or let it be found from the chat template")
        })
    }

    /// The format as a response template, for a `tokenizer_config.json`. Reading it gives a format
    /// that reads the same.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Conversion`] that names what a response template cannot say.
    ///
    /// ```
    /// use prompty_model::reply::format::{CallShape, JsonCall, ReplyFormat, Tools};
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
        write::write(self).map_err(|problem| {
            let message = format!("a response template cannot say {problem}");
            Error::new(ErrorKind::Conversion, message)
        })
    }
}
