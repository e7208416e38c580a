//! Handlebars: the cases of handlebars.js, and those of Semantic Kernel's Handlebars prompts.
//!
//! An expected text is compared as it is, or after one decoding: upstream escapes for HTML, and here a value
//! arrives byte for byte.

use std::collections::BTreeMap;

use prompty_core::Error;
use prompty_core::diagnostic::{SourceSpan, SourceText};
use prompty_core::message::Message;
use prompty_core::value::{Map, Value as Input};
use prompty_runtime::engine::{
    Engine, EngineOptions, Extensions, Marks, ParsedTemplate, Scope, StepEngine, Undefined,
};
use prompty_runtime::registry::Registry;
use prompty_runtime::render::PipelineBuilder;
use prompty_template::assembly::{Reason, Refusal, TemplateFile};
use prompty_template::handlebars::Handlebars;
use prompty_template::handlebars::assembly::assemble;
use prompty_template::{Boundaries, Language, RenderLimits};
use serde_json::{Value, json};

use crate::frame::{Case, Outcome};
use crate::kernel_messages;

/// Runs a case of handlebars.js, without a prompt around, which would make each line end a `\n`.
pub(crate) fn javascript(case: &Case<'_>) -> Outcome {
    let json = case.json;
    if let Some(rule) = lacking(json) {
        return Outcome::SetAside(rule);
    }
    let template = json["template"].as_str().unwrap();
    let data = &json["data"];
    let found = match data.is_object() || data.is_null() {
        true => standing_alone(json, template, data),
        false => Err("this expression means all inputs".to_owned()),
    };
    // Inputs have names. What has none stands as the only item of a block around the template.
    let found = match found {
        Err(error) if error.contains("means all inputs") => {
            let around = format!("{{{{#each data}}}}{template}{{{{/each}}}}");
            standing_alone(json, &around, &json!({"data": [data]}))
        }
        found => found,
    };
    let Some(expected) = json["expected"].as_str() else {
        return match found {
            Err(_) => Outcome::Passed,
            Ok(_) if template.contains("}}}") => Outcome::SetAside("a brace behind a tag is text"),
            Ok(found) => Outcome::Failed(format!("expected an error, got {found:?}")),
        };
    };
    match found {
        Ok(found) if is_same(&found, expected) => Outcome::Passed,
        Ok(found) if found.contains(", ") && found.starts_with('[') => {
            Outcome::SetAside("lists and maps print as JSON")
        }
        Ok(found) if template.contains("{{>dude dudes}}") && data["dudes"].is_null() => {
            assert!(!found.is_empty());
            Outcome::SetAside("a partial that is given nothing writes nothing")
        }
        Ok(found) => Outcome::Failed(format!("expected {expected:?}, got {found:?}")),
        Err(error) if error.contains("does not accept named arguments") => {
            Outcome::SetAside("a partial has no named arguments")
        }
        Err(error) => match nowhere(&error) {
            true => Outcome::SetAside("a name that can never have a value is an error"),
            false => Outcome::Failed(error),
        },
    }
}

/// Renders a template with its partials.
fn standing_alone(case: &Value, template: &str, data: &Value) -> Result<String, String> {
    let source = SourceText::new("case", template);
    let body = SourceSpan::new(0, source.text().len());
    let assembled = assemble(&source, body, &mut |name| partial(case, name));
    if let Some(finding) = assembled.findings.first() {
        return Err(finding.message.clone());
    }
    let text = assembled.source.text();
    let tree = Handlebars.parse(text).map_err(|error| error.message)?;
    let marks = Marks::Boundaries(Boundaries::from_role_lines(text, &tree));
    let template = ParsedTemplate { text, tree: tree.into(), marks };
    let (limits, extensions) = (RenderLimits::default(), Extensions::new());
    let is_strict = case["compile_options"]["strict"] == true;
    let undefined = if is_strict { Undefined::Error } else { Undefined::Empty };
    let options = EngineOptions { extensions: &extensions, limits, undefined };
    let compiled =
        StepEngine::of_handlebars().compile(&template, &options).map_err(|error| error.message)?;
    let inputs: Option<Map> = serde_json::from_value(data.clone()).unwrap();
    let inputs = inputs.unwrap_or_default();
    let scope = Scope { inputs: &inputs, rich: &[], nonce: "00ff" };
    compiled.render(scope).map_err(|failure| failure.error.to_string())
}

