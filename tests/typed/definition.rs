//! The definition of a prompt type is a constant.

use typed_prompty::{LoadOptions, Prompt, StaticValue, prompt};

prompt!(pub Support, "prompts/support.prompty");

prompt!(
    Secret,
    "
---
name: secret
model:
  id: gpt
  connection: { kind: key, endpoint: \"https://example.com\", apiKey: \"${env:TYPED_KEY}\" }
inputs:
  tone: { kind: string, default: warm, description: How it sounds. }
---
user:
Be {{ tone }}.
"
);

#[test]
fn a_definition_has_the_name_path_source_and_inputs_of_its_file() {
    let definition = Support::DEFINITION;
    assert_eq!(definition.name, "support");
    assert_eq!(definition.path, Some("prompts/support.prompty"));
    assert_eq!(definition.source, include_str!("../../prompts/support.prompty"));
    assert!(definition.template.starts_with("system:\n"));
    assert_eq!((definition.format, definition.parser), ("jinja2", "prompty"));
    let names: Vec<&str> = Support::declared_inputs().iter().map(|input| input.name).collect();
    assert_eq!(names, ["company", "passages", "tone", "history", "question"]);
}

#[test]
fn an_input_has_a_kind_a_type_a_description_and_a_default() {
    let [tone] = Secret::declared_inputs() else { panic!("expected one input") };
    assert_eq!((tone.name, tone.kind, tone.required), ("tone", "string", false));
    assert_eq!(tone.description, Some("How it sounds."));
    assert_eq!(tone.default, Some(StaticValue::String("warm")));
    let company = &Support::declared_inputs()[0];
    assert!(company.required && company.rust_type.ends_with("str"), "{}", company.rust_type);
}

#[test]
fn references_are_resolved_only_when_the_definition_is_loaded() {
    assert!(Secret::DEFINITION.source.contains("${env:TYPED_KEY}"));
    let options = LoadOptions::new().with_environment([("TYPED_KEY", "key-of-this-run")]);
    let options = options.with_trusted_endpoint("https://example.com");
    let definition = Secret::DEFINITION.load(&options).unwrap();
    let connection = definition.model.unwrap().connection.unwrap();
    assert_eq!(connection.api_key.as_deref(), Some("key-of-this-run"));
    assert!(Secret::DEFINITION.load(&LoadOptions::new().without_environment()).is_err());
}

#[test]
fn a_prompt_renders_without_resolving_references() {
    assert_eq!(super::text(&Secret::new()), "Be warm.");
}

#[test]
fn the_definition_is_a_constant() {
    const NAME: &str = <Support<'static> as Prompt>::DEFINITION.name;
    assert_eq!(NAME, "support");
}
