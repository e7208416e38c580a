//! No credential that a prompt holds or takes from the environment is shown by `Debug` or by errors.
#![cfg(all(feature = "definition", feature = "jinja2", feature = "render"))]
#![allow(clippy::unwrap_used, reason = "a panic in a test is a failed test")]

use prompty_runtime::definition::{Definition, LoadOptions};
use prompty_runtime::render::Pipeline;

const SECRET: &str = "sk-verysecret";

fn options() -> LoadOptions {
    LoadOptions::new().environment([("KEY", SECRET)])
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
        let shown = [
            format!("{definition:?}"),
            format!("{builder:?}"),
            format!("{:?}", builder.build().unwrap()),
            format!("{:?}", options()),
        ];
        for shown in shown {
            assert!(!shown.contains(SECRET), "{front_matter}: {shown}");
        }
    }
}

#[test]
fn a_pipeline_shows_no_default_at_all() {
    let definition = load("inputs: {a: {kind: string, default: '${env:KEY}'}}");
    let builder = Pipeline::builder(&definition);
    assert!(!format!("{builder:?}").contains(SECRET));
    assert!(!format!("{:?}", builder.build().unwrap()).contains(SECRET));
}

#[test]
fn an_error_of_loading_does_not_show_what_a_variable_holds() {
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