fn partial(case: &Value, name: &str) -> Result<TemplateFile, Refusal> {
    let known = &case["partials"];
    let plain = name.strip_suffix(".handlebars").unwrap_or(name);
    let Some(text) = known[plain].as_str().or(known[name].as_str()) else {
        let (message, help) = (format!("there is no partial `{name}`"), String::new());
        return Err(Refusal::Missing(Reason { message, help }));
    };
    Ok(TemplateFile { source: SourceText::new(name, text), body: SourceSpan::new(0, text.len()) })
}

/// What of handlebars.js a prompt does not have.
fn lacking(json: &Value) -> Option<&'static str> {
    let template = json["template"].as_str().unwrap();
    let options = &json["compile_options"];
    let is_set = |name: &str| options[name] == true;
    if is_set("compat") {
        return Some("names in a block are those of its value alone");
    }
    let others = ["ignoreStandalone", "assumeObjects", "explicitPartialContext", "preventIndent"];
    if others.into_iter().any(is_set) {
        return Some("there are no options");
    }
    let of_host = json["runtime_options"]["data"].as_object();
    let asks_for_block = json["partials"].to_string().contains("if @partial-block");
    if asks_for_block || of_host.is_some_and(|data| data.keys().any(|name| name != "level")) {
        return Some("there are no variables of the host behind `@`");
    }
    let mut names = json["data"].as_object().into_iter().flat_map(|data| data.keys());
    if names.any(|name| name.starts_with('@')) && template.contains("[@") {
        return Some("no input's name begins with `@`");
    }
    None
}

/// Whether an error is about a name that leads nowhere.
fn nowhere(error: &str) -> bool {
    ["too many `../`: ", "` without an enclosing `{{#each}}`"].iter().any(|it| error.contains(it))
}

/// Runs a case of Semantic Kernel.
pub(crate) fn semantic_kernel(case: &Case<'_>) -> Outcome {
    let json = case.json;
    let template = json["template"].as_str().unwrap();
    let expect = &json["expect"];
    if is_of_messages(template) {
        return of_messages(case);
    }
    let inputs = inputs(json);
    let registry = functions(json, &inputs);
    let found = render(template, inputs.clone(), &registry);
    let Some(expected) = expect["rendered"].as_str() else {
        return match found {
            Err(_) => Outcome::Passed,
            Ok(_) if inputs.values().any(is_collection) => {
                Outcome::SetAside("a value of any type arrives: nothing is encoded")
            }
            Ok(found) => Outcome::Failed(format!("expected an error, got {found:?}")),
        };
    };
    let is_python = json["dialect"] == "python";
    match found {
        Ok(found) if is_same(&found, expected) => Outcome::Passed,
        Ok(found) if decoded(&found) == expected => {
            Outcome::SetAside("the template's own text stays as it is written")
        }
        Ok(found) if found == expected.to_lowercase() => {
            Outcome::SetAside("booleans print in small letters")
        }
        Ok(found) if found.starts_with('[') && template.contains("array") => {
            Outcome::SetAside("lists and maps print as JSON")
        }
        Ok(found) if is_python && format!("{found}.0") == expected => {
            Outcome::SetAside("whole numbers stay whole when they are added")
        }
        _ if is_python && template.contains("range") => {
            Outcome::SetAside("`range` is that of .NET: from one number up to another")
        }
        Err(_) if is_python && expected.is_empty() => {
            Outcome::SetAside("a helper without its arguments is an error")
        }
        Ok(found) => Outcome::Failed(format!("expected {expected:?}, got {found:?}")),
        Err(error) => Outcome::Failed(format!("{error:#}")),
    }
}

/// Runs a case whose template marks messages, or prints them.
fn of_messages(case: &Case<'_>) -> Outcome {
    let found = kernel_messages::prepare(case, case.json);
    let expect = &case.json["expect"];
    let found = match (found, expect["messages"].as_array()) {
        (Ok(found), Some(expected)) if kernel_messages::same(&found, expected) => {
            return Outcome::Passed;
        }
        (Err(_), _) if !expect["expect_error"].is_null() => return Outcome::Passed,
        (found, _) => found,
    };
    let rule = match &found {
        Ok(found) => written_otherwise(case.json, found),
        Err(error) => refused_otherwise(&error.to_string()),
    };
    match rule {
        Some(rule) => Outcome::SetAside(rule),
        None => Outcome::Failed(format!("expected {expect}, got {found:?}")),
    }
}

