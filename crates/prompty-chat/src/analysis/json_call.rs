//! T1 for calls that are JSON: the fields of the name, the arguments and the id.

use super::conversation::{FIRST, FIRST_ID, KEY, OTHER_KEY, SECOND, SECOND_ID};
use super::piece::{MOST_STARTS, Piece, contains_text, leading_json};
use prompty_core::value::{Map, Value};
use prompty_reply::format::{JsonCall, Text};

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

/// The calls of a list.
fn in_list<'t>(
    reply: Piece<'t>,
    at: usize,
    length: usize,
    items: &[Value],
) -> Option<JsonCalls<'t>> {
    let first = items.first()?.as_object()?;
    let call = fields(first, items.get(1).and_then(Value::as_object))?;
    let list = reply.from(at).to(length);
    let one = list.from(list.find("{")?);
    let following = one.from(leading_json(one.text())?.1);
    let between = items.get(1).and_then(|_| following.before("{"));
    let (open, close) = (reply.to(at), reply.from(at + length));
    Some(JsonCalls { call, array: true, open, between, close })
}

/// Consecutive calls without a list.
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

/// The fields of a call, identified by their values.
fn fields(first: &Map, second: Option<&Map>) -> Option<JsonCall> {
    let text = |key: &str| Text::Owned(key.to_owned());
    let mut call = JsonCall { args_field: text(""), ..JsonCall::default() };
    if let Some(arguments) = first.get(FIRST) {
        call.name_is_key = true;
        call.name_field = text("");
        return is_arguments(arguments).then_some(call);
    }
    let is = |value: &Value, wanted: &str| value.as_str() == Some(wanted);
    let named = |map: &Map| map.iter().find(|(_, value)| is(value, FIRST)).map(|it| text(it.0));
    let inner = match named(first) {
        Some(name) => {
            call.name_field = name;
            first
        }
        None => {
            let (key, map, name) = first.iter().find_map(|(key, value)| {
                let map = value.as_object()?;
                Some((key, map, named(map)?))
            })?;
            call.function_field = text(key);
            call.name_field = name;
            map
        }
    };
    let arguments = inner.iter().chain(first.iter()).find(|(_, value)| is_arguments(value))?;
    call.args_field = text(arguments.0);
    for (key, value) in first.iter().chain(inner.iter()) {
        if is(value, FIRST_ID) || is(value, SECOND_ID) {
            call.id_field = text(key);
        } else if second.is_some_and(|second| are_consecutive(value, second.get(key))) {
            call.gen_id_field = text(key);
        }
    }
    let known = |key: &str| {
        [
            &call.function_field,
            &call.name_field,
            &call.args_field,
            &call.id_field,
            &call.gen_id_field,
        ]
        .iter()
        .any(|field| **field == key)
    };
    let keys = first.keys().flat_map(|key| {
        let nested =
            first.get(key).and_then(Value::as_object).filter(|_| *key == *call.function_field);
        nested.map_or_else(|| vec![key], |map| map.keys().collect())
    });
    call.order = keys.filter(|key| known(key)).map(text).collect();
    Some(call)
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
