//! Reads defaults and allowed values, and checks them against the type of their input.

use super::super::node::{Node, NodeKind};
use super::super::{Input, ValueType};
use super::context::{Context, resolve_variable_text};
use prompty_core::diagnostic::{Code, Diagnostic};
use prompty_core::message::RichKind;
use prompty_core::value::Value;

/// Reads the allowed values of an input.
pub(super) fn allowed_values(
    context: &mut Context<'_>,
    value_type: &ValueType,
    nodes: &[Node],
    path: &str,
) -> Vec<Value> {
    let mut values = Vec::with_capacity(nodes.len());
    let mut is_reported = false;
    for node in nodes {
        let value = value_of_type(node, value_type);
        let is_wrong =
            !value.is_null() && !context.is_unresolved(node) && !is_of_type(&value, value_type);
        // The other values usually have the same mistake, so only the first is reported.
        if is_wrong && !is_reported {
            report(context, node, path, "an allowed value", value_type);
            is_reported = true;
        }
        values.push(value);
    }
    values
}

/// Sets the default of an input. The default `null` is the same as no default.
pub(super) fn set_default(context: &mut Context<'_>, input: &mut Input, node: &Node, path: &str) {
    if node.is_null() {
        return;
    }
    let value = value_of_type(node, &input.value_type);
    input.default_span = Some(node.span);
    if !context.is_unresolved(node) {
        if !is_of_type(&value, &input.value_type) {
            report(context, node, path, "the default", &input.value_type);
        } else if !input.enum_values.is_empty() && !input.enum_values.contains(&value) {
            let allowed: Vec<String> =
                input.enum_values.iter().take(20).map(ToString::to_string).collect();
            let message = format!("the default of `{path}` is not one of its `enumValues`");
            let help = format!("use one of: {}", allowed.join(", "));
            context.report_at(node.span, Code::WrongDefault, message, help);
        }
    }
    input.default = Some(value);
}

/// Reports a default or an allowed value (`what`) of the wrong type.
fn report(context: &mut Context<'_>, node: &Node, path: &str, what: &str, value_type: &ValueType) {
    let name = value_type.name();
    let message = format!("{what} of `{path}` is not of the kind `{name}`");
    let finding = Diagnostic::new(Code::WrongDefault, message)
        .with_span(node.span)
        .with_label(format!("this is {}", node.kind_name()));
    let help = match (value_type, &node.kind) {
        (ValueType::String, kind) if !matches!(kind, NodeKind::List(_) | NodeKind::Map(_)) => {
            format!("put it in quotes: \"{}\"", node.to_value())
        }
        _ => "write a value of that kind, or change `kind`".to_owned(),
    };
    context.report(finding.with_help(help));
}

/// Converts a value to its type. The string of an environment variable may represent a number.
fn value_of_type(node: &Node, value_type: &ValueType) -> Value {
    let wants_scalar =
        matches!(value_type, ValueType::Integer | ValueType::Float | ValueType::Boolean);
    if !wants_scalar || node.as_text().is_none() {
        return node.to_value();
    }
    Node { kind: resolve_variable_text(node), ..node.clone() }.to_value()
}

/// Whether a value has a type. Unknown kinds accept any value.
fn is_of_type(value: &Value, value_type: &ValueType) -> bool {
    match value_type {
        ValueType::String | ValueType::Choice(_) => value.as_str().is_some(),
        ValueType::Integer => match value {
            Value::Float(number) => number.fract() == 0.0,
            other => other.as_integer().is_some(),
        },
        ValueType::Float => value.as_f64().is_some_and(f64::is_finite),
        ValueType::Boolean => value.as_bool().is_some(),
        ValueType::Array(items) => match (value.as_array(), items) {
            (Some(values), Some(items)) => values.iter().all(|value| fits(value, items)),
            (values, _) => values.is_some(),
        },
        ValueType::Object(fields) => value.as_object().is_some_and(|map| {
            fields.iter().all(|field| {
                map.get(&field.name).map_or(!field.required, |value| fits(value, field))
            })
        }),
        ValueType::Rich(RichKind::Thread) => value.as_array().is_some(),
        ValueType::Rich(_) => value.as_str().is_some() || value.as_object().is_some(),
        ValueType::Union(branches) => branches.iter().any(|branch| fits(value, branch)),
        ValueType::Optional(inner) => value.is_null() || is_of_type(value, inner),
        ValueType::Any | ValueType::Unknown(_) | ValueType::Foreign(_) => true,
    }
}

fn fits(value: &Value, input: &Input) -> bool {
    if value.is_null() {
        return input.value_type.is_nullable() || !input.required;
    }
    is_of_type(value, &input.value_type)
}
