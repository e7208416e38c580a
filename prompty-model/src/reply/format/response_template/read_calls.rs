//! Reading the field `tool_calls` of a response template.

use super::fields::{Delimiter, Field};
use super::pattern::{self, Piece};
use crate::reply::format::{
    Arguments, CallId, CallIdPosition, CallShape, Headers, Hint, JsonCall, Marker, NamePlace,
    NamedCall, ReplyFormat, Suffix, Text, Tools,
};
use prompty_core::text::slice_list;
use prompty_core::value::{Map, Value};

/// Where the parts of a call come from.
struct Parts {
    name: Vec<String>,
    arguments: Vec<String>,
    id: Option<Vec<String>>,
}

pub(super) fn read(field: &Field<'_>) -> Result<Tools, String> {
    if field.get("join").is_some() {
        return Err(format!("`{}join`: calls are no texts", field.place));
    }
    let (open, close) = (field.opener()?, field.closer()?);
    let (section_open, opener) = without_section(open, true)?;
    let (section_close, closer) = without_section(close, false)?;
    let mut tools = match name_at(opener) {
        None => read_json(field, open.marker_of(opener)?, close.marker_of(closer)?)?,
        Some(_) => {
            let call = Named::read(open, opener, &close.marker_of(closer)?, close, closer)?;
            call.tools(field)?
        }
    };
    if !section_open.is_none() || !section_close.is_none() {
        if tools.array {
            return Err(format!("`{}`: a list with an opener that may be missing", open.place));
        }
        (tools.section_open, tools.section_close) = (section_open, section_close);
    }
    Ok(tools)
}

/// Splits off what stands around all calls: what may be missing at an opener's start, or at a
/// closer's end.
fn without_section(delimiter: &Delimiter, at_start: bool) -> Result<(Marker, &[Piece]), String> {
    let pieces = delimiter.pieces.as_slice();
    let split = if at_start { pieces.split_first() } else { pieces.split_last() };
    match split {
        // In front of a name at once it is a namespace.
        Some((Piece::Optional(section), rest))
            if !matches!(rest.first(), Some(Piece::Named(_))) || !at_start =>
        {
            Ok((delimiter.marker_of(section)?, rest))
        }
        _ => Ok((Marker::NONE, pieces)),
    }
}

fn name_at(pieces: &[Piece]) -> Option<usize> {
    pieces.iter().position(|piece| *piece == Piece::Named("name".to_owned()))
}

/// Calls as JSON objects, with markers around each or around a list of them.
fn read_json(field: &Field<'_>, open: Marker, close: Marker) -> Result<Tools, String> {
    let place = &field.place;
    let (content, arguments) = field.content()?;
    if content != "json" {
        return Err(format!("`{place}content`: `{content}` without a group `name` in the opener"));
    }
    if let Some(key) = arguments.iter().find(|(_, value)| **value != Value::Bool(false)) {
        return Err(format!("`{place}content_args.{}`: a format has JSON here", key.0));
    }
    let each = field.flag("transform_each")?;
    let repeats = field.flag("repeats")?;
    let parts = match field.get("transform") {
        Some(transform) => parts(transform, place)?,
        // What is written is what the chat interface has.
        None => Parts {
            name: path("content.function.name"),
            arguments: path("content.function.arguments"),
            id: Some(path("content.id")),
        },
    };
    let is_list = each || (field.get("transform").is_none() && !repeats);
    if is_list && repeats {
        return Err(format!("`{place}repeats`: a format has one list of calls"));
    }
    let in_content = !each;
    let keys = |path: &[String]| match path.split_first() {
        Some((first, rest)) if in_content && first == "content" => Ok(rest.to_vec()),
        Some(_) if !in_content => Ok(path.to_vec()),
        _ => Err(format!("`{place}transform`: `{{{}}}` is not there", path.join("."))),
    };
    let mut call = JsonCall::default();
    match (keys(&parts.name)?.as_slice(), keys(&parts.arguments)?.as_slice()) {
        ([], []) => {}
        ([name], [arguments]) => set_fields(&mut call, "", name, arguments),
        ([function, name], [inside, arguments]) if function == inside => {
            set_fields(&mut call, function, name, arguments);
        }
        _ => {
            return Err(format!(
                "`{place}transform`: a format has name and arguments in one object, no deeper"
            ));
        }
    }
    match parts.id.as_deref().map(keys).transpose()?.as_deref() {
        None | Some([]) => {}
        Some([id]) => call.id_field = Text::Owned(id.clone()),
        Some(_) => return Err(format!("`{place}transform.id`: a format has the id outside")),
    }
    let mut tools = Tools::new(CallShape::Json(call));
    tools.parallel = repeats || is_list;
    tools.array = is_list;
    if is_list {
        (tools.section_open, tools.section_close) = (open, close);
    } else {
        (tools.call_open, tools.call_close) = (open, close);
    }
    Ok(tools)
}

