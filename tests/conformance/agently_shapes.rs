//! The shapes of the cases: what Python writes as types, tuples, lists and maps.

use serde_json::Value as Json;
use typed_prompty::slots::Shape;

/// The shape that a case writes.
pub(crate) fn shape(json: &Json) -> Shape {
    match json {
        Json::Array(items) => Shape::list_of_each(items.iter().map(shape)),
        Json::Object(map) if !map.contains_key("$py") => {
            Shape::object(map.iter().map(|(name, it)| (name.as_str(), shape(it))))
        }
        Json::Object(_) => of_python(json),
        other => Shape::words(words(other)),
    }
}

fn of_python(json: &Json) -> Shape {
    let items = json["items"].as_array();
    match (json["$py"].as_str().unwrap(), items.map(Vec::as_slice)) {
        ("type", _) => of_type(json["name"].as_str().unwrap()),
        ("tuple", Some([first])) => shape(first),
        ("tuple", Some([first, description, ..])) => shape(first).described(words(description)),
        ("set", Some(items)) => Shape::list_of_each(items.iter().map(shape)),
        ("generic", _) => of_generic(json),
        _ => panic!("no shape: {json}"),
    }
}

fn of_type(name: &str) -> Shape {
    match name {
        "str" => Shape::text(),
        "int" => Shape::integer(),
        "float" => Shape::number(),
        "bool" => Shape::boolean(),
        "none" => Shape::null(),
        "list" => Shape::list(),
        "dict" => Shape::map(),
        "any" => Shape::any(),
        other => panic!("no type: {other}"),
    }
}

fn of_generic(json: &Json) -> Shape {
    let args = json["args"].as_array().unwrap();
    match json["origin"].as_str().unwrap() {
        "list" => Shape::list_of(shape(&args[0])).inline(),
        "literal" => Shape::literals(args.iter().map(words)),
        _ => Shape::one_of(args.iter().map(shape)).inline(),
    }
}

/// A value as Python prints it.
pub(crate) fn words(json: &Json) -> String {
    match json {
        Json::String(text) => text.clone(),
        Json::Null => "None".to_owned(),
        Json::Bool(true) => "True".to_owned(),
        Json::Bool(false) => "False".to_owned(),
        other => other.to_string(),
    }
}
