//! `Debug` and errors show no credential of a prompt, and nothing that it reads from the
//! environment or from files.

use std::fmt::Debug;
use std::fs;
use std::path::PathBuf;

use prompty_check::check::{CheckOptions, CheckSource, CheckedPrompt, Report, Signature, check};
use prompty_check::definition::{
    Binding, Connection, Definition, Input, LoadOptions, Model, ModelOptions, TemplateOptions,
    ToolDefinition, ToolKind,
};
use prompty_core::Error;
use prompty_core::diagnostic::{Diagnostic, Place, SourceText};

use prompty_runtime::render::{Inputs, Pipeline, PipelineBuilder};
use prompty_runtime::typed::Secret;
use serde_json::{Value, json};

const SECRET: &str = "sk-verysecret";

fn options() -> LoadOptions {
    LoadOptions::new().with_environment([("KEY", SECRET)])
}

fn load(front_matter: &str) -> Definition {
    let text = format!("---\n{front_matter}\n---\nHi {{{{ a }}}}");
    Definition::from_text_with("t", text, &options()).unwrap()
}

#[test]
fn debug_shows_no_credential_of_a_definition_or_pipeline() {
    for front_matter in [
        "model: {id: x, connection: {kind: key, apiKey: sk-verysecret}}",
        "model: {id: x, connection: {kind: key, apiKey: '${env:KEY}'}}",
        "model: {options: {additionalProperties: {api_key: '${env:KEY}'}, zzz: {token: '${env:KEY}'}}}",
        "metadata: {password: '${env:KEY}'}",
        "inputs: {auth_token: {kind: string, default: '${env:KEY}', example: '${env:KEY}'}}",
        "inputs: {a: {kind: object, default: {api_key: '${env:KEY}'}}}",
        "tools: [{name: t, kind: mcp, connection: {kind: key, apiKey: '${env:KEY}', headers: {x: '${env:KEY}'}}}]",
        "tools: [{name: t, kind: function, parameters: {}, bindings: {password: '${env:KEY}'}}]",
        "tools: [{name: t, kind: host, options: {secret: '${env:KEY}'}, token: '${env:KEY}'}]",
    ] {
        let definition = load(front_matter);
        let builder = Pipeline::builder(&definition);
        search::<Definition>(front_matter, &definition);
        search::<PipelineBuilder>(front_matter, &builder);
        search::<Pipeline>(front_matter, &builder.build().unwrap());
        search::<LoadOptions>(front_matter, &options());
    }
}

#[test]
fn debug_shows_no_input_whose_name_indicates_a_secret() {
    search::<Inputs>("password", &Inputs::new().with("password", SECRET));
    search::<Secret<&str>>("", &Secret::new(SECRET));
}

#[test]
fn debug_of_a_checked_prompt_does_not_show_its_file() {
    let text = "---\nmodel: {id: x, connection: {kind: key, apiKey: sk-verysecret}}\n---\nHi";
    let source = SourceText::new("t", text);
    search::<SourceText>("connection", &source);
    search::<CheckSource<'_>>("connection", &source.clone().into());
    search::<CheckedPrompt>("connection", &check(source, &CheckOptions::new()));
}

#[test]
fn a_pipeline_shows_no_default_at_all() {
    let definition = load("inputs: {a: {kind: string, default: '${env:KEY}'}}");
    let builder = Pipeline::builder(&definition);
    assert!(!format!("{builder:?}").contains(SECRET));
    assert!(!format!("{:?}", builder.build().unwrap()).contains(SECRET));
}

#[test]
fn a_load_error_does_not_show_the_value_of_a_variable() {
    for front_matter in [
        "model: {options: {temperature: '${env:KEY}'}}",
        "model: {options: '${env:KEY}'}",
        "inputs: '${env:KEY}'",
        "tools: ['${env:KEY}']",
        "name: ['${env:KEY}']",
        "model: {connection: {kind: oauth, endpoint: 'https://evil.example', clientSecret: '${env:KEY}'}}",
    ] {
        let text = format!("---\n{front_matter}\n---\nHi");
        let error = Definition::from_text_with("t", text, &options()).unwrap_err();
        assert!(!format!("{error:?}").contains(SECRET), "{error:?}");
    }
}

