//! The shapes of the cases, which Python writes as types, tuples, lists and dictionaries.

use serde_json::Value as Json;
use typed_prompty::Value;
use typed_prompty::shape::Shape;

/// Converts a schema of the cases to the shape that the prompt describes.
pub(crate) fn shape(schema: &Json) -> Shape {
    read(schema, |field, _| field)
}

/// Converts a schema of the cases to the shape that values are checked against: keys may be
/// missing.
pub(crate) fn lenient(schema: &Json) -> Shape {
    read(schema, |field, presence| match presence {
        Json::String(word) if word == "not_null" => field,
        // The key is required, and its value may be `null`.
        Json::Bool(true) => Shape::one_of([field, Shape::null()]),
        _ => field.with_default(Value::Null),
    })
}

/// Converts a field by the third item of its tuple, which says whether the field is required.
type Field = fn(Shape, &Json) -> Shape;

fn read(schema: &Json, field: Field) -> Shape {
    match schema {
        Json::Array(items) => Shape::list_of_each(items.iter().map(|it| read(it, field))),
        Json::Object(map) => match map.get("$py").and_then(Json::as_str) {
            None => object(map.iter().map(|(name, schema)| (name.clone(), schema)), field),
            Some(kind) => encoded(kind, schema, field),
        },
        other => Shape::words(python_text(other)),
    }
}

/// An object as the reference reads it: other keys are accepted.
fn object<'s>(fields: impl Iterator<Item = (String, &'s Json)>, field: Field) -> Shape {
    let of_field = |(name, schema): (String, &Json)| {
        let presence = if schema["$py"] == "tuple" { &schema["items"][2] } else { &Json::Null };
        (name, field(read(schema, field), presence))
    };
    let fields: Vec<(String, Shape)> = fields.map(of_field).collect();
    match fields.is_empty() {
        true => Shape::object(fields),
        false => Shape::object(fields).with_others(Shape::any()),
    }
}

/// A Python value that JSON cannot represent.
fn encoded(kind: &str, schema: &Json, field: Field) -> Shape {
    let shape = |it: &Json| read(it, field);
    let items = |name: &str| schema[name].as_array().unwrap().as_slice();
    match kind {
        "type" => match schema["name"].as_str().unwrap() {
            "str" => Shape::text(),
            "int" => Shape::integer(),
            "float" => Shape::number(),
            "bool" => Shape::boolean(),
            "list" => Shape::list(),
            "dict" => Shape::map(),
            "any" => Shape::any(),
            "none" => Shape::null(),
            name => Shape::words(name),
        },
        "tuple" => match items("items") {
            [] => Shape::tuple([]),
            [one] => shape(one),
            [one, description, ..] => {
                let description = match description {
                    Json::Null => String::new(),
                    other => python_text(other),
                };
                shape(one).with_description(description)
            }
        },
        "set" => Shape::list_of_each(items("items").iter().map(shape)),
        "dict" => object(
            items("items").iter().map(|entry| {
                let name = entry[0].as_str().map_or_else(|| entry[0].to_string(), str::to_owned);
                (name, &entry[1])
            }),
            field,
        ),
        "generic" => {
            let parts = || items("args").iter().map(shape);
            match schema["origin"].as_str().unwrap() {
                "list" | "set" => Shape::list_of_each(parts()).inline(),
                "dict" => Shape::map_of(parts().nth(1).unwrap()),
                "tuple" => Shape::tuple(parts()).inline(),
                "optional" => Shape::one_of(parts().chain([Shape::null()])),
                "literal" => Shape::literals(
                    items("args").iter().map(|it| Value::from_json(&it.to_string()).unwrap()),
                ),
                _ => Shape::one_of(parts()),
            }
        }
        "enum" => Shape::literals(
            items("members").iter().map(|it| Value::from_json(&it[1].to_string()).unwrap()),
        ),
        "model" => {
            let of_field = |field: &Json| {
                let found = shape(&field["type"]);
                let found = match field["desc"].as_str() {
                    Some(description) => found.with_description(description),
                    None => found,
                };
                (field["name"].as_str().unwrap().to_owned(), found)
            };
            Shape::object(items("fields").iter().map(of_field))
        }
        other => panic!("`{other}` has no shape"),
    }
}

/// A value as Python prints it.
pub(crate) fn python_text(json: &Json) -> String {
    match json {
        Json::String(text) => text.clone(),
        Json::Null => "None".to_owned(),
        Json::Bool(true) => "True".to_owned(),
        Json::Bool(false) => "False".to_owned(),
        other => other.to_string(),
    }
}

/// A schema of the cases in our notation of shapes.
pub(crate) fn notation(schema: &Json) -> Json {
    match schema {
        Json::Array(items) => items.iter().map(notation).collect(),
        Json::Object(map) => match map.get("$py").and_then(Json::as_str) {
            None => map.iter().map(|(name, it)| (name.clone(), notation(it))).collect(),
            Some("tuple") => described(schema["items"].as_array().unwrap()),
            Some("set") => schema["items"].as_array().unwrap().iter().map(notation).collect(),
            Some(_) => Json::from(type_name(schema)),
        },
        other => other.clone(),
    }
}

/// A type with its description, and whether its key is required.
fn described(items: &[Json]) -> Json {
    let words = ["$type", "$desc", "$ensure"];
    let is_required = |it: &Json| *it == true || it == "not_null";
    let written = words.into_iter().zip(items).filter_map(|(word, item)| {
        let is_left_out = match word {
            "$desc" => item == "",
            "$ensure" => !is_required(item),
            _ => false,
        };
        let item = if word == "$type" { notation(item) } else { item.clone() };
        (!is_left_out).then(|| (word.to_owned(), item))
    });
    Json::Object(written.collect())
}

/// The name of a type in the notation of the reference.
fn type_name(schema: &Json) -> String {
    let all = |name: &str, between: &str| {
        let items = schema[name].as_array().unwrap().iter();
        let names =
            items.map(|it| if it["$py"].is_null() { python_text(it) } else { type_name(it) });
        names.collect::<Vec<_>>().join(between)
    };
    match (schema["$py"].as_str().unwrap(), schema["origin"].as_str()) {
        ("enum", _) => {
            let members = schema["members"].as_array().unwrap().iter();
            let values: Vec<String> = members.map(|it| python_text(&it[1])).collect();
            format!("Literal[{}]", values.join(", "))
        }
        ("generic", Some("optional")) => format!("{} | NoneType", all("args", " | ")),
        ("generic", Some("literal")) => format!("Literal[{}]", all("args", ", ")),
        ("generic", Some("union" | "pipe")) => all("args", " | "),
        ("generic", Some(origin)) => format!("{origin}[{}]", all("args", ", ")),
        _ => schema["name"].as_str().unwrap().to_owned(),
    }
}
