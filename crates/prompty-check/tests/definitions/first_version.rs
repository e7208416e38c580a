//! Prompts of the format's first version: their meaning, and their form in the second version.

use prompty_check::definition::{
    Definition, Inspection, LoadOptions, ToolKind, ValueType, inspect, migrate,
};
use prompty_core::diagnostic::{Code, SourceText};
use prompty_core::value::Value;
use prompty_core::{Error, ErrorKind};

mod files;
mod migrating;

fn load(front_matter: &str) -> Definition {
    try_load(front_matter).unwrap()
}

fn try_load(front_matter: &str) -> Result<Definition, Error> {
    let options = LoadOptions::new().with_environment([("KEY", "secret")]);
    Definition::from_text_with("t.prompty", file(front_matter), &options)
}

fn file(front_matter: &str) -> String {
    format!("---\n{front_matter}\n---\nuser:\nHi")
}

fn inspected(front_matter: &str) -> Inspection {
    inspect(SourceText::new("t.prompty", file(front_matter)), None)
}

fn codes(front_matter: &str) -> Vec<Code> {
    inspected(front_matter).diagnostics.iter().map(|finding| finding.code).collect()
}

/// Checks that two front matters of the first and the second version have the same content.
fn same(first: &str, second: &str) {
    assert_eq!(load(first).to_value(), load(second).to_value(), "{first}");
    assert!(!codes(second).contains(&Code::FirstVersion), "{second}");
}

#[test]
fn a_map_with_a_type_is_a_property_and_not_a_default() {
    let definition = load("inputs: {q: {type: string}}");
    assert_eq!(definition.inputs[0].value_type, ValueType::String);
    assert_eq!(definition.inputs[0].default, None);
}

#[test]
fn types_may_have_names_of_kinds_json_schema_or_python() {
    for (name, kind) in [
        ("string", "string"),
        ("number", "float"),
        ("int", "integer"),
        ("List", "array"),
        ("Dict", "object"),
        ("bool", "boolean"),
    ] {
        let front_matter = format!("inputs: {{q: {{type: {name}}}}}");
        assert_eq!(load(&front_matter).inputs[0].value_type.name(), kind, "{name}");
    }
}

#[test]
fn a_map_that_only_resembles_a_property_is_a_default() {
    for default in ["{type: circle, radius: 2}", "{type: string, radius: 2}", "{type: [1]}"] {
        let definition = load(&format!("inputs: {{shape: {default}}}"));
        assert!(definition.inputs[0].default.is_some(), "{default}");
    }
}

#[test]
fn with_a_model_of_the_first_version_each_type_declares_a_property() {
    let definition = load("model: {api: chat}\ninputs: {q: {type: string, hint: big}}");
    assert_eq!(definition.inputs[0].default, None);
    assert_eq!(definition.inputs[0].value_type, ValueType::String);
}

#[test]
fn an_input_without_a_default_is_required_unless_it_says_otherwise() {
    let required = |front_matter: &str| load(front_matter).inputs[0].required;
    assert!(required("inputs: {q: {type: string}}"));
    assert!(required("inputs: {q: {type: string, is_required: true, default: x}}"));
    assert!(!required("inputs: {q: {type: string, default: x}}"));
    assert!(!required("inputs: {q: {type: string, required: false}}"));
    assert!(!required("inputs: {q: {type: string, optional: true}}"));
    assert!(!required("outputs: []\ninputs: {q: {kind: string}}"));
}

#[test]
fn a_sample_of_a_property_is_its_example() {
    let definition = load("inputs: {q: {type: string, sample: hi}}");
    assert_eq!(definition.inputs[0].example, Some("hi".into()));
    assert_eq!(definition.inputs[0].default, None);
}

#[test]
fn items_properties_and_enums_are_converted_too() {
    same(
        "inputs:\n  - name: l\n    type: list\n    items: {type: str, enum: [a]}\noutputs: \
         {o: {type: object, properties: {p: {type: int}}}}",
        "inputs:\n  - name: l\n    kind: array\n    required: true\n    items: {kind: string, \
         enumValues: [a]}\noutputs: {o: {kind: object, properties: {p: {kind: integer}}}}",
    );
}

#[test]
fn a_sample_declares_inputs_without_another_declaration() {
    let definition = load("sample: {q: hi, n: 3, f: 0.5, b: true, l: [], u: null}\ninputs: {d: x}");
    let inputs =
        definition.inputs.iter().map(|it| (it.name.as_str(), it.value_type.name(), it.required));
    assert_eq!(
        inputs.collect::<Vec<_>>(),
        [
            ("d", "string", false),
            ("q", "string", true),
            ("n", "integer", true),
            ("f", "float", true),
            ("b", "boolean", true),
            ("l", "array", true),
            ("u", "", false),
        ]
    );
    assert!(definition.inputs[1..].iter().all(|input| input.default.is_none()));
    assert_eq!(definition.inputs[1].example, Some("hi".into()));
    assert!(definition.unknown.is_empty());
}

