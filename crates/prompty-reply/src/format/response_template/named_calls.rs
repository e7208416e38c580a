//! Calls of a response template whose name is in the opener. The pattern is split at its groups:
//!
//! ```text
//! opener: <call>\n?<f=(?:ns\.)?(?P<name>\w+)>
//! closer: </f>\n?</call>
//! ```
//!
//! `<call>` and `</call>` are the outer markers (`call_open`, `call_close`), `<f=` is the prefix of
//! the name, `ns.` its namespace, `>` its suffix, and `</f>` the closer after the arguments.

use super::fields::{Delimiter, TemplateField, read_transform};
use super::pattern::{PatternPart, split_at_group};
use crate::format::{
    Arguments, CallId, CallIdPosition, CallShape, Hint, Marker, NamePlace, NamedCall, Quoting,
    Suffix, Text, Tools,
};
use prompty_core::value::{Map, Value};

/// A call whose name is in the opener.
pub(super) struct NamedCallField {
    pub(super) call_open: Marker,
    pub(super) call_close: Marker,
    pub(super) call: NamedCall,
    pub(super) has_id: bool,
    /// Whether the closer has fewer parts than the opener.
    pub(super) closes_less: bool,
}

impl NamedCallField {
    /// Reads the markers of a call from the parts `before` and `after` the name in the opener, and
    /// from the parts of the closer.
    pub(super) fn read(
        open: &Delimiter,
        (before, after): (&[PatternPart], &[PatternPart]),
        close: &Delimiter,
        closer: &[PatternPart],
    ) -> Result<Self, String> {
        let (namespace, before) = match before.split_last() {
            Some((PatternPart::Optional(namespace), before)) => {
                (open.marker_of(namespace)?.text, before)
            }
            _ => (Text::default(), before),
        };
        let (call_open, prefix) = split(open, before)?;
        let (suffix, id) = read_name_suffix(open, after)?;
        let complete_close = close.marker_of(closer)?;
        // A single closer closes the outer marker, if there is one.
        let (inner_close, call_close) = match split(close, closer)? {
            (Marker { text, .. }, _) if text.is_empty() && call_open.is_none() => {
                (complete_close, Marker::NONE)
            }
            (Marker { text, .. }, _) if text.is_empty() => (Marker::NONE, complete_close),
            both => both,
        };
        let closes_less = !call_open.is_none() && inner_close.is_none();
        let has_id = id.is_some();
        let call = NamedCall {
            name: NamePlace::Call,
            prefix,
            suffix,
            namespace,
            id,
            arguments: Arguments::Json,
            close: inner_close,
        };
        Ok(Self { call_open, call_close, call, has_id, closes_less })
    }

    /// Reads the rest of the field: the transform and the arguments.
    pub(super) fn tools(self, field: &TemplateField<'_>) -> Result<Tools, String> {
        let place = &field.place;
        if field.flag("transform_each")? {
            return Err(format!("`{place}transform_each`: not supported for calls with a name"));
        }
        let transform =
            field.get("transform").ok_or_else(|| format!("`{place}transform`: missing key"))?;
        let parts = read_transform(transform, place)?;
        let id = if self.has_id { Some(vec!["id".to_owned()]) } else { None };
        if parts.name != ["name"] || parts.arguments != ["content"] || parts.id != id {
            return Err(format!(
                "`{place}transform`: only the unchanged name, id and arguments are supported"
            ));
        }
        let (content, arguments) = field.content()?;
        let arguments = match content {
            "json" => json_arguments(&arguments, place)?,
            "xml-inline" if self.closes_less => {
                return Err(format!(
                    "`{place}close`: the opener has two parts, but the closer has only one"
                ));
            }
            "xml-inline" => tagged_arguments(&arguments, place)?,
            _ => return Err(format!("`{place}content`: unsupported kind `{content}`")),
        };
        let mut tools = Tools::new(CallShape::Named(NamedCall { arguments, ..self.call }));
        tools.parallel = field.flag("repeats")?;
        (tools.call_open, tools.call_close) = (self.call_open, self.call_close);
        Ok(tools)
    }
}

/// Splits at the last white space between two texts into two markers. In an opener, the first is
/// the outer one: `<call>\n?<f=`. In a closer, the first is the inner one: `</f>\n?</call>`. A
/// single marker is the second one.
fn split(delimiter: &Delimiter, pieces: &[PatternPart]) -> Result<(Marker, Marker), String> {
    let is_between = |at: &usize| {
        let has_text =
            |pieces: &[PatternPart]| pieces.iter().any(|it| matches!(it, PatternPart::Text(_)));
        matches!(pieces.get(*at), Some(PatternPart::Space(_)))
            && pieces.get(..*at).is_some_and(has_text)
            && pieces.get(at + 1..).is_some_and(has_text)
    };
    let Some(at) = (0..pieces.len()).rev().find(is_between) else {
        return Ok((Marker::NONE, delimiter.marker_of(pieces)?));
    };
    let (first, second) = pieces.split_at_checked(at + 1).unwrap_or((pieces, &[]));
    Ok((delimiter.marker_of(first)?, delimiter.marker_of(second)?))
}

