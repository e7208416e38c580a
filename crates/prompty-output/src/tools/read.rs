//! Reads a tool's arguments from JSON text. Errors have the place of the value that does not fit.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::{ToolError, ToolErrorKind, expected};
use crate::type_schema;
use crate::union_work::{self, EXPECTED_SMALLER};
use prompty_core::arguments_error::ArgumentsError;
use prompty_core::error::Error;
use prompty_core::lenient_integers;
use prompty_core::schema::Schema;
use prompty_core::schema::shape::SentSchema;
use prompty_core::schema::shape::wrapper::{self, WrapperStart};
use prompty_core::value::Value;
use prompty_core::value::internal::{bounded, json_excerpt};

/// The arguments of a call.
pub(super) fn read_arguments<T>(tool: &str, json: &str) -> Result<T, ToolError>
where
    T: DeserializeOwned + JsonSchema,
{
    let json = match json.trim() {
        // Some providers send an empty text for a call without arguments.
        "" => "{}",
        json => json,
    };
    let json = without_wrapper::<T>(json);
    // serde also reads structs from arrays, but the schema does not describe that form.
    if json.starts_with('{') {
        check_work::<T>(tool, json)?;
        // The text is read directly, because some types have more digits than a `Value`.
        match lenient_integers::read(json, |json| serde_json::from_str(json)) {
            Ok(arguments) => return Ok(arguments),
            Err(error) => return read_again(tool, json, &error),
        }
    }
    let value = parse_value(tool, json)?;
    Err(arguments_error(ArgumentsError::not_an_object(tool, &value)))
}

/// Checks that serde reads the arguments in bounded work: see [`union_work`].
fn check_work<T: JsonSchema>(tool: &str, json: &str) -> Result<(), ToolError> {
    if !type_schema::parameters_have_recursive_union::<T>() {
        return Ok(());
    }
    let value = parse_value(tool, json)?;
    let parameters = Value::Object(type_schema::parameter_schema::<T>());
    if union_work::is_bounded(&value, Schema::from_value(&parameters)) {
        return Ok(());
    }
    let message = format!("expected {EXPECTED_SMALLER}, found {}", json_excerpt(&value));
    Err(mismatch_error(tool, &message).with_help("nest fewer objects and arrays in each other"))
}

/// An error about arguments that do not fit the parameters of a tool.
fn mismatch_error(tool: &str, message: &str) -> ToolError {
    let subject = format!("the arguments of `{tool}` do not match its parameters");
    ToolError::new(ToolErrorKind::Arguments, message).with_subject(subject)
}

fn parse_value(tool: &str, json: &str) -> Result<Value, ToolError> {
    let invalid = |error: Error| ArgumentsError::invalid_json(tool, &error.to_string());
    Value::from_json(json).map_err(|error| arguments_error(invalid(error)))
}

/// Removes the wrapper object that a provider required for arguments that may not be an object,
/// such as those of an enum.
fn without_wrapper<T: JsonSchema>(json: &str) -> &str {
    let WrapperStart::Present { .. } = wrapper::wrapper_start(json) else { return json };
    let parameters = Value::Object(type_schema::parameter_schema::<T>());
    let inside = SentSchema::of_schema(&parameters)
        .strip_wrapper_start(json)
        .and_then(wrapper::strip_wrapper_end);
    inside.map_or(json, str::trim)
}

/// Reads arguments again that serde could not read. This reader knows the place of an error.
fn read_again<T>(tool: &str, json: &str, error: &serde_json::Error) -> Result<T, ToolError>
where
    T: DeserializeOwned + JsonSchema,
{
    let value = parse_value(tool, json)?;
    // A `Value` keeps only one of two equal names, so reading it would hide the error.
    let is_duplicate = error.to_string().starts_with("duplicate field");
    let parameters = Value::Object(type_schema::parameter_schema::<T>());
    let schema = Schema::from_value(&parameters);
    // In strict mode, a missing optional property is written as `null`.
    let stripped = without_nulls(&value, schema);
    if let (false, Ok(arguments)) = (is_duplicate, stripped.deserialize_in_place::<T>()) {
        return Ok(arguments);
    }
    let new_error = |message: &str| mismatch_error(tool, message);
    let Err(failure) = value.deserialize_in_place::<T>() else {
        return Err(text_error(new_error, &error.to_string()));
    };
    let (failure, help) = expected::explain(schema, &value, failure);
    let without_place = new_error(failure.message());
    let without_help = match failure.place() {
        place if place.is_empty() => without_place,
        place => without_place.with_place(place),
    };
    Err(match help {
        Some(help) => without_help.with_help(help),
        None => without_help,
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

/// The error of text whose problem a `Value` does not show: a duplicate name, or a number that is
/// too large for a `Value`.
fn text_error(new_error: impl Fn(&str) -> ToolError, text: &str) -> ToolError {
    let name = text.strip_prefix("duplicate field `").and_then(|it| it.split('`').next());
    match name {
        Some(name) => new_error(&bounded(&format!("`{name}` is specified twice")))
            .with_help("pass each argument only once"),
        None => new_error(&bounded(text)),
    }
}

fn arguments_error(error: ArgumentsError) -> ToolError {
    ToolError::new(ToolErrorKind::Arguments, error.message).with_help(error.help)
}