/// A prompt in which every key of the format has a value.
fn full_prompt() -> Value {
    let property = json!({
        "name": "city", "kind": "string", "description": "text", "required": true,
        "nullable": false, "default": "Paris", "example": "Rome", "strict": false,
        "enumValues": ["Paris", "Rome"], "other": {"deep": ["x"]}
    });
    let connection = json!({
        "kind": "key", "name": "here", "endpoint": "https://a.example", "apiKey": "mine",
        "headers": {"x": ["y"]}
    });
    json!({
        "name": "greeting", "displayName": "Greeting", "description": "text",
        "metadata": {"tags": ["a"], "deep": {"er": 1}},
        "model": {
            "id": "small", "provider": "p", "apiType": "chat", "connection": connection,
            "options": {
                "temperature": 0.5, "maxOutputTokens": 10, "topP": 1, "topK": 1, "seed": 1,
                "frequencyPenalty": 0, "presencePenalty": 0, "stopSequences": ["x"],
                "allowMultipleToolCalls": true, "additionalProperties": {"a": {"b": "c"}}, "z": "z"
            },
            "z": "z"
        },
        "inputs": [
            property,
            {"name": "list", "kind": "array", "items": {"kind": "string", "default": "x"}},
            {"name": "map", "kind": "object", "properties": {"a": {"kind": "string"}, "b": "x"}},
            {"name": "union", "kind": "union", "anyOf": ["string", {"kind": "integer"}]},
            {"name": "thread", "kind": "thread", "default": [{"role": "user", "content": "x"}]},
            {"name": "image", "kind": "image", "default": "https://a.example/a.png"}
        ],
        "outputs": {"answer": property, "short": "x"},
        "tools": [
            {"name": "f", "kind": "function", "description": "d", "strict": true,
             "parameters": {"p": property}, "bindings": {"p": {"input": "city"}, "q": "x"}, "z": "z"},
            {"name": "m", "kind": "mcp", "serverName": "s", "approvalMode": {"a": "b"},
             "allowedTools": ["a"], "connection": connection},
            {"name": "o", "kind": "openapi", "specification": {"servers": [{"url": "https://a.example"}]},
             "connection": connection},
            {"name": "c", "kind": "mine", "options": {"a": ["b"]}, "more": "x", "connection": connection}
        ],
        "template": {
            "format": {"kind": "jinja2", "strict": true, "z": "z"},
            "parser": {"kind": "prompty", "z": "z"}, "z": "z"
        },
        "flavour": {"a": ["b"]}
    })
}

/// The pointers to all values inside a value.
fn places(value: &Value) -> Vec<String> {
    let children: Vec<(String, &Value)> = match value {
        Value::Array(items) => {
            items.iter().enumerate().map(|(index, item)| (index.to_string(), item)).collect()
        }
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), value)).collect(),
        _ => Vec::new(),
    };
    let below = children.into_iter().flat_map(|(key, value)| {
        let deeper = places(value).into_iter().map({
            let key = key.clone();
            move |place| format!("/{key}{place}")
        });
        std::iter::once(format!("/{key}")).chain(deeper).collect::<Vec<_>>()
    });
    below.collect()
}

/// The same value with a mark in each string and number that it is secret, and in one key of each
/// map.
fn secret_form(value: &Value) -> Value {
    match value {
        Value::String(text) => format!("{text} {SECRET}").into(),
        Value::Number(_) => 4_815_162_342_u64.into(),
        Value::Array(items) => items.iter().map(secret_form).collect(),
        Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| (key.clone(), secret_form(value)));
            let more = (format!("key {SECRET}"), Value::from(SECRET));
            Value::Object(entries.chain([more]).collect())
        }
        other => other.clone(),
    }
}

fn check_shown(place: &str, what: &str, shown: &str) {
    assert!(!shown.contains(SECRET), "{what} with the secret at {place}: {shown}");
    assert!(!shown.contains("4815162342"), "{what} with the number at {place}: {shown}");
    assert!(!shown.contains("4815162000"), "{what} with the number at {place}: {shown}");
}

/// Checks `Debug`. `tests/secrets.rs` reads the names of the types that are searched from these
/// calls.
fn search<T: Debug>(place: &str, value: &T) {
    check_shown(place, std::any::type_name::<T>(), &format!("{value:?} {value:#?}"));
}

fn check_result<T>(place: &str, what: &str, result: Result<T, Error>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            search::<Error>(place, &error);
            search::<Option<&Place>>(place, &error.place());
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            check_shown(place, what, &format!("{error:?} {:?} {cause:?}", error.help()));
            None
        }
    }
}