/// Reads the text after a name: its suffix, and an id.
fn read_name_suffix(
    open: &Delimiter,
    pieces: &[PatternPart],
) -> Result<(Suffix, Option<CallId>), String> {
    if let Some((prefix, suffix)) = split_at_group(pieces, "id") {
        let prefix = open.marker_of(prefix)?;
        let suffix = open.marker_of(suffix)?;
        // The text after the id also follows a name without an id.
        let text = suffix.clone();
        let id = CallId { position: CallIdPosition::BetweenFuncAndArgs, prefix, suffix };
        return Ok((Suffix { text, hint: None }, Some(id)));
    }
    Ok((read_suffix(open, pieces)?, None))
}

/// Reads the text after a name or a key. It may contain a varying word, as in `" type="\w*">`.
fn read_suffix(delimiter: &Delimiter, pieces: &[PatternPart]) -> Result<Suffix, String> {
    let mut parts = pieces.splitn(2, |piece| *piece == PatternPart::Word);
    let text = parts.next().unwrap_or_default();
    let end = parts.next().map(|end| delimiter.marker_of(end)).transpose()?;
    let hint = end.map(|end| Hint { end, ..Hint::default() });
    Ok(Suffix { text: delimiter.marker_of(text)?, hint })
}

fn json_arguments(arguments: &Map, place: &str) -> Result<Arguments, String> {
    let (mut unquoted, mut quote) = (false, None);
    for (key, value) in arguments.iter() {
        match (key, value) {
            ("unquoted_keys", Value::Bool(yes)) => unquoted = *yes,
            ("string_delims", Value::Array(pairs)) => {
                let pair = pairs.first().and_then(Value::as_array);
                quote = match (pairs.len(), pair) {
                    (0, _) => None,
                    (1, Some([Value::String(open), Value::String(close)])) if open == close => {
                        Some(open.to_string())
                    }
                    _ => {
                        return Err(format!(
                            "`{place}content_args.string_delims`: only one token for both \
                             sides of a string is supported"
                        ));
                    }
                };
            }
            (_, Value::Bool(false)) => {}
            _ => return Err(format!("`{place}content_args.{key}`: unsupported key or value")),
        }
    }
    match (unquoted, quote) {
        (false, None) => Ok(Arguments::Json),
        (false, Some(_)) => Err(format!(
            "`{place}content_args.string_delims`: quoting tokens are only supported together with \
             `unquoted_keys`"
        )),
        (true, quote) => Ok(Arguments::Literal {
            open: "{".into(),
            assign: ":".into(),
            separator: ",".into(),
            quote: quote.unwrap_or_default().into(),
            close: "}".into(),
        }),
    }
}

fn tagged_arguments(arguments: &Map, place: &str) -> Result<Arguments, String> {
    for (key, value) in arguments.iter() {
        let is_known = match key {
            "tag_pattern" => true,
            // Values are strings, or parsed as JSON if possible.
            "value_parser" => {
                let arguments = value.get("args");
                let allows = arguments.and_then(|it| it.get("allow_non_json")?.as_bool());
                match value.get("name").and_then(Value::as_str) {
                    Some("json") => allows == Some(true),
                    name => name == Some("text"),
                }
            }
            _ => *value == Value::Bool(false),
        };
        if !is_known {
            return Err(format!("`{place}content_args.{key}`: unsupported value"));
        }
    }
    let place = format!("{place}content_args.tag_pattern");
    let written = arguments.get("tag_pattern").and_then(Value::as_str);
    let written = written.ok_or_else(|| format!("`{place}`: missing key"))?;
    let tag = Delimiter::of_pattern(place, written)?;
    let around = |name: &str| {
        let around = split_at_group(&tag.pieces, name);
        around.ok_or_else(|| format!("`{}`: missing group `{name}`", tag.place))
    };
    let ((key_open, rest), (_, value_close)) = (around("key")?, around("value")?);
    let Some((key_close, _)) = split_at_group(rest, "value") else {
        return Err(format!("`{}`: the group `key` must be before `value`", tag.place));
    };
    Ok(Arguments::Tagged {
        key_open: tag.marker_of(key_open)?,
        key_close: read_suffix(&tag, key_close)?,
        value_close: tag.marker_of(value_close)?,
        separator: Text::default(),
        quoting: Quoting::NONE,
    })
}
