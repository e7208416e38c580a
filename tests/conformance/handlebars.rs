//! Handlebars: the cases of handlebars.js, and those of Semantic Kernel's Handlebars prompts.
//!
//! An expected text is compared as it is, or after one decoding: upstream escapes for HTML, and here a value
//! arrives byte for byte.

use std::collections::BTreeMap;

use prompty_core::Error;
use prompty_core::value::{Map, Value as Input};
use prompty_runtime::registry::Registry;
use prompty_runtime::render::PipelineBuilder;
use prompty_runtime::template::Undefined;
use serde_json::Value;

use crate::frame::{Case, Outcome};

/// Runs a case of handlebars.js.
pub(crate) fn javascript(case: &Case<'_>) -> Outcome {
    let json = case.json;
    if let Some(rule) = lacking(json) {
        return Outcome::SetAside(rule);
    }
    let template = json["template"].as_str().unwrap();
    let inputs: Map = match &json["data"] {
        Value::Null => Map::new(),
        data => serde_json::from_value(data.clone()).unwrap(),
    };
    let is_strict = json["compile_options"]["strict"] == true;
    let undefined = if is_strict { Undefined::Error } else { Undefined::Empty };
    let found = render(template, inputs, &Registry::new(), undefined);
    let Some(expected) = json["expected"].as_str() else {
        return match found {
            Err(_) => Outcome::Passed,
            Ok(_) if template.contains("}}}") => Outcome::SetAside("a brace behind a tag is text"),
            Ok(found) => Outcome::Failed(format!("expected an error, got {found:?}")),
        };
    };
    match found {
        Ok(found) if is_same(&found, expected) => Outcome::Passed,
        Ok(found) if found == expected.replace('\r', "\n") => {
            Outcome::SetAside("line ends are line feeds after loading")
        }
        Ok(found) if found.contains(", ") && found.starts_with('[') => {
            Outcome::SetAside("lists and maps print as JSON")
        }
        Ok(found) => Outcome::Failed(format!("expected {expected:?}, got {found:?}")),
        Err(error) => match nowhere(&error.to_string()) {
            true => Outcome::SetAside("a name that can never have a value is an error"),
            false => Outcome::Failed(format!("{error:#}")),
        },
    }
}

/// What of handlebars.js a prompt does not have.
fn lacking(json: &Value) -> Option<&'static str> {
    let template = json["template"].as_str().unwrap();
    let options = &json["compile_options"];
    let is_set = |name: &str| options[name] == true;
    let has_partials = json.get("partials").is_some()
        || ["{{>", "{{~>", "{{#>", "{{#*"].iter().any(|tag| template.contains(tag));
    let stands_for_all = ["{{#each .}}", "{{#.}}", "{{.}}{{length}}"];
    if has_partials {
        return Some("partials are not available: a prompt is one file");
    }
    if is_set("compat") {
        return Some("names in a block are those of its value alone");
    }
    if is_set("ignoreStandalone") || is_set("assumeObjects") {
        return Some("there are no options");
    }
    if json["runtime_options"]["data"]
        .as_object()
        .is_some_and(|data| data.keys().any(|it| it != "level"))
    {
        return Some("there are no variables of the host behind `@`");
    }
    let is_map = json["data"].is_object() || json["data"].is_null();
    if !is_map || stands_for_all.iter().any(|tag| template.contains(tag)) {
        return Some("the inputs of a prompt are a map, whose names are asked for one by one");
    }
    let names = json["data"].as_object().into_iter().flat_map(|data| data.keys());
    if names.into_iter().any(|name| name.starts_with('@')) {
        return Some("no input's name begins with `@`");
    }
    None
}

/// Whether an error is about a name that leads nowhere.
fn nowhere(error: &str) -> bool {
    ["leads out of the template", "there is no `{{#each}}`"].iter().any(|it| error.contains(it))
}

/// Runs a case of Semantic Kernel.
pub(crate) fn semantic_kernel(case: &Case<'_>) -> Outcome {
    let json = case.json;
    let template = json["template"].as_str().unwrap();
    let expect = &json["expect"];
    if is_of_messages(template) {
        return Outcome::SetAside("messages are marked by blocks with the parser `message-tags`");
    }
    let inputs = inputs(json);
    let registry = functions(json, &inputs);
    let found = render(template, inputs.clone(), &registry, Undefined::Empty);
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

fn render(
    template: &str,
    inputs: Map,
    registry: &Registry,
    undefined: Undefined,
) -> Result<String, Error> {
    let pipeline = PipelineBuilder::from_text("case", template)
        .format("handlebars")
        .registry(registry)
        .undefined(undefined)
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
