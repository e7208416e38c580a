//! Validates inputs by their declarations (§12.2).

use super::inputs::Inputs;
use crate::engine::RichInput;
use crate::nonce::{Nonce, Rich};
use prompty_check::definition::Input;
use prompty_core::diagnostic::suggest::suggest;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::{Media, RichKind, ThreadRoles, thread_from_value};
use prompty_core::schema::Schema;
use prompty_core::value::Value;

/// Adds defaults, and checks that required inputs are given and that values match their schemas.
/// As specified, it does not check types and keeps undeclared inputs; the compiler checks both.
pub(super) fn fill_defaults(declared: &[Input], inputs: &mut Inputs) -> Result<(), Error> {
    for input in declared {
        if input.name.is_empty() || inputs.contains(&input.name) {
            continue;
        }
        if let Some(default) = input.default.clone().filter(|default| !default.is_null()) {
            inputs.values_mut().insert(input.name.as_str(), default);
        } else if input.required {
            return Err(missing_input(declared, inputs, &input.name));
        }
    }
    declared.iter().try_for_each(|input| check_schema(input, inputs))
}

/// Checks an input against its schema. A missing or null optional input is not checked.
fn check_schema(input: &Input, inputs: &Inputs) -> Result<(), Error> {
    let (Some(schema), Some(value)) = (&input.schema, inputs.values().get(&input.name)) else {
        return Ok(());
    };
    if value.is_null() && !input.required {
        return Ok(());
    }
    let violations = Schema::from_value(schema).violations(value);
    let Some(first) = violations.first() else { return Ok(()) };
    let place = first.pointer.trim_start_matches('#');
    let at = if place.is_empty() { String::new() } else { format!(" at `{place}`") };
    let message = format!("input `{}`{at} {}", input.name, first.message);
    let help = match violations.len() {
        1 => "pass a value that matches the JSON schema of the input".to_owned(),
        count => format!(
            "pass a value that matches the JSON schema of the input; {} more violations were found",
            count - 1
        ),
    };
    Err(Error::new(ErrorKind::WrongInput, message).with_help(help))
}

/// The error for a missing required input, with the names that were given but are not declared.
fn missing_input(declared: &[Input], inputs: &Inputs, name: &str) -> Error {
    let undeclared: Vec<&str> = inputs
        .values()
        .keys()
        .filter(|given| declared.iter().all(|input| input.name != *given))
        .collect();
    let help = match undeclared.as_slice() {
        [] => format!("give `{name}` a value, or declare a default for it"),
        names => match suggest(name, names) {
            Some(given) => format!("rename `{given}` to `{name}`"),
            None => format!(
                "give `{name}` a value; these inputs are not declared: `{}`",
                names.join("`, `")
            ),
        },
    };
    Error::new(ErrorKind::MissingInput, format!("missing required input `{name}`")).with_help(help)
}

/// A rich input of a render.
pub(super) struct RichInputValue {
    pub(super) name: String,
    pub(super) rich: Rich,
    /// The roles that the input allows if it is a thread.
    pub(super) roles: ThreadRoles,
}

/// Takes the declared rich inputs, in the order of their declarations, and converts those that
/// were given as plain values. A missing thread becomes an empty thread. A missing image, file or
/// audio prints nothing.
pub(super) fn take_rich(
    declared: &[Input],
    inputs: &mut Inputs,
) -> Result<Vec<RichInputValue>, Error> {
    let mut rich_inputs = Vec::new();
    for input in declared {
        let Some(kind) = input.value_type.rich() else { continue };
        let typed = inputs.take_rich(&input.name);
        let plain = || inputs.values().get(&input.name).filter(|value| !value.is_null());
        // A typed input replaces a plain one of the same name.
        let rich = match (typed, plain()) {
            (Some(rich), _) => Some(rich),
            (None, Some(value)) => Some(
                rich_from_value(kind, value)
                    .map_err(|error| with_input_name(&input.name, &error))?,
            ),
            (None, None) if kind == RichKind::Thread => Some(Rich::Thread(Vec::new())),
            (None, None) => None,
        };
        if inputs.values().contains_key(&input.name) {
            inputs.values_mut().remove(&input.name);
        }
        rich_inputs.extend(rich.map(|rich| RichInputValue {
            name: input.name.clone(),
            rich,
            roles: input.roles.clone(),
        }));
    }
    Ok(rich_inputs)
}

/// Assigns placeholders to the rich inputs (§5.3). Returns the names for the template, and the
/// values for the parser.
pub(super) fn assign_placeholders(
    inputs: Vec<RichInputValue>,
    nonce: &Nonce,
) -> (Vec<RichInput>, Vec<(String, Rich, ThreadRoles)>) {
    let assigned = inputs.into_iter().map(|RichInputValue { name, rich, roles }| {
        let placeholder = nonce.placeholder(&name);
        let known = RichInput { name, placeholder: placeholder.clone(), present: !rich.is_empty() };
        (known, (placeholder, rich, roles))
    });
    assigned.unzip()
}

/// Adds the name of the input to an error.
fn with_input_name(name: &str, error: &Error) -> Error {
    let named = Error::new(ErrorKind::WrongInput, format!("input `{name}`: {error}"));
    match error.help() {
        Some(help) => named.with_help(help),
        None => named,
    }
}

fn rich_from_value(kind: RichKind, value: &Value) -> Result<Rich, Error> {
    Ok(match kind.media_part() {
        Some(part) => Rich::Part(part(Media::from_value(value)?)),
        None => Rich::Thread(thread_from_value(value)?),
    })
}
