//! Reads defaults and allowed values, and checks them against the kind of their property.

use super::super::node::{Node, NodeKind};
use super::super::{Kind, Property};
use super::context::{Context, resolve_variable_text};
use prompty_core::diagnostic::{Code, Diagnostic};
use prompty_core::message::RichKind;
use prompty_core::value::Value;

/// Reads the allowed values of a property.
pub(super) fn allowed_values(
    context: &mut Context<'_>,
    kind: &Kind,
    nodes: &[Node],
    path: &str,
) -> Vec<Value> {
    let mut values = Vec::with_capacity(nodes.len());
    let mut is_told = false;
    for node in nodes {
        let value = value_of_kind(node, kind);
        let is_wrong =
            !value.is_null() && !context.is_unresolved(node) && !is_of_kind(&value, kind);
        // Where one is of another kind the others mostly are, too.
        if is_wrong && !is_told {
            report(context, node, path, "an allowed value", kind);
            is_told = true;
        }
        values.push(value);
    }
    values
}

/// Sets the default of a property. The default `null` is the same as no default.
pub(super) fn set_default(
    context: &mut Context<'_>,
    property: &mut Property,
    node: &Node,
    path: &str,
) {
    if node.is_null() {
        return;
    }
    let value = value_of_kind(node, &property.kind);
    property.default_span = Some(node.span);
    if !context.is_unresolved(node) {
        if !is_of_kind(&value, &property.kind) {
            report(context, node, path, "the default", &property.kind);
        } else if !property.enum_values.is_empty() && !property.enum_values.contains(&value) {
            let allowed: Vec<String> =
                property.enum_values.iter().take(20).map(ToString::to_string).collect();
            context.report(
                Diagnostic::new(
                    Code::WrongDefault,
                    format!("the default of `{path}` is none of its `enumValues`"),
                )
                .at(node.span)
                .help(format!("one of: {}", allowed.join(", "))),
            );
        }
    }
    property.default = Some(value);
}

fn report(context: &mut Context<'_>, node: &Node, path: &str, what: &str, kind: &Kind) {
    let name = kind.name();
    let mut finding = Diagnostic::new(
        Code::WrongDefault,
        format!("{what} of `{path}` is not of its kind, `{name}`"),
    )
    .at(node.span)
    .label(format!("this is {}", node.kind_name()));
    if matches!(kind, Kind::String) && !matches!(node.kind, NodeKind::List(_) | NodeKind::Map(_)) {
        finding = finding.help(format!("put it in quotes: \"{}\"", node.to_value()));
    } else {
        finding =
            finding.help(format!("give a value of that kind, or another `kind` than `{name}`"));
    }
    context.report(finding);
}

/// Converts a value to its kind. The text of an environment variable may be meant as a number.
fn value_of_kind(node: &Node, kind: &Kind) -> Value {
    let wants_scalar = matches!(kind, Kind::Integer | Kind::Float | Kind::Boolean);
    if !wants_scalar || node.as_text().is_none() {
        return node.to_value();
    }
    Node { kind: resolve_variable_text(node), ..node.clone() }.to_value()
}

/// Whether a value has a kind. Kinds that the format does not define accept any value.
fn is_of_kind(value: &Value, kind: &Kind) -> bool {
    match kind {
        Kind::String => value.as_str().is_some(),
        Kind::Integer => match value {
            Value::Float(number) => number.fract() == 0.0,
            other => other.as_integer().is_some(),
        },
        Kind::Float => value.as_f64().is_some_and(f64::is_finite),
        Kind::Boolean => value.as_bool().is_some(),
        Kind::Array(items) => match (value.as_array(), items) {
            (Some(values), Some(items)) => values.iter().all(|value| fits(value, items)),
            (values, _) => values.is_some(),
        },
        Kind::Object(properties) => value.as_object().is_some_and(|map| {
            let given = |property: &Property| map.get(&property.name).cloned();
            properties.iter().all(|property| {
                given(property).map_or(!property.required, |value| fits(&value, property))
            })
        }),
        Kind::Rich(RichKind::Thread) => value.as_array().is_some(),
        Kind::Rich(_) => value.as_str().is_some() || value.as_object().is_some(),
        Kind::Union(branches) => branches.iter().any(|branch| fits(value, branch)),
        Kind::Any | Kind::Unknown(_) => true,
    }
}

fn fits(value: &Value, property: &Property) -> bool {
    if value.is_null() {
        return property.nullable || !property.required;
    }
    is_of_kind(value, &property.kind)
}
