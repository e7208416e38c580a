//! Handlebars: the cases of handlebars.js, and those of Semantic Kernel's Handlebars prompts.
//!
//! An expected text is compared unchanged, and after decoding its HTML entities once. Upstream
//! escapes values for HTML; our engine writes values unchanged.

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

use crate::frame::{Case, Outcome, Rule};
use crate::kernel_messages;

const BRACE_AFTER_TAG: Rule = Rule::named("a brace after a tag is text");
const COLLECTIONS_AS_JSON: Rule = Rule::named("lists and maps are printed as JSON");
const PARTIAL_WITHOUT_VALUE: Rule =
    Rule::named("a partial called with an absent value prints nothing");
const PARTIAL_ARGUMENTS: Rule = Rule::named("partials do not accept named arguments");
const NO_VALUE: Rule = Rule::named("a name that can never have a value is an error");
const BLOCK_SCOPE: Rule = Rule::named("a block sees only the names of its value");
const COMPILE_OPTIONS: Rule = Rule::named("compile options are not supported");
const HOST_VARIABLES: Rule = Rule::named("host variables after `@` are not supported");
const AT_NAMES: Rule = Rule::named("input names cannot start with `@`");
const ANY_TYPE: Rule = Rule::named("values of any type are accepted, since nothing is encoded");
const TEMPLATE_TEXT: Rule = Rule::named("the template's own text is not decoded");
const LOWER_CASE: Rule = Rule::named("booleans are printed in lower case");
const INTEGER_SUM: Rule = Rule::named("the sum of integers is an integer");
const NET_RANGE: Rule = Rule::named("`range` is that of .NET, from one number up to another");
const HELPER_ARGUMENTS: Rule = Rule::named("a helper call without arguments is an error");
const ROLE_BLOCK: Rule = Rule::named("a block may be named after a role");
const MESSAGE_CALLS: Rule = Rule::named("`message` may open and close a message without a block");
const MESSAGE_BY_NAME: Rule = Rule::named("a message is printed by its name, such as `{{this}}`");
const MESSAGES_ARGUMENT: Rule = Rule::named("`messages` prints its argument");
const UNKNOWN_ROLE: Rule = Rule::named("unknown roles are rejected");
const MISSING_ROLE: Rule = Rule::named("a message without a role is rejected");
const COMPUTED_ROLE: Rule = Rule::named("only the template's author can write roles");

/// Runs a case of handlebars.js without a prompt, since a prompt would change each line end to
/// `\n`.
pub(crate) fn javascript(case: &Case<'_>) -> Outcome {
    let json = case.json;
    if let Some(rule) = unsupported_feature(json) {
        return Outcome::Skipped(rule);
    }
    let template = json["template"].as_str().unwrap();
    let data = &json["data"];
    let found = match data.is_object() || data.is_null() {
        true => render_with_partials(json, template, data),
        false => Err("this expression means all inputs".to_owned()),
    };
    // Inputs have names. Data without a name becomes the only item of a block around the template.
    let found = match found {
        Err(error) if error.contains("means all inputs") => {
            let around = format!("{{{{#each data}}}}{template}{{{{/each}}}}");
            render_with_partials(json, &around, &json!({"data": [data]}))
        }
        found => found,
    };
    let Some(expected) = json["expected"].as_str() else {
        return match found {
            Err(_) => Outcome::Passed,
            Ok(_) if template.contains("}}}") => Outcome::Skipped(BRACE_AFTER_TAG),
            Ok(found) => Outcome::Failed(format!("expected an error, got {found:?}")),
        };
    };
    match found {
        Ok(found) if is_same(&found, expected) => Outcome::Passed,
        Ok(found) if found.contains(", ") && found.starts_with('[') => {
            Outcome::Skipped(COLLECTIONS_AS_JSON)
        }
        Ok(found) if template.contains("{{>dude dudes}}") && data["dudes"].is_null() => {
            assert!(!found.is_empty());
            Outcome::Skipped(PARTIAL_WITHOUT_VALUE)
        }
        Ok(found) => Outcome::Failed(format!("expected {expected:?}, got {found:?}")),
        Err(error) if error.contains("does not accept named arguments") => {
            Outcome::Skipped(PARTIAL_ARGUMENTS)
        }
        Err(error) => match has_no_value(&error) {
            true => Outcome::Skipped(NO_VALUE),
            false => Outcome::Failed(error),
        },
    }
}

/// Renders a template with its partials.
fn render_with_partials(case: &Value, template: &str, data: &Value) -> Result<String, String> {
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
        let (message, help) = (format!("unknown partial `{name}`"), String::new());
        return Err(Refusal::Missing(Reason { message, help }));
    };
    Ok(TemplateFile { source: SourceText::new(name, text), body: SourceSpan::new(0, text.len()) })
}