/// The rule by which other messages are right, each of which is looked at.
fn written_otherwise(json: &Value, found: &[Message]) -> Option<&'static str> {
    let [message] = found else { return None };
    let (role, text) = (message.role.as_str(), message.text());
    let variable = json["variables"]["chat_history"].as_str();
    match json["template"].as_str()? {
        "{{#system~}}\nBe kind.\n{{~/system}}" => {
            (role == "system" && text == "Be kind.").then_some("a block may be named after a role")
        }
        "{{message role=\"system\"}}Be kind.{{message role=\"system\"}}" => {
            let is_right = role == "system" && text == "Be kind.";
            is_right.then_some("`message` may open and close a message without a block")
        }
        "{{#each other_list}}{{message_to_prompt}} {{/each}}" => {
            text.is_empty().then_some("a message is printed by its name: `{{this}}`")
        }
        "{{messages chat_history}}" => {
            let is_right = role == "user" && Some(text.as_str()) == variable;
            is_right.then_some("`messages` prints what it is given")
        }
        _ => None,
    }
}

/// The rule by which a template is refused.
fn refused_otherwise(error: &str) -> Option<&'static str> {
    let rules = [
        ("unknown role `title`", "a role is one of those that there are"),
        ("a message without a role", "a message without a role is refused"),
        ("the role is computed", "roles are the author's to write"),
    ];
    rules.into_iter().find(|(message, _)| error.contains(message)).map(|(_, rule)| rule)
}

/// Whether a template has helpers that stand for messages.
fn is_of_messages(template: &str) -> bool {
    ["message", "system~", "user~"].iter().any(|name| {
        [format!("{{{{#{name}"), format!("{{{{{name}")].iter().any(|tag| template.contains(tag))
    })
}

fn is_collection(value: &Input) -> bool {
    matches!(value, Input::Array(_) | Input::Object(_))
}

/// The variables of a case, over the defaults that it declares.
fn inputs(json: &Value) -> Map {
    let mut inputs = Map::new();
    for declared in json["input_variables"].as_array().unwrap() {
        if let Some(default) = declared.get("default") {
            let default: Input = serde_json::from_value(default.clone()).unwrap();
            inputs.insert(declared["name"].as_str().unwrap(), default);
        }
    }
    for (name, value) in json["variables"].as_object().unwrap() {
        let value: Input = serde_json::from_value(value.clone()).unwrap();
        inputs.insert(name.as_str(), value);
    }
    inputs
}

/// The functions of a case. They see the inputs beside their arguments.
fn functions(json: &Value, inputs: &Map) -> Registry {
    let mut registry = Registry::new();
    for (name, function) in json["functions"].as_object().unwrap() {
        let (function, inputs) = (function.clone(), inputs.clone());
        registry = registry.with_function(&name.replace('.', "-"), move |values| {
            Ok(called(&function, values, &inputs))
        });
    }
    registry
}

fn called(function: &Value, values: &[Input], inputs: &Map) -> Input {
    if let Some(output) = function.get("output") {
        return serde_json::from_value(output.clone()).unwrap();
    }
    let parameters = function["params"].as_array().unwrap().iter().filter_map(Value::as_str);
    let named = values.last().and_then(Input::as_object);
    let given: BTreeMap<&str, String> = parameters
        .enumerate()
        .map(|(index, name)| {
            let by_name = named.and_then(|named| named.get(name));
            let by_place = values.get(index).filter(|value| value.as_object().is_none());
            let value = by_name.or(by_place).or(inputs.get(name));
            (name, value.cloned().unwrap_or_default().to_string())
        })
        .collect();
    let format = function["output_format"].as_str().unwrap().to_owned();
    let filled = given
        .iter()
        .fold(format, |text, (name, value)| text.replace(&format!("{{{name}}}"), value));
    Input::from(filled)
}

fn render(template: &str, inputs: Map, registry: &Registry) -> Result<String, Error> {
    let pipeline = PipelineBuilder::from_text("case", template)
        .with_format("handlebars")
        .with_registry(registry)
        .build()?;
    Ok(pipeline.render(inputs)?.plain_text())
}

/// Whether a text is the expected one, as it is or decoded once.
fn is_same(found: &str, expected: &str) -> bool {
    found == expected || found == decoded(expected)
}

/// A text in which entities are the characters that they stand for.
fn decoded(text: &str) -> String {
    const ENTITIES: [(&str, &str); 8] = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&#x60;", "`"),
        ("&#x3D;", "="),
        // Last, so that nothing is decoded twice.
        ("&amp;", "&"),
    ];
    ENTITIES.iter().fold(text.to_owned(), |text, (entity, plain)| text.replace(entity, plain))
}
