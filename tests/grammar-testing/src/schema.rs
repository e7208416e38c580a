//! Validates values by JSON schemas. It supports the keywords that the tests use, as the
//! specification defines them.

use regex::Regex;
use serde_json::Value;

/// Whether a value follows a schema as grammars interpret it: a schema with properties, or with the
/// first items of an array, allows no others unless it says so.
pub fn follows(schema: &Value, value: &Value) -> bool {
    SchemaChecker { root: schema, closed: true }.is_valid_and_closed(schema, value)
}

/// Whether a value is valid by the JSON Schema specification.
pub fn is_valid(schema: &Value, value: &Value) -> bool {
    SchemaChecker { root: schema, closed: false }.is_valid_and_closed(schema, value)
}

struct SchemaChecker<'s> {
    root: &'s Value,
    closed: bool,
}

impl SchemaChecker<'_> {
    /// Whether a value is valid and has no other properties.
    fn is_valid_and_closed(&self, schema: &Value, value: &Value) -> bool {
        if !self.is_valid(schema, value) {
            return false;
        }
        if !self.closed {
            return true;
        }
        let schemas = self.applicable_schemas(schema, 0);
        let has = |keyword: &str| schemas.iter().any(|schema| schema.get(keyword).is_some());
        let is_typed = ["type", "const", "enum"].into_iter().any(has);
        let about = |keywords: &[&str]| keywords.iter().any(|keyword| has(keyword));
        let is_typed_for_value = is_typed
            || (value.is_object() && about(&["properties", "additionalProperties", "required"]))
            || (value.is_array() && about(&["items", "prefixItems", "minItems", "maxItems"]))
            || (value.is_string() && about(&["pattern", "format", "minLength", "maxLength"]))
            || (value.is_number() && about(&["minimum", "maximum"]))
            || !about(&["properties", "additionalProperties", "required", "items", "prefixItems"])
                && !about(&["minItems", "maxItems", "pattern", "format", "minLength", "maxLength"])
                && !about(&["minimum", "maximum"]);
        let is_closed = has("properties") && !has("additionalProperties");
        let knows = |name: &str| {
            let named = |schema: &&Value| schema["properties"].get(name).is_some();
            schemas.iter().any(named)
        };
        is_typed_for_value
            && (!is_closed
                || value.as_object().is_none_or(|map| map.keys().all(|name| knows(name))))
    }

    /// All schemas that apply to the same value.
    fn applicable_schemas<'v>(&'v self, schema: &'v Value, depth: usize) -> Vec<&'v Value> {
        let mut all = vec![schema];
        if depth < 8 {
            for keyword in ["allOf", "anyOf", "oneOf"] {
                let parts = schema.get(keyword).and_then(Value::as_array);
                parts
                    .into_iter()
                    .flatten()
                    .for_each(|part| all.extend(self.applicable_schemas(part, depth + 1)));
            }
            if let Some(reference) = schema.get("$ref") {
                all.extend(self.applicable_schemas(self.target(reference), depth + 1));
            }
        }
        all
    }

    fn target(&self, reference: &Value) -> &Value {
        let pointer = reference.as_str().unwrap().strip_prefix('#').unwrap();
        self.root.pointer(pointer).unwrap()
    }

    fn is_valid(&self, schema: &Value, value: &Value) -> bool {
        let Value::Object(map) = schema else { return *schema != Value::Bool(false) };
        map.iter().all(|(keyword, argument)| self.keyword(schema, keyword, argument, value))
    }

    fn keyword(&self, schema: &Value, keyword: &str, argument: &Value, value: &Value) -> bool {
        let is_valid = |schema: &Value| self.is_valid(schema, value);
        let all = || argument.as_array().unwrap().iter();
        let number = value.as_f64();
        let bound = argument.as_f64();
        let length = value.as_str().map(|text| text.chars().count() as f64);
        let count = value.as_array().map(|items| items.len() as f64);
        let size = value.as_object().map(|map| map.len() as f64);
        let at_least = |count: Option<f64>| count.is_none_or(|count| count >= bound.unwrap());
        let at_most = |count: Option<f64>| count.is_none_or(|count| count <= bound.unwrap());
        match keyword {
            "type" => match argument {
                Value::String(name) => has_type(name, value),
                _ => all().any(|name| has_type(name.as_str().unwrap(), value)),
            },
            "const" => same(argument, value),
            "enum" => all().any(|one| same(one, value)),
            "anyOf" => all().any(is_valid),
            "oneOf" => all().filter(|schema| self.is_valid(schema, value)).count() == 1,
            "allOf" => all().all(is_valid),
            "$ref" => is_valid(self.target(argument)),
            "minimum" => at_least(number),
            "maximum" => at_most(number),
            "exclusiveMinimum" => number.is_none_or(|number| number > bound.unwrap()),
            "exclusiveMaximum" => number.is_none_or(|number| number < bound.unwrap()),
            "minLength" => at_least(length),
            "maxLength" => at_most(length),
            "minItems" => at_least(count),
            "maxItems" => at_most(count),
            "minProperties" => at_least(size),
            "maxProperties" => at_most(size),
            "pattern" => value.as_str().is_none_or(|text| {
                Regex::new(argument.as_str().unwrap()).is_ok_and(|is| is.is_match(text))
            }),
            "format" => {
                value.as_str().is_none_or(|text| is_format(argument.as_str().unwrap(), text))
            }
            "required" => value
                .as_object()
                .is_none_or(|map| all().all(|name| map.contains_key(name.as_str().unwrap()))),
            "properties" => value.as_object().is_none_or(|map| {
                map.iter().all(|(name, value)| {
                    argument.get(name).is_none_or(|schema| self.is_valid_and_closed(schema, value))
                })
            }),
            "additionalProperties" => value.as_object().is_none_or(|map| {
                let known = |name: &str| {
                    schema.get("properties").is_some_and(|known| known.get(name).is_some())
                };
                map.iter()
                    .all(|(name, value)| known(name) || self.is_valid_and_closed(argument, value))
            }),
            "prefixItems" if argument.is_array() => {
                self.tuple(argument, schema.get("items"), value)
            }
            "prefixItems" if schema.get("items").is_some() => true,
            "items" if argument.is_array() => {
                self.tuple(argument, schema.get("additionalItems"), value)
            }
            "items" | "prefixItems" => {
                let first = schema.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
                let items = value.as_array().into_iter().flatten().skip(first);
                items.into_iter().all(|item| self.is_valid_and_closed(argument, item))
            }
            _ => true,
        }
    }

    fn tuple(&self, first: &Value, rest: Option<&Value>, value: &Value) -> bool {
        let (first, Some(items)) = (first.as_array().unwrap(), value.as_array()) else {
            return true;
        };
        items.iter().enumerate().all(|(at, item)| match first.get(at) {
            Some(schema) => self.is_valid_and_closed(schema, item),
            None => rest.map_or(!self.closed, |rest| self.is_valid_and_closed(rest, item)),
        })
    }
}

fn has_type(name: &str, value: &Value) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => panic!("unknown type {name}"),
    }
}

/// Whether two values are equal. The notation of a number does not matter.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        _ => one == other,
    }
}

fn is_format(name: &str, text: &str) -> bool {
    let is = |pattern: &str| Regex::new(pattern).unwrap().is_match(text);
    match name {
        "date" => is_date(text),
        "time" => is_time(text),
        "date-time" => {
            text.split_once('T').is_some_and(|(date, time)| is_date(date) && is_time(time))
        }
        "uuid" => is("^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"),
        _ => true,
    }
}

fn is_time(text: &str) -> bool {
    let time = r"^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$";
    Regex::new(time).unwrap().is_match(text)
}

fn is_date(text: &str) -> bool {
    let parts: Vec<u32> = text.split('-').filter_map(|part| part.parse().ok()).collect();
    let &[year, month, day] = parts.as_slice() else { return false };
    let is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    text.len() == 10 && (1..=days).contains(&day)
}
