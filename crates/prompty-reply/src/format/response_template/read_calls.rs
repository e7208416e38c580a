//! Reading the field `tool_calls` of a response template.

use super::fields::{CallPaths, Delimiter, TemplateField, path, read_transform};
use super::named_calls::NamedCallField;
use super::pattern::{PatternPart, split_at_group};
use crate::format::{CallShape, JsonCall, Marker, Text, Tools};
use prompty_core::value::Value;

/// Reads the field. Calls with a group `name` in the opener have the name in markup; others are
/// JSON.
pub(super) fn read(field: &TemplateField<'_>) -> Result<Tools, String> {
    if field.get("join").is_some() {
        return Err(format!("`{}join`: not supported for calls", field.place));
    }
    let (open, close) = (field.opener()?, field.closer()?);
    let (section_open, opener) = split_section(open, true)?;
    let (section_close, closer) = split_section(close, false)?;
    let mut tools = match split_at_group(opener, "name") {
        None => read_json(field, open.marker_of(opener)?, close.marker_of(closer)?)?,
        Some(around_name) => {
            NamedCallField::read(open, around_name, close, closer)?.tools(field)?
        }
    };
    if !section_open.is_none() || !section_close.is_none() {
        if tools.array {
            return Err(format!("`{}`: an optional opener of a list is not supported", open.place));
        }
        (tools.section_open, tools.section_close) = (section_open, section_close);
    }
    Ok(tools)
}

/// Splits off the optional marker around all calls: at the start of an opener, or at the end of a
/// closer.
fn split_section(
    delimiter: &Delimiter,
    at_start: bool,
) -> Result<(Marker, &[PatternPart]), String> {
    let pieces = delimiter.pieces.as_slice();
    let split = if at_start { pieces.split_first() } else { pieces.split_last() };
    match split {
        // An optional part directly before a name is a namespace.
        Some((PatternPart::Optional(section), rest))
            if !matches!(rest.first(), Some(PatternPart::Named(_))) || !at_start =>
        {
            Ok((delimiter.marker_of(section)?, rest))
        }
        _ => Ok((Marker::NONE, pieces)),
    }
}

/// Reads calls as JSON objects, with markers around each or around a list of them.
fn read_json(field: &TemplateField<'_>, open: Marker, close: Marker) -> Result<Tools, String> {
    let place = &field.place;
    let (content, arguments) = field.content()?;
    if content != "json" {
        return Err(format!("`{place}content`: `{content}` needs a group `name` in the opener"));
    }
    if let Some(key) = arguments.iter().find(|(_, value)| **value != Value::Bool(false)) {
        return Err(format!("`{place}content_args.{}`: unsupported value", key.0));
    }
    let transforms_each = field.flag("transform_each")?;
    let repeats = field.flag("repeats")?;
    let parts = match field.get("transform") {
        Some(transform) => read_transform(transform, place)?,
        // Without a transform, the calls have the form of the chat API.
        None => CallPaths {
            name: path("content.function.name"),
            arguments: path("content.function.arguments"),
            id: Some(path("content.id")),
        },
    };
    // The chat API has a list of calls. A field without a transform is that list, unless the field
    // repeats.
    let is_list = transforms_each || (field.get("transform").is_none() && !repeats);
    if is_list && repeats {
        return Err(format!("`{place}repeats`: several lists of calls are not supported"));
    }
    // The keys inside a call. With `transform_each`, a path begins in the call itself, otherwise
    // with `content`.
    let in_content = !transforms_each;
    let keys = |path: &[String]| match path.split_first() {
        Some((first, rest)) if in_content && first == "content" => Ok(rest.to_vec()),
        Some(_) if !in_content => Ok(path.to_vec()),
        _ => Err(format!("`{place}transform`: unknown placeholder `{{{}}}`", path.join("."))),
    };
    let mut call = JsonCall::default();
    match (keys(&parts.name)?.as_slice(), keys(&parts.arguments)?.as_slice()) {
        ([], []) => {}
        ([name], [arguments]) => set_fields(&mut call, "", name, arguments),
        ([function, name], [inside, arguments]) if function == inside => {
            set_fields(&mut call, function, name, arguments);
        }
        _ => {
            return Err(format!("`{place}transform`: name and arguments must be in one object"));
        }
    }
    match parts.id.as_deref().map(keys).transpose()?.as_deref() {
        None | Some([]) => {}
        Some([id]) => call.id_field = Text::Owned(id.clone()),
        Some(_) => {
            return Err(format!("`{place}transform.id`: the id must be in the outer object"));
        }
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