fn set_fields(call: &mut JsonCall, function: &str, name: &str, arguments: &str) {
    call.function_field = Text::Owned(function.to_owned());
    call.name_field = Text::Owned(name.to_owned());
    call.args_field = Text::Owned(arguments.to_owned());
}

fn path(written: &str) -> Vec<String> {
    written.split('.').map(str::to_owned).collect()
}

/// Where a transform takes the parts of a call from.
fn parts(transform: &Value, place: &str) -> Result<Parts, String> {
    let wrong = |key: &str, what: &str| format!("`{place}transform{key}`: {what}");
    let call = transform.as_object().ok_or_else(|| wrong("", "it is no object"))?;
    let placeholder = |value: Option<&Value>, key: &str| {
        let text = value.and_then(Value::as_str);
        let inside = text.and_then(|text| text.strip_prefix('{')?.strip_suffix('}'));
        inside.map(path).ok_or_else(|| wrong(key, "it is no placeholder such as `{content}`"))
    };
    for (key, value) in call.iter() {
        match key {
            "type" if value.as_str() == Some("function") => {}
            "function" | "id" => {}
            _ => return Err(wrong(&format!(".{key}"), "a call has no such part")),
        }
    }
    let id = match call.get("id") {
        Some(id) => Some(placeholder(Some(id), ".id")?),
        None => None,
    };
    match call.get("function") {
        Some(Value::Object(function)) => {
            if let Some(key) = function.keys().find(|key| *key != "name" && *key != "arguments") {
                return Err(wrong(&format!(".function.{key}"), "a call has no such part"));
            }
            let name = placeholder(function.get("name"), ".function.name")?;
            let arguments = placeholder(function.get("arguments"), ".function.arguments")?;
            Ok(Parts { name, arguments, id })
        }
        whole => {
            let whole = placeholder(whole, ".function")?;
            let with = |key: &str| [whole.as_slice(), &[key.to_owned()]].concat();
            Ok(Parts { name: with("name"), arguments: with("arguments"), id })
        }
    }
}

/// A call whose name stands in the opener.
struct Named {
    call_open: Marker,
    call_close: Marker,
    call: NamedCall,
    has_id: bool,
    /// Whether the closer has fewer parts than the opener.
    closes_less: bool,
}

