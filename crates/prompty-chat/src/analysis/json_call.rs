//! Finds the fields of the name, the arguments and the id in calls that are JSON. In the table at
//! the head of `analysis`, this is T1. Examples:
//!
//! - a list: `<calls>[{"name": "FIRST", "arguments": {…}}, {"name": "SECOND", …}]</calls>`
//! - a sequence: `<call>{"name": "FIRST", …}</call><call>{"name": "SECOND", …}</call>`
//! - nested: `{"id": "FIRST_ID", "function": {"name": "FIRST", "arguments": {…}}}`
//! - the name is the key: `{"FIRST": {…}}`

use super::conversation::{FIRST, FIRST_ID, KEY, OTHER_KEY, SECOND, SECOND_ID};
use super::frame::text;
use super::piece::{MOST_STARTS, Piece, contains_text, leading_json};
use prompty_core::value::{Map, Value};
use prompty_reply::format::{JsonCall, List, Text};

/// Calls as JSON, and the texts around them.
#[derive(Debug)]
pub(super) struct JsonCalls<'t> {
    pub(super) call: JsonCall,
    pub(super) array: bool,
    /// The text before the first call, or before the list.
    pub(super) open: Piece<'t>,
    /// The text between two calls.
    pub(super) between: Option<Piece<'t>>,
    /// The text after the last call, or after the list.
    pub(super) close: Piece<'t>,
}

/// Reads the calls of a reply, if their names are in JSON.
pub(super) fn find(reply: Piece<'_>) -> Option<JsonCalls<'_>> {
    let front = reply.before(FIRST)?;
    let starts =
        front.text().char_indices().filter(|(_, character)| matches!(character, '[' | '{'));
    for (at, character) in starts.take(MOST_STARTS) {
        let rest = reply.from(at);
        let Some((value, length)) = leading_json(rest.text()) else { continue };
        // This JSON ends before the name, or does not contain it as a string.
        if at + length < front.len() || !contains_text(&value, FIRST) {
            continue;
        }
        let found = match &value {
            Value::Array(items) if character == '[' => in_list(reply, at, length, items),
            Value::Object(first) => in_sequence(reply, at, length, first),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The calls of a list at an offset of the reply.
fn in_list<'t>(
    reply: Piece<'t>,
    at: usize,
    length: usize,
    items: &[Value],
) -> Option<JsonCalls<'t>> {
    let first = items.first()?.as_object()?;
    let call = fields(first, items.get(1).and_then(Value::as_object))?;
    let list = reply.from(at).to(length);
    let from_first = list.from(list.find("{")?);
    let following = from_first.from(leading_json(from_first.text())?.1);
    let between = items.get(1).and_then(|_| following.before("{"));
    let (open, close) = (reply.to(at), reply.from(at + length));
    Some(JsonCalls { call, array: true, open, between, close })
}

/// Consecutive calls without a list, the first at an offset of the reply.
fn in_sequence<'t>(
    reply: Piece<'t>,
    at: usize,
    length: usize,
    first: &Map,
) -> Option<JsonCalls<'t>> {
    let following = reply.from(at + length);
    let second = following.text().match_indices('{').take(MOST_STARTS).find_map(|(start, _)| {
        let (value, length) = leading_json(following.from(start).text())?;
        let object = value.as_object().filter(|_| contains_text(&value, SECOND))?;
        Some((object.clone(), start, length))
    });
    let call = fields(first, second.as_ref().map(|(object, _, _)| object))?;
    let (between, close) = match &second {
        Some((_, start, length)) => (Some(following.to(*start)), following.from(start + length)),
        None => (None, following),
    };
    Some(JsonCalls { call, array: false, open: reply.to(at), between, close })
}

/// The fields of a call, identified by their values in the first call and the second.
fn fields(first: &Map, second: Option<&Map>) -> Option<JsonCall> {
    let mut call = JsonCall { args_field: text(""), ..JsonCall::default() };
    if let Some(arguments) = first.get(FIRST) {
        call.name_is_key = true;
        call.name_field = text("");
        return is_arguments(arguments).then_some(call);
    }
    // The object with the name: the call itself, or an object in it.
    let function = match name_field(first) {
        Some(_) => first,
        None => {
            let mut objects =
                first.iter().filter_map(|(key, value)| Some((key, value.as_object()?)));
            let (key, function) = objects.find(|it| name_field(it.1).is_some())?;
            call.function_field = text(key);
            function
        }
    };
    call.name_field = text(name_field(function)?);
    let arguments = function.iter().chain(first.iter()).find(|(_, value)| is_arguments(value))?;
    call.args_field = text(arguments.0);
    for (key, value) in first.iter().chain(function.iter()) {
        if matches!(value.as_str(), Some(FIRST_ID | SECOND_ID)) {
            call.id_field = text(key);
        } else if second.is_some_and(|second| are_consecutive(value, second.get(key))) {
            call.gen_id_field = text(key);
        }
    }
    call.order = field_order(&call, first);
    Some(call)
}

/// The key whose value is the name of the first call.
fn name_field(map: &Map) -> Option<&str> {
    map.iter().find(|(_, value)| value.as_str() == Some(FIRST)).map(|(key, _)| key)
}

/// The fields of a call in the order of its text.
fn field_order(call: &JsonCall, first: &Map) -> List<Text> {
    let JsonCall { function_field, name_field, args_field, id_field, gen_id_field, .. } = call;
    let fields = [function_field, name_field, args_field, id_field, gen_id_field];
    let keys = first.iter().flat_map(|(key, value)| match value.as_object() {
        Some(function) if *key == **function_field => function.keys().collect(),
        _ => vec![key],
    });
    keys.filter(|key| fields.iter().any(|field| **field == **key)).map(|key| text(key)).collect()
}

/// Whether a value is the arguments of the first call, as an object or as a string.
fn is_arguments(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.contains_key(KEY),
        Value::String(text) => text.contains(KEY) && text.contains(OTHER_KEY),
        _ => false,
    }
}

/// Whether two values are consecutive integers, or strings of such.
fn are_consecutive(value: &Value, next: Option<&Value>) -> bool {
    let number = |value: &Value| match value {
        Value::String(text) => text.parse::<i128>().ok(),
        other => other.as_integer(),
    };
    match (number(value), next.and_then(number)) {
        (Some(number), Some(next)) => number.checked_add(1) == Some(next),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> JsonCall {
        find(Piece::new(text)).unwrap().call
    }

    #[test]
    fn a_counting_id_differs_from_a_given_one() {
        let call = found(
            r#"<c>[{"n": "0", "t": "zqtoolaqz", "i": "zq1call01", "p": {"zqkeyaqz": 1}},
                {"n": "1", "t": "zqtoolbqz", "i": "zq1call02", "p": {}}]"#,
        );
        assert_eq!((&*call.gen_id_field, &*call.id_field), ("n", "i"));
        assert_eq!(call.order.to_vec(), ["n", "t", "i", "p"]);
    }

    #[test]
    fn a_name_may_be_the_key() {
        assert!(found(r#"[{"zqtoolaqz": {"zqkeyaqz": 1}}]"#).name_is_key);
    }

    #[test]
    fn a_function_may_be_nested() {
        let call = found(r#"{"id": "zq1call01", "f": {"a": {"zqkeyaqz": 1}, "n": "zqtoolaqz"}}"#);
        assert_eq!((&*call.function_field, &*call.name_field, &*call.args_field), ("f", "n", "a"));
    }
}