#[test]
fn a_sample_is_the_example_of_a_declared_input() {
    let definition = load("inputs: {q: {type: string}, d: old}\nsample: {q: hi, d: new}");
    assert_eq!(definition.inputs[0].example, Some("hi".into()));
    // A bare value is a default, and a sample does not change it.
    assert_eq!(definition.inputs[1].example, Some("new".into()));
    assert_eq!(definition.inputs[1].default, Some("old".into()));
    let place = load("inputs: {p: {lat: 1}}\nsample: {p: {lat: 2}}");
    assert_eq!(place.inputs[0].default, Some(Value::Object([("lat", 1)].into_iter().collect())));
    let listed = load("inputs: [{name: q, type: string}]\nsample: {q: hi, r: 1}");
    assert_eq!(listed.inputs[0].example, Some("hi".into()));
    assert_eq!(listed.inputs[1].name, "r");
}

#[test]
fn the_type_of_a_sample_fits_all_its_items() {
    let definition = load("sample: {docs: [{id: 1, t: a}, {id: 2.5, t: null}, {id: 3, n: [x]}]}");
    let ValueType::Array(Some(item)) = &definition.inputs[0].value_type else { panic!("no list") };
    let ValueType::Object(fields) = &item.value_type else { panic!("no object") };
    let fields = fields.iter().map(|it| (it.name.as_str(), it.value_type.name(), it.required));
    assert_eq!(
        fields.collect::<Vec<_>>(),
        [("id", "float", true), ("t", "", false), ("n", "array", false)]
    );
}

#[test]
fn a_configuration_becomes_id_provider_and_connection() {
    same(
        "model:\n  api: chat\n  configuration:\n    type: azure_openai\n    azure_deployment: m\n    \
         azure_endpoint: https://x.openai.azure.com\n    api_key: k\n    api_version: '1'",
        "model:\n  apiType: chat\n  provider: foundry\n  id: m\n  connection: {kind: key, endpoint: \
         'https://x.openai.azure.com', apiKey: k, api_version: '1'}",
    );
    same(
        "model: {configuration: {type: azure_openai, azure_endpoint: 'https://x.openai.azure.com'}}",
        "model: {provider: foundry, connection: {kind: foundry, endpoint: \
         'https://x.openai.azure.com'}}",
    );
    same("model: {configuration: {type: openai, name: m}}", "model: {provider: openai, id: m}");
    same(
        "model: {configuration: {connection: mine, name: m}}",
        "model: {id: m, connection: {kind: reference, name: mine}}",
    );
}

#[test]
fn parameters_become_options_or_additional_properties() {
    same(
        "model:\n  parameters: {max_tokens: 9, top_p: 0.5, stop: [a], frequency_penalty: 0.1, \
         presence_penalty: 0.2, temperature: 1, stream: true, tools: [{type: function}]}",
        "model:\n  options: {maxOutputTokens: 9, topP: 0.5, stopSequences: [a], frequencyPenalty: 0.1, \
         presencePenalty: 0.2, temperature: 1, additionalProperties: {stream: true, tools: [{type: \
         function}]}}",
    );
}

#[test]
fn a_value_that_the_second_version_has_in_another_place_is_reported() {
    for front_matter in [
        "model: {parameters: {max_tokens: 9, maxOutputTokens: 5}}",
        "model: {parameters: {max_tokens: 9, max_completion_tokens: 5}}",
        "model: {parameters: {additionalProperties: {user: a}, user: b}}",
        "model: {parameters: {additionalProperties: 5, user: b}}",
        "model: {parameters: {additionalProperties: {}, additional_properties: {user: b}}}",
        "model: {api: chat, apiType: chat}",
        "sample: {x: 1}\nid: a\nmetadata: {id: b}",
        "sample: {x: 1}\nid: a\nmetadata: 5",
        "sample: {x: 1}\ntemplate: {format: {kind: jinja2, strict: false}, strict: true}",
        "sample: [1]",
        "sample: 5",
    ] {
        let codes = codes(front_matter);
        assert!(codes.contains(&Code::UnknownKey), "{front_matter}: {codes:?}");
    }
}

#[test]
fn an_option_with_its_new_name_counts() {
    same(
        "model: {api: chat, options: {maxOutputTokens: 5}}",
        "model: {apiType: chat, options: {maxOutputTokens: 5}}",
    );
    for parameters in ["max_tokens: 9, maxOutputTokens: 5", "maxOutputTokens: 5, max_tokens: 9"] {
        let definition = load(&format!("model: {{parameters: {{{parameters}}}}}"));
        let options = definition.to_value();
        let options = options.get("model").and_then(|model| model.get("options")).unwrap();
        assert_eq!(options.get("maxOutputTokens"), Some(&Value::from(5)), "{parameters}");
    }
}

