//! From JSON text to a tool's arguments, or to an error with the place of what does not fit.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::{ToolError, ToolErrorKind, expected};
use crate::type_schema;
use prompty_core::arguments_error::ArgumentsError;
use prompty_core::schema::Schema;
use prompty_core::schema::shape::SentSchema;
use prompty_core::schema::shape::around::{self, Beginning};
use prompty_core::value::Value;
use prompty_core::value::internal::bounded;
use prompty_core::whole_numbers;

/// The arguments of a call.
pub(super) fn arguments<T>(tool: &str, json: &str) -> Result<T, ToolError>
where
    T: DeserializeOwned + JsonSchema,
{
    let json = match json.trim() {
        // Some providers send this for a call without arguments.
        "" => "{}",
        json => json,
    };
    let json = without_around::<T>(json);
    // serde reads structs from lists, too, but no model was told so.
    if json.starts_with('{') {
        // Not through `Value`: some types hold more digits than a value does.
        match whole_numbers::read(json, |json| serde_json::from_str(json)) {
            Ok(arguments) => return Ok(arguments),
            Err(error) => return read_again(tool, json, &error),
        }
    }
    Err(match Value::from_json(json) {
        Ok(value) => unreadable(ArgumentsError::not_an_object(tool, &value)),
        Err(error) => unreadable(ArgumentsError::invalid_json(tool, &error.to_string())),
    })
}

/// Arguments without the object that a provider demanded around them, where they may be no plain object: those of an
/// enum, for example.
fn without_around<T: JsonSchema>(json: &str) -> &str {
    let Beginning::Around { .. } = around::beginning(json) else { return json };
    let parameters = Value::Object(type_schema::parameters::<T>());
    let inside = SentSchema::of_schema(&parameters).inside(json).and_then(around::without_end);
    inside.map_or(json, str::trim)
}

/// Arguments that do not fit as they are. They are read again, by a reader that knows its place.
fn read_again<T>(tool: &str, json: &str, error: &serde_json::Error) -> Result<T, ToolError>
where
    T: DeserializeOwned + JsonSchema,
{
    let value = match Value::from_json(json) {
        Ok(value) => value,
        Err(error) => {
            return Err(unreadable(ArgumentsError::invalid_json(tool, &error.to_string())));
        }
    };
    // In the strict form of a schema, what is optional is `null` where it is missing.
    let is_doubled = error.to_string().starts_with("duplicate field");
    let parameters = Value::Object(type_schema::parameters::<T>());
    let set = without_nulls(&value, Schema::from_value(&parameters));
    if let (false, Ok(arguments)) = (is_doubled, set.deserialize_in_place::<T>()) {
        return Ok(arguments);
    }
    let new = |message: &str| {
        let subject = format!("the arguments of `{tool}` do not fit");
        ToolError::new(ToolErrorKind::Arguments, message).about(subject)
    };
    let Err(failure) = value.deserialize_in_place::<T>() else {
        return Err(beyond_the_value(new(&bounded(&error.to_string()))));
    };
    let schema = Schema::from_value(&parameters);
    let (failure, help) = expected::explain(schema, &value, failure);
    let error = new(failure.message());
    let error = match failure.place() {
        place if place.is_empty() => error,
        place => error.with_place(place),
    };
    Err(match help {
        Some(help) => error.with_help(help),
        None => error,
    })
}

/// A value without the optional properties that are `null`, as far as the schema names them.
fn without_nulls(value: &Value, schema: Schema<'_>) -> Value {
    let Value::Object(map) = value else { return value.clone() };
    let properties = schema.properties();
    let entries = map.iter().filter_map(|(name, value)| {
        let Some(property) = properties.iter().find(|it| it.name == name) else {
            return Some((name, value.clone()));
        };
        if value.is_null() && !property.is_required {
            return None;
        }
        let schemas = property.schemas.first().map(|inner| schema.part(inner));
        Some((name, schemas.map_or_else(|| value.clone(), |inner| without_nulls(value, inner))))
    });
    Value::Object(entries.collect())
}

/// The error of what only the text shows: a name that stands there twice, or a number that is too
/// large for a value.
fn beyond_the_value(error: ToolError) -> ToolError {
    match error.message().starts_with("duplicate field") {
        true => error.with_help("give each argument once"),
        false => error,
    }
}

fn unreadable(error: ArgumentsError) -> ToolError {
    ToolError::new(ToolErrorKind::Arguments, error.message).with_help(error.help)
}