impl Named {
    fn read(
        open: &Delimiter,
        opener: &[Piece],
        whole_close: &Marker,
        close: &Delimiter,
        closer: &[Piece],
    ) -> Result<Self, String> {
        let at = name_at(opener).unwrap_or_default();
        let (front, behind) = opener.split_at_checked(at).unwrap_or((opener, &[]));
        let behind = slice_list(behind, 1..);
        let (namespace, front) = match front.split_last() {
            Some((Piece::Optional(namespace), front)) => (open.marker_of(namespace)?.text, front),
            _ => (Text::default(), front),
        };
        let (call_open, prefix) = split(open, front)?;
        let (suffix, id) = behind_name(open, behind)?;
        let (inner_close, call_close) = match split(close, closer)? {
            (Marker { text, .. }, _) if text.is_empty() && call_open.is_none() => {
                (whole_close.clone(), Marker::NONE)
            }
            (Marker { text, .. }, _) if text.is_empty() => (Marker::NONE, whole_close.clone()),
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

    fn tools(self, field: &Field<'_>) -> Result<Tools, String> {
        let place = &field.place;
        if field.flag("transform_each")? {
            return Err(format!("`{place}transform_each`: a format has one call behind a name"));
        }
        let transform =
            field.get("transform").ok_or_else(|| format!("`{place}transform`: there is none"))?;
        let parts = parts(transform, place)?;
        let id = if self.has_id { Some(vec!["id".to_owned()]) } else { None };
        if parts.name != ["name"] || parts.arguments != ["content"] || parts.id != id {
            return Err(format!(
                "`{place}transform`: a format has the name, the id and the arguments as they are"
            ));
        }
        let (content, arguments) = field.content()?;
        let arguments = match content {
            "json" => json_arguments(&arguments, place)?,
            "xml-inline" if self.closes_less => {
                return Err(format!(
                    "`{place}close`: the opener has two parts, the closer one; what closes the \
                     other is not said"
                ));
            }
            "xml-inline" => tagged_arguments(&arguments, place)?,
            _ => return Err(format!("`{place}content`: a format has no arguments as `{content}`")),
        };
        let mut tools = Tools::new(CallShape::Named(NamedCall { arguments, ..self.call }));
        tools.parallel = field.flag("repeats")?;
        (tools.call_open, tools.call_close) = (self.call_open, self.call_close);
        Ok(tools)
    }
}

/// Splits at the last white space between two texts: the outer marker and the inner one. The outer
/// is none where there is but one.
fn split(delimiter: &Delimiter, pieces: &[Piece]) -> Result<(Marker, Marker), String> {
    let is_between = |at: &usize| {
        let has_text = |pieces: &[Piece]| pieces.iter().any(|it| matches!(it, Piece::Text(_)));
        matches!(pieces.get(*at), Some(Piece::Space(_)))
            && pieces.get(..*at).is_some_and(has_text)
            && pieces.get(at + 1..).is_some_and(has_text)
    };
    let Some(at) = (0..pieces.len()).rev().find(is_between) else {
        return Ok((Marker::NONE, delimiter.marker_of(pieces)?));
    };
    let (outer, inner) = pieces.split_at_checked(at + 1).unwrap_or((pieces, &[]));
    Ok((delimiter.marker_of(outer)?, delimiter.marker_of(inner)?))
}

/// What stands behind a name: its suffix, and an id.
fn behind_name(open: &Delimiter, pieces: &[Piece]) -> Result<(Suffix, Option<CallId>), String> {
    let id = Piece::Named("id".to_owned());
    if let Some(at) = pieces.iter().position(|piece| *piece == id) {
        let (prefix, behind) = pieces.split_at_checked(at).unwrap_or((pieces, &[]));
        let prefix = open.marker_of(prefix)?;
        let suffix = open.marker_of(slice_list(behind, 1..))?;
        let text = suffix.clone();
        let id = CallId { position: CallIdPosition::BetweenFuncAndArgs, prefix, suffix };
        return Ok((Suffix { text, hint: None }, Some(id)));
    }
    Ok((read_suffix(open, pieces)?, None))
}

fn read_suffix(delimiter: &Delimiter, pieces: &[Piece]) -> Result<Suffix, String> {
    let Some(at) = pieces.iter().position(|piece| *piece == Piece::Word) else {
        return Ok(Suffix { text: delimiter.marker_of(pieces)?, hint: None });
    };
    let (text, end) = pieces.split_at_checked(at).unwrap_or((pieces, &[]));
    let end = delimiter.marker_of(slice_list(end, 1..))?;
    let hint = Some(Hint { end, string: Vec::new().into() });
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
                            "`{place}content_args.string_delims`: a format has one token on both \
                             sides of a text"
                        ));
                    }
                };
            }
            (_, Value::Bool(false)) => {}
            _ => return Err(format!("`{place}content_args.{key}`: a format has no such thing")),
        }
    }
    match (unquoted, quote) {
        (false, None) => Ok(Arguments::Json),
        (false, Some(_)) => Err(format!(
            "`{place}content_args.string_delims`: a format with quoting tokens has keys without \
             quotes"
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
            // Values are texts, or what their JSON says.
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
            return Err(format!("`{place}content_args.{key}`: a format has no such values"));
        }
    }
    let place = format!("{place}content_args.tag_pattern");
    let written = arguments.get("tag_pattern").and_then(Value::as_str);
    let written = written.ok_or_else(|| format!("`{place}`: there is none"))?;
    let pieces =
        pattern::parse(written).map_err(|what| format!("`{place}`: a format cannot say {what}"))?;
    let tag = Delimiter { place, texts: None, pieces };
    let at = |name: &str| {
        let wanted = Piece::Named(name.to_owned());
        let at = tag.pieces.iter().position(|piece| *piece == wanted);
        at.ok_or_else(|| format!("`{}`: there is no group `{name}`", tag.place))
    };
    let (key, value) = (at("key")?, at("value")?);
    if value < key {
        return Err(format!("`{}`: a format has the key in front of the value", tag.place));
    }
    let pieces = |range: std::ops::Range<usize>| slice_list(&tag.pieces, range);
    Ok(Arguments::Tagged {
        key_open: tag.marker_of(pieces(0..key))?,
        key_close: read_suffix(&tag, pieces(key + 1..value))?,
        value_close: tag.marker_of(pieces(value + 1..tag.pieces.len()))?,
        separator: Text::default(),
    })
}