/// The rule for a feature of handlebars.js that prompts do not support.
fn unsupported_feature(json: &Value) -> Option<Rule> {
    let template = json["template"].as_str().unwrap();
    let options = &json["compile_options"];
    let is_set = |name: &str| options[name] == true;
    if is_set("compat") {
        return Some(BLOCK_SCOPE);
    }
    let others = ["ignoreStandalone", "assumeObjects", "explicitPartialContext", "preventIndent"];
    if others.into_iter().any(is_set) {
        return Some(COMPILE_OPTIONS);
    }
    let of_host = json["runtime_options"]["data"].as_object();
    let asks_for_block = json["partials"].to_string().contains("if @partial-block");
    if asks_for_block || of_host.is_some_and(|data| data.keys().any(|name| name != "level")) {
        return Some(HOST_VARIABLES);
    }
    let mut names = json["data"].as_object().into_iter().flat_map(|data| data.keys());
    if names.any(|name| name.starts_with('@')) && template.contains("[@") {
        return Some(AT_NAMES);
    }
    None
}

/// Whether an error is about a name that can never have a value.
fn has_no_value(error: &str) -> bool {
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
            Ok(_) if inputs.values().any(is_collection) => Outcome::Skipped(ANY_TYPE),
            Ok(found) => Outcome::Failed(format!("expected an error, got {found:?}")),
        };
    };
    let is_python = json["dialect"] == "python";
    match found {
        Ok(found) if is_same(&found, expected) => Outcome::Passed,
        Ok(found) if decode_entities(&found) == expected => Outcome::Skipped(TEMPLATE_TEXT),
        Ok(found) if found == expected.to_lowercase() => Outcome::Skipped(LOWER_CASE),
        Ok(found) if found.starts_with('[') && template.contains("array") => {
            Outcome::Skipped(COLLECTIONS_AS_JSON)
        }
        Ok(found) if is_python && format!("{found}.0") == expected => Outcome::Skipped(INTEGER_SUM),
        _ if is_python && template.contains("range") => Outcome::Skipped(NET_RANGE),
        Err(_) if is_python && expected.is_empty() => Outcome::Skipped(HELPER_ARGUMENTS),
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
        Ok(found) => rule_for_messages(case.json, found),
        Err(error) => rule_for_error(&error.to_string()),
    };
    match rule {
        Some(rule) => Outcome::Skipped(rule),
        None => Outcome::Failed(format!("expected {expect}, got {found:?}")),
    }
}

/// The rule by which different messages are right. Each template is listed with its right messages.
fn rule_for_messages(json: &Value, found: &[Message]) -> Option<Rule> {
    let [message] = found else { return None };
    let (role, text) = (message.role.as_str(), message.text());
    let variable = json["variables"]["chat_history"].as_str();
    match json["template"].as_str()? {
        "{{#system~}}\nBe kind.\n{{~/system}}" => {
            (role == "system" && text == "Be kind.").then_some(ROLE_BLOCK)
        }
        "{{message role=\"system\"}}Be kind.{{message role=\"system\"}}" => {
            let is_right = role == "system" && text == "Be kind.";
            is_right.then_some(MESSAGE_CALLS)
        }
        "{{#each other_list}}{{message_to_prompt}} {{/each}}" => {
            text.is_empty().then_some(MESSAGE_BY_NAME)
        }
        "{{messages chat_history}}" => {
            let is_right = role == "user" && Some(text.as_str()) == variable;
            is_right.then_some(MESSAGES_ARGUMENT)
        }
        _ => None,
    }
}

/// The rule by which a template is rejected.
fn rule_for_error(error: &str) -> Option<Rule> {
    let rules = [
        ("unknown role `title`", UNKNOWN_ROLE),
        ("a message without a role", MISSING_ROLE),
        ("the role is computed", COMPUTED_ROLE),
    ];
    rules.into_iter().find(|(message, _)| error.contains(message)).map(|(_, rule)| rule)
}

/// Whether a template has helpers that mark messages.
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

/// The functions of a case. They see the inputs in addition to their arguments.
fn functions(json: &Value, inputs: &Map) -> Registry {
    let mut registry = Registry::new();
    for (name, function) in json["functions"].as_object().unwrap() {
        let (function, inputs) = (function.clone(), inputs.clone());
        registry = registry.with_function(&name.replace('.', "-"), move |values| {
            Ok(call_function(&function, values, &inputs))
        });
    }
    registry
}

fn call_function(function: &Value, values: &[Input], inputs: &Map) -> Input {
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

/// Whether a text is the expected one, unchanged or decoded once.
fn is_same(found: &str, expected: &str) -> bool {
    found == expected || found == decode_entities(expected)
}

/// Replaces the HTML entities of a text by the characters that they represent.
fn decode_entities(text: &str) -> String {
    const ENTITIES: [(&str, &str); 8] = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&#x60;", "`"),
        ("&#x3D;", "="),
        // The last one, so that nothing is decoded twice.
        ("&amp;", "&"),
    ];
    ENTITIES.iter().fold(text.to_owned(), |text, (entity, plain)| text.replace(entity, plain))
}
