//! Reads a tool's arguments from JSON text. Errors have the place of the value that does not fit.
//!
//! The arguments of a Rust type are read by serde, and its schema only explains an error. Those of a
//! tool that is known only at run time are validated by its schema first.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::tool::check_complete;
use super::{Call, ToolError, ToolErrorKind, expected};
use crate::type_schema;
use crate::union_work::{self, EXPECTED_SMALLER};
use prompty_core::arguments_error::ArgumentsError;
use prompty_core::error::Error;
use prompty_core::lenient_integers;
use prompty_core::message::ToolSpec;
use prompty_core::schema::shape::SentSchema;
use prompty_core::schema::shape::wrapper::{self, WrapperStart};
use prompty_core::schema::{Schema, Violation};
use prompty_core::value::Value;
use prompty_core::value::internal::{Failure, PathStep, bounded, json_excerpt};

/// The arguments of a call of a Rust type's tool.
pub(super) fn read_arguments<T>(tool: &str, json: &str) -> Result<T, ToolError>
where
    T: DeserializeOwned + JsonSchema,
{
    let json = without_wrapper(json, || Value::Object(type_schema::parameter_schema::<T>()));
    let is_recursive = type_schema::parameters_have_recursive_union::<T>;
    read_by_serde(tool, json, is_recursive, || Value::Object(type_schema::parameter_schema::<T>()))
}

/// The arguments of a call of a tool that is known only at run time. They are validated by the
/// schema, and then read into the type that the program wants.
pub(super) fn read_by_schema<T: DeserializeOwned>(
    tool: &ToolSpec,
    call: &impl Call,
) -> Result<T, ToolError> {
    check_complete(call)?;
    let parameters = Value::Object(tool.parameters.clone());
    let (name, schema) = (&tool.name, Schema::from_value(&parameters));
    let json = without_wrapper(call.arguments(), || parameters.clone());
    let mut value = parse_object(name, json)?;
    if let Some(violation) = schema.violations(&value).into_iter().next() {
        // In strict mode, a missing optional property is written as `null`.
        let stripped = without_nulls(&value, schema);
        if !schema.violations(&stripped).is_empty() {
            let failure = failure_of(&violation, &value);
            return Err(place_error(name, schema, &value, failure));
        }
        value = stripped;
    }
    // What was validated is read, so that a duplicate name cannot bring in another value.
    let is_recursive = || union_work::has_recursive_union(&parameters);
    read_by_serde(name, &value.to_json(), is_recursive, || parameters.clone())
}

/// Reads arguments by serde. `parameters` is their schema, which explains an error.
fn read_by_serde<T: DeserializeOwned>(
    tool: &str,
    json: &str,
    has_recursive_union: impl FnOnce() -> bool,
    parameters: impl Fn() -> Value,
) -> Result<T, ToolError> {
    // serde also reads structs from arrays, but the schema does not describe that form.
    if !json.starts_with('{') {
        parse_object(tool, json)?;
    }
    if has_recursive_union() {
        check_work(tool, json, &parameters())?;
    }
    // The text is read directly, because some types have more digits than a `Value`.
    match lenient_integers::read(json, |json| serde_json::from_str(json)) {
        Ok(arguments) => Ok(arguments),
        Err(error) => read_again(tool, json, &error, &parameters()),
    }
}

/// The place and the message of a violation of the schema.
fn failure_of(violation: &Violation, value: &Value) -> Failure {
    let mut at = Some(value);
    let mut steps = Vec::new();
    for token in violation.pointer.split('/').skip(1) {
        let index = at.and_then(Value::as_array).and_then(|_| token.parse().ok());
        let name = token.replace("~1", "/").replace("~0", "~");
        let (inside, step) = match index {
            Some(index) => (at.and_then(|at| at.as_array()?.get(index)), PathStep::Index(index)),
            None => (at.and_then(|at| at.get(&name)), PathStep::Name(name)),
        };
        at = inside;
        steps.push(step);
    }
    Failure::new(violation.message.as_str()).with_inner_steps(steps)
}

/// Checks that serde reads the arguments in bounded work: see [`union_work`].
fn check_work(tool: &str, json: &str, parameters: &Value) -> Result<(), ToolError> {
    let value = parse_value(tool, json)?;
    if union_work::is_bounded(&value, Schema::from_value(parameters)) {
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

/// Like [`parse_value`], for arguments that must be an object.
fn parse_object(tool: &str, json: &str) -> Result<Value, ToolError> {
    let value = parse_value(tool, json)?;
    match value {
        Value::Object(_) => Ok(value),
        other => Err(arguments_error(ArgumentsError::not_an_object(tool, &other))),
    }
}

/// Removes the wrapper object that a provider required for arguments that may not be an object,
/// such as those of an enum.
fn without_wrapper(json: &str, parameters: impl FnOnce() -> Value) -> &str {
    let json = match json.trim() {
        // Some providers send an empty text for a call without arguments.
        "" => "{}",
        json => json,
    };
    let WrapperStart::Present { .. } = wrapper::wrapper_start(json) else { return json };
    let inside = SentSchema::of_schema(&parameters())
        .strip_wrapper_start(json)
        .and_then(wrapper::strip_wrapper_end);
    inside.map_or(json, str::trim)
}

/// Reads arguments again that serde could not read. This reader knows the place of an error.
fn read_again<T: DeserializeOwned>(
    tool: &str,
    json: &str,
    error: &serde_json::Error,
    parameters: &Value,
) -> Result<T, ToolError> {
    let value = parse_value(tool, json)?;
    // A `Value` keeps only one of two equal names, so reading it would hide the error.
    let is_duplicate = error.to_string().starts_with("duplicate field");
    let schema = Schema::from_value(parameters);
    // In strict mode, a missing optional property is written as `null`.
    let stripped = without_nulls(&value, schema);
    if let (false, Ok(arguments)) = (is_duplicate, stripped.deserialize_in_place::<T>()) {
        return Ok(arguments);
    }
    match value.deserialize_in_place::<T>() {
        Err(failure) => Err(place_error(tool, schema, &value, failure)),
        Ok(_) => Err(text_error(tool, &error.to_string())),
    }
}

/// The error of a value in the arguments, with its place and what was expected there.
fn place_error(tool: &str, schema: Schema<'_>, value: &Value, failure: Failure) -> ToolError {
    let (failure, help) = expected::explain(schema, value, failure);
    let without_place = mismatch_error(tool, failure.message());
    let without_help = match failure.place() {
        place if place.is_empty() => without_place,
        place => without_place.with_place(place),
    };
    match help {
        Some(help) => without_help.with_help(help),
        None => without_help,
    }
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
fn text_error(tool: &str, text: &str) -> ToolError {
    let new_error = |message: &str| mismatch_error(tool, message);
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