/// Does everything that is possible with a prompt, and checks all output.
fn check_all(place: &str, prompt: &Value, options: &LoadOptions) -> bool {
    let text = format!(
        "---\n{prompt}\n---\nuser:\n{{{{ city }}}}{{{{ cty }}}}{{{{ thread }}}}{{{{ image }}}}"
    );
    let loaded = Definition::from_text_with("t", text, options);
    let Some(definition) = check_result(place, "loading", loaded) else { return false };
    search::<Definition>(place, &definition);
    search::<TemplateOptions>(place, &definition.template);
    if let Some(model) = &definition.model {
        search::<Model>(place, model);
        search::<Option<Connection>>(place, &model.connection);
        search::<Option<ModelOptions>>(place, &model.options);
    }
    for input in definition.inputs.iter().chain(&definition.outputs) {
        search::<Input>(place, input);
    }
    for tool in &definition.tools {
        search::<ToolDefinition>(place, tool);
        search::<ToolKind>(place, &tool.kind);
        tool.bindings.iter().for_each(|binding| search::<Binding>(place, binding));
    }
    let report = check(&definition, &CheckOptions::new()).report;
    search::<Report>(place, &report);
    report.diagnostics.iter().for_each(|finding| search::<Diagnostic>(place, finding));
    search::<Signature>(place, &Signature::from_definition(&definition));
    let builder = Pipeline::builder(&definition);
    search::<PipelineBuilder>(place, &builder);
    let inputs = Inputs::new().with("city", "Oslo");
    let rendered = Pipeline::new(&definition).and_then(|pipeline| pipeline.render(inputs));
    check_result(place, "rendering", rendered.map(|_| ()));
    let Some(pipeline) = check_result(place, "building", builder.build()) else { return true };
    search::<Pipeline>(place, &pipeline);
    let inputs = check_result(place, "validation", pipeline.validate_inputs(Inputs::new()));
    search::<Option<Inputs>>(place, &inputs);
    check_result(place, "preparing", pipeline.prepare(Inputs::new()).map(|_| ()));
    let wrong = Inputs::new().with("city", 1).with("thread", "x").with("image", 5);
    check_result(place, "preparing", pipeline.prepare(wrong).map(|_| ()));
    true
}

/// A file for the references of a test. It is removed when the test ends.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn an_environment_variable_is_not_shown_at_any_place() {
    let prompt = full_prompt();
    let secret = [("KEY", SECRET), ("NUMBER", "4815162342"), ("TRUST", "*")];
    let options = LoadOptions::new().with_environment(secret).with_trusted_endpoint("*");
    let mut loaded = 0;
    for place in places(&prompt) {
        for reference in ["${env:KEY}", "${env:NUMBER}"] {
            let mut changed = prompt.clone();
            *changed.pointer_mut(&place).unwrap() = reference.into();
            loaded += usize::from(check_all(&place, &changed, &options));
        }
    }
    assert!(loaded > 200, "only {loaded} prompts were loaded");
}

#[test]
fn a_file_is_not_shown_at_any_place() {
    let prompt = full_prompt();
    let folder =
        Folder(std::env::temp_dir().join(format!("prompty-secrets-{}", std::process::id())));
    fs::create_dir_all(&folder.0).unwrap();
    let options = LoadOptions::new().with_base_directory(&folder.0).with_trusted_endpoint("*");
    let mut loaded = 0;
    for place in places(&prompt) {
        let old = prompt.pointer(&place).unwrap();
        let forms = [secret_form(old), json!([SECRET]), json!({ SECRET: SECRET })];
        fs::write(folder.0.join("a.txt"), SECRET).unwrap();
        for (index, form) in forms.iter().enumerate() {
            fs::write(folder.0.join(format!("{index}.json")), form.to_string()).unwrap();
        }
        fs::write(folder.0.join("bad.json"), format!("[{SECRET}")).unwrap();
        fs::write(folder.0.join("bad.yaml"), format!("!{SECRET} *{SECRET}")).unwrap();
        for file in ["a.txt", "0.json", "1.json", "2.json", "bad.json", "bad.yaml"] {
            let mut changed = prompt.clone();
            *changed.pointer_mut(&place).unwrap() = format!("${{file:{file}}}").into();
            loaded += usize::from(check_all(&place, &changed, &options));
        }
    }
    assert!(loaded > 200, "only {loaded} prompts were loaded");
}

#[test]
fn an_error_about_a_variable_names_it() {
    let text = "---\nmodel: {options: {temperature: '${env:KEY}'}}\n---\nHi";
    let error = Definition::from_text_with("t", text, &options()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`model.options.temperature` must be a number, found a string, from `${env:KEY}`"
    );
}

#[test]
fn a_default_in_the_file_is_shown() {
    let definition = load("metadata: {x: '${env:NONE:mild}'}");
    assert!(format!("{definition:?}").contains("mild"));
}
