//! Prompt configurations of Semantic Kernel: their declarations, the variables of their templates,
//! and their messages.

use prompty_check::definition::{Definition, Input, LoadOptions};
use prompty_core::Error;
use prompty_runtime::render::Pipeline;
use prompty_template::built_in;
use prompty_template::tree::{Expr, ExprKind};
use prompty_template::walk;
use serde_json::Value;

use crate::frame::{Case, Outcome, Rule};

const NO_TEMPLATE: Rule = Rule::named("a configuration without a template is an error");
const REQUIRED: Rule = Rule::named("required inputs must be given, and schemas are enforced");
const NET_CASE: Rule = Rule::named("the .NET case with the same template counts");

pub(crate) fn run(case: &Case<'_>) -> Outcome {
    let expect = &case.json["expect"];
    let Some(text) = case.json["config"].as_str() else { return compare_variables(case) };
    let ending = case.json["config_syntax"].as_str().unwrap();
    let loaded = Definition::from_text_with(format!("case.{ending}"), text, &LoadOptions::new());
    if expect.get("expect_error").is_some() {
        return match loaded {
            Err(_) => Outcome::Passed,
            Ok(found) => Outcome::Failed(format!("expected an error, got {found:?}")),
        };
    }
    if expect["template"].is_null() && expect.get("messages").is_none() {
        return match loaded {
            Err(_) => Outcome::Skipped(NO_TEMPLATE),
            Ok(found) => Outcome::Failed(format!("expected an error, got {found:?}")),
        };
    }
    let definition = match loaded {
        Ok(definition) => definition,
        Err(error) => return Outcome::Failed(format!("{error:#}")),
    };
    match expect.get("messages") {
        Some(messages) => compare_messages(case, &definition, messages),
        None => match kept_settings(&definition, text, ending) {
            true => compare_declarations(&definition, expect),
            false => Outcome::Failed(format!("settings are lost: {:?}", definition.metadata)),
        },
    }
}

/// Whether the settings of all services are kept unchanged. A case in YAML only lists the names of
/// the services.
fn kept_settings(definition: &Definition, text: &str, ending: &str) -> bool {
    if ending != "json" {
        return true;
    }
    let configuration = prompty_core::value::Value::from_json(text).unwrap();
    definition.metadata.get("execution_settings") == configuration.get("execution_settings")
}

/// Compares the declarations of a configuration.
fn compare_declarations(definition: &Definition, expect: &Value) -> Outcome {
    let found = serde_json::json!({
        "name": definition.name.clone().unwrap_or_default(),
        "description": definition.description.clone().unwrap_or_default(),
        "template": definition.instructions,
        "template_format": definition.template.format,
        "input_variables": definition.inputs.iter().map(variable).collect::<Vec<_>>(),
        "execution_settings": services(definition),
    });
    let mut wanted = expect.clone();
    // Newlines at the end of a prompt do not belong to it.
    wanted["template"] = expect["template"].as_str().unwrap().trim_end_matches('\n').into();
    let expected = wanted.as_object_mut().unwrap();
    // Data is never trusted.
    expected.remove("allow_dangerously_set_content");
    for variable in expected["input_variables"].as_array_mut().unwrap() {
        let variable = variable.as_object_mut().unwrap();
        variable.remove("allow_dangerously_set_content");
        let written = variable["json_schema"].as_str().unwrap();
        variable["json_schema"] = match written {
            "" => Value::Null,
            // Often it is only the name of a type.
            _ => serde_json::from_str(written).unwrap_or(serde_json::json!({"type": written})),
        };
    }
    match found == wanted {
        true => Outcome::Passed,
        false => Outcome::Failed(format!("expected {wanted}\ngot {found}")),
    }
}

fn variable(input: &Input) -> Value {
    serde_json::json!({
        "name": input.name,
        "description": input.description.clone().unwrap_or_default(),
        "default": input.default.as_ref().map(ToString::to_string).unwrap_or_default(),
        "is_required": input.required,
        "json_schema": input.schema,
    })
}

fn services(definition: &Definition) -> Vec<String> {
    let settings = definition.metadata.get("execution_settings");
    let settings = settings.and_then(prompty_core::value::Value::as_object);
    settings.into_iter().flat_map(prompty_core::value::Map::keys).map(str::to_owned).collect()
}

/// Compares the messages of a configuration with the inputs of the case.
fn compare_messages(case: &Case<'_>, definition: &Definition, messages: &Value) -> Outcome {
    let inputs: prompty_core::value::Value =
        serde_json::from_value(case.json["variables"].clone()).unwrap();
    let inputs = inputs.as_object().cloned().unwrap_or_default();
    let result = Pipeline::new(definition).and_then(|pipeline| pipeline.prepare(&inputs));
    match result {
        Err(error) if is_missing_or_wrong(&error) => Outcome::Skipped(REQUIRED),
        Err(error) => Outcome::Failed(format!("{error:#}")),
        Ok(found) => {
            let found: Vec<Value> = found
                .iter()
                .map(|it| serde_json::json!({"role": it.role.as_str(), "content": it.text()}))
                .collect();
            match Value::from(found.clone()) == *messages {
                true => Outcome::Passed,
                false => Outcome::Failed(format!("expected {messages}\ngot {found:?}")),
            }
        }
    }
}

fn is_missing_or_wrong(error: &Error) -> bool {
    matches!(
        error.kind(),
        prompty_core::ErrorKind::MissingInput | prompty_core::ErrorKind::WrongInput
    )
}

fn add_variables(expr: &Expr, names: &mut Vec<String>) {
    if let ExprKind::Variable(name) = &expr.kind
        && !names.iter().any(|known| known.eq_ignore_ascii_case(name))
    {
        names.push(name.clone());
    }
    walk::operands(expr).into_iter().for_each(|operand| add_variables(operand, names));
}

/// Compares the variables that a template names, each once, ignoring case.
fn compare_variables(case: &Case<'_>) -> Outcome {
    let text = case.json["template"].as_str().unwrap();
    let language = built_in("semantic-kernel").unwrap();
    let template = match language.parse(text) {
        Err(_) if case.json["expect"].get("expect_error").is_some() => return Outcome::Passed,
        Err(error) => return Outcome::Failed(error.message),
        Ok(template) => template,
    };
    if case.json["expect"].get("expect_error").is_some() {
        return Outcome::Skipped(NET_CASE);
    }
    let mut names: Vec<String> = Vec::new();
    let declared = case.json["declared_input_variables"].as_array().into_iter().flatten();
    names.extend(declared.filter_map(|it| it.as_str().map(str::to_owned)));
    for expr in template.nodes.iter().flat_map(walk::expressions) {
        add_variables(expr, &mut names);
    }
    let expected = &case.json["expect"]["input_variables"];
    match serde_json::json!(names) == *expected {
        true => Outcome::Passed,
        false => Outcome::Failed(format!("expected {expected}, got {names:?}")),
    }
}