#[test]
fn a_tool_with_an_id_and_a_type_has_a_name_and_a_kind() {
    let definition = load("tools: [{id: bing, type: web_search, options: {url: u}}]");
    assert_eq!(definition.tools[0].name, "bing");
    assert!(
        matches!(&definition.tools[0].kind, ToolKind::Custom { kind, .. } if kind == "web_search")
    );
    let definition = load("tools: {f: {type: function, parameters: {city: {type: string}}}}");
    let ToolKind::Function { parameters, .. } = &definition.tools[0].kind else {
        panic!("no function")
    };
    assert_eq!(parameters[0].value_type, ValueType::String);
}

#[test]
fn a_template_may_be_a_name_or_have_a_type_with_another_key_of_the_first_version() {
    for template in ["mustache", "{type: mustache, parser: prompty.chat}"] {
        let definition = load(&format!("model: {{api: chat}}\ntemplate: {template}"));
        assert_eq!(definition.template.format, "mustache", "{template}");
        assert_eq!(definition.template.parser, "prompty", "{template}");
    }
    let strict = load("sample: {}\ntemplate: {format: mustache, parser: prompty, strict: true}");
    assert!(strict.template.strict);
    assert_eq!(strict.template.format, "mustache");
}

#[test]
fn a_template_that_is_a_name_is_an_error_without_such_a_key() {
    for front_matter in ["template: jinja2", "inputs: {q: {type: string}}\ntemplate: jinja2"] {
        let error = try_load(front_matter).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FrontMatter);
    }
}

#[test]
fn descriptions_of_the_prompt_become_metadata() {
    let definition = load("model: {api: chat}\nauthors: [a]\ntags: [t]\nmetadata: {tags: [mine]}");
    assert_eq!(definition.metadata.get("authors"), Some(&Value::from_iter(["a"])));
    assert_eq!(definition.metadata.get("tags"), Some(&Value::from_iter(["mine"])));
}

#[test]
fn a_file_of_the_first_version_gives_one_finding_at_its_largest_key() {
    let front_matter = "name: x\nauthors: [a]\ninputs: {q: {type: string}}\nmodel: {api: chat, \
                        parameters: {max_tokens: 1}}\nsample: {q: hi}\ntools: [{id: t, type: mine}]";
    let inspection = inspected(front_matter);
    assert_eq!(inspection.diagnostics.len(), 1, "{:?}", inspection.diagnostics);
    let finding = &inspection.diagnostics[0];
    assert_eq!(finding.code, Code::FirstVersion);
    let span = finding.span.unwrap();
    assert_eq!(inspection.source.text().get(span.start..span.end), Some("parameters"));
    assert_eq!(finding.label.as_deref(), Some("`parameters` is now called `options`"));
    assert!(finding.notes[0].contains("`api` to `apiType`"));
    assert!(finding.notes[0].contains("`type` to `kind`"));
    assert!(finding.help[0].contains("migrate"));
}

#[test]
fn keys_of_the_first_version_are_recognised_and_keys_of_the_second_are_not() {
    for front_matter in [
        "model: {api: chat}",
        "model: {configuration: {name: x}}",
        "model: {parameters: {}}",
        "sample: {q: 1}",
        "inputs: {q: {type: string}}",
        "inputs: {q: {kind: string, sample: x}}",
        "outputs: [{name: q, type: string}]",
        "tools: [{id: t, kind: mine}]",
    ] {
        assert_eq!(codes(front_matter), [Code::FirstVersion], "{front_matter}");
    }
    for front_matter in [
        "model: {id: x, apiType: chat, connection: {kind: mine, type: x, configuration: y}}",
        "inputs: {q: {kind: string, example: x}, sample: x, type: y}",
        "metadata: {sample: x, api: y}",
        "tools: [{name: t, kind: mine, type: x, id: y}]",
    ] {
        assert_eq!(codes(front_matter), [], "{front_matter}");
    }
}

#[test]
fn a_misspelt_key_is_still_found() {
    let found = codes("model: {api: chat}\ninpust: {}");
    assert_eq!(found, [Code::FirstVersion, Code::UnknownKey]);
}

#[test]
fn values_of_the_host_are_hidden() {
    let definition = load(
        "model: {configuration: {type: '${env:KEY}', api_key: '${env:KEY}', other: '${env:KEY}', \
         azure_deployment: '${env:KEY}'}, parameters: {user: '${env:KEY}', stop: '${env:KEY}'}}\n\
         sample: {q: '${env:KEY}'}\nauthors: '${env:KEY}'\ntools: [{id: '${env:KEY}', type: x}]",
    );
    assert_eq!(definition.model.as_ref().unwrap().id.as_deref(), Some("secret"));
    assert_eq!(definition.inputs[0].example, Some("secret".into()));
    assert!(!format!("{definition:?}").contains("secret"), "{definition:?}");
}

#[test]
fn the_address_of_a_configuration_must_be_trusted() {
    let error = try_load("model: {configuration: {azure_endpoint: 'https://evil.example.com'}}");
    assert_eq!(error.unwrap_err().kind(), ErrorKind::UntrustedEndpoint);
}