/// Replies that are rows of messages: all openers end with the same mark, and the calls' have the
/// recipient's name in front of it.
pub(super) fn headed(
    calls: &Field<'_>,
    reasoning: Option<&Field<'_>>,
    content: Option<&Field<'_>>,
    format: &mut ReplyFormat,
) -> Result<(), String> {
    let open = calls.opener()?;
    let pieces = open.pieces.as_slice();
    let any = pieces.iter().position(|piece| *piece == Piece::Any).unwrap_or_default();
    let end = open.marker_of(slice_list(pieces, any + 1..))?;
    let name = name_at(slice_list(pieces, ..any));
    let name = name.filter(|name| name + 1 == any && !end.is_none());
    let name = name.ok_or_else(|| {
        format!("`{}`: a format has text that varies only behind the name in a header", open.place)
    })?;
    let recipient = open.marker_of(slice_list(pieces, ..name))?.to_string();
    // The namespace is what the name begins with, behind the recipient's own mark.
    let (recipient, namespace) = match recipient.rsplit_once(['=', ':']) {
        Some((mark, namespace)) => {
            let mark = recipient.get(..mark.len() + 1).unwrap_or(mark);
            (mark.to_owned(), namespace.to_owned())
        }
        None => (recipient, String::new()),
    };
    let mut headers = Headers {
        open: Marker::new(format.turn.open.clone()),
        end,
        recipient: recipient.into(),
        namespace: namespace.clone().into(),
        ..Headers::default()
    };
    let mut closers = calls.closer()?.markers()?;
    for (field, is_reasoning) in [(reasoning, true), (content, false)] {
        let Some(field) = field else { continue };
        let (openers, more) = field.body()?;
        let heads = openers.iter().map(|marker| {
            let marker = marker.to_string();
            let head = marker.strip_suffix(&headers.end.to_string()).map(str::to_owned);
            head.map(Text::Owned).ok_or_else(|| {
                format!("`{}open`: it does not end with `{}`", field.place, headers.end)
            })
        });
        let heads = heads.collect::<Result<Vec<_>, _>>()?;
        if is_reasoning {
            headers.reasoning = heads.into();
        } else {
            headers.content = heads.into();
        }
        closers.extend(more);
    }
    let mut unique: Vec<Marker> = Vec::new();
    closers.into_iter().for_each(|closer| {
        if !unique.contains(&closer) {
            unique.push(closer);
        }
    });
    headers.close = unique.into();
    let named = NamedCall {
        name: NamePlace::Header,
        prefix: Marker::NONE,
        suffix: Suffix::default(),
        namespace: namespace.into(),
        id: None,
        arguments: Arguments::Json,
        close: Marker::NONE,
    };
    let is_plain = Named {
        call_open: Marker::NONE,
        call_close: Marker::NONE,
        call: named,
        has_id: false,
        closes_less: false,
    };
    format.tools = Some(is_plain.tools(calls)?);
    format.headers = Some(headers);
    Ok(())
}
