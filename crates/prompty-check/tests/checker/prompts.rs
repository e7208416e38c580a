//! Complete prompts: front matter and template together.

use prompty_check::check::{CheckOptions, HostSignatures, check};
use prompty_check::definition::{Definition, Input, ValueType};
use prompty_core::diagnostic::{Code, Severity, SourceText};

const PROMPT: &str = "---
name: support
inputs:
  question: {kind: string, required: true}
  tone: {kind: string, enumValues: [formal, casual], default: formal}
  nickname: string
  unused: {kind: integer, default: 1}
---
user:
{{ question }}
";

fn checked(text: &str) -> Vec<(Code, String)> {
    let source = SourceText::new("t.prompty", text);
    let checked = check(source, &CheckOptions::new());
    let findings = checked.report.diagnostics.into_iter();
    findings.map(|finding| (finding.code, finding.message)).collect()
}

#[test]
fn an_input_that_is_never_used_is_shown_where_it_is_declared() {
    let definition = Definition::from_text(PROMPT).unwrap();
    let checked = check(&definition, &CheckOptions::new());
    let findings = checked.findings();
    let unused = findings.iter().find(|finding| finding.message.contains("`unused`")).unwrap();
    let span = unused.span.unwrap();
    assert_eq!(&definition.source.text()[span.start..span.end], "unused");
    assert_eq!(unused.code, Code::UnusedInput);
}

#[test]
fn findings_of_front_matter_and_template_come_in_the_order_of_the_source() {
    let text = "---\nflavour: mild\ninputs:\n  a: {kind: strng}\n  c: {kind: string}\n---\nuser:\n{{ c }}{{ b }}{{ a }}\n";
    assert_eq!(
        codes(text),
        [Code::UnknownKey, Code::UnknownKind, Code::UnguardedOptional, Code::UnknownInput]
    );
}

fn codes(text: &str) -> Vec<Code> {
    checked(text).into_iter().map(|(code, _)| code).collect()
}

/// A prompt with these declarations that prints `q` and loops over `l`.
fn declaring(front_matter: &str) -> String {
    format!(
        "---\n{front_matter}\n---\nuser:\n{{{{ q }}}}{{% for x in l %}}{{{{ x.y }}}}{{% endfor %}}\n"
    )
}

#[test]
fn findings_that_follow_from_a_broken_declaration_are_not_reported() {
    let right = "  l: {kind: array, required: true}";
    for (declared, code) in [
        (format!("inpust:\n  q: {{kind: string}}\n{right}"), Code::UnknownKey),
        (format!("inputs:\n  q: {{kind: string, requred: true}}\n{right}"), Code::UnknownKey),
        (format!("inputs:\n  q: {{kind: string, optional: false}}\n{right}"), Code::UnknownKey),
        (format!("inputs:\n  q: {{kind: strng}}\n{right}"), Code::UnknownKind),
        (format!("inputs:\n  q: {{kind: string, required: maybe}}\n{right}"), Code::WrongType),
        (
            "inputs:\nq: {kind: string, required: true}\nl: {kind: array}".to_owned(),
            Code::UnknownKey,
        ),
        ("inputs: [q, l]".to_owned(), Code::WrongType),
        ("inputs: q".to_owned(), Code::WrongType),
        ("inputs:\n  - q: {kind: string}".to_owned(), Code::WrongType),
        ("inputs: {type: object, properties: {q: {type: string}}}".to_owned(), Code::WrongType),
    ] {
        let mut found = codes(&declaring(&declared));
        found.dedup();
        assert_eq!(found, [code], "{declared}");
    }
}

#[test]
fn a_misspelt_key_that_causes_no_error_is_a_warning() {
    let severity = |front_matter: &str, template: &str| {
        let text = format!("---\n{front_matter}\n---\nuser:\n{template}\n");
        let source = SourceText::new("t.prompty", text);
        let checked = check(source, &CheckOptions::new());
        let [finding] = checked.report.diagnostics.as_slice() else { panic!("{checked:?}") };
        (finding.code, finding.severity)
    };
    let misspelt = "inputs:\n  q: {kind: string, requred: true}";
    let guarded = severity(misspelt, "{% if q %}{{ q }}{% endif %}");
    assert_eq!(guarded, (Code::UnknownKey, Severity::Warning));
    assert_eq!(severity(misspelt, "{{ q }}"), (Code::UnknownKey, Severity::Error));
    let options = CheckOptions::new().with_allowed([Code::UnknownKey]);
    let source = SourceText::new("t", format!("---\n{misspelt}\n---\nuser:\n{{{{ q }}}}\n"));
    let checked = check(source, &options);
    assert_eq!(checked.report.diagnostics[0].code, Code::UnguardedOptional, "no error is lost");
}

#[test]
fn an_independent_mistake_is_reported_with_a_broken_declaration() {
    let text = "---\ninputs:\n  q: {kind: strng}\n---\nuser:\n{{ q | uper }}{{ other }}\n";
    assert_eq!(codes(text), [Code::UnknownKind, Code::UnknownFilter, Code::UnknownInput]);
}

#[test]
fn an_unusable_input_is_reported_at_its_declaration() {
    for (name, used) in [("user-name", "{{ user-name }}"), ("not", "{{ not }}"), ("a.b", "hi")] {
        let text = format!(
            "---\ninputs:\n  {name}: {{kind: string, required: true}}\n---\nuser:\n{used}\n"
        );
        let found = checked(&text);
        let message = format!("`{name}` is not a valid variable name in a template");
        assert_eq!(found, [(Code::Declaration, message)]);
    }
    let mustache = "---\ninputs:\n  user-name: {kind: string, required: true}\n\
                    template: mustache\n---\nuser:\n{{user-name}}\n";
    assert_eq!(codes(&mustache.replace("mustache", "{format: mustache}")), []);
}

#[test]
fn a_front_matter_without_its_delimiters_is_one_finding() {
    for text in [
        "name: a\n---\nuser:\n{{ q }}\n",
        "--\nname: a\n--\nuser:\n{{ q }}\n",
        "\u{2014}\ninputs: {q: 1}\n\u{2014}\nuser:\n{{ q }}\n",
        "\n----\nname: a\n---\nuser:\n{{ q }}\n",
    ] {
        assert_eq!(codes(text), [Code::FrontMatter], "{text}");
    }
    for text in ["user:\nname: a\n---\n", "Note: a\n---\nuser:\nHi\n", "name: a\nuser:\nHi\n"] {
        assert!(!codes(text).contains(&Code::FrontMatter), "{text}");
    }
}

#[test]
fn an_input_that_is_not_required_and_has_no_default_is_optional() {
    let text = "---\ninputs:\n  a: {kind: string}\n  b: {kind: string, default: x}\n  c: {kind: string, required: true}\n---\nuser:\n{{ a }}{{ b }}{{ c }}\n";
    let found = checked(text);
    assert_eq!(found, [(Code::UnguardedOptional, "`a` may be missing".to_owned())]);
}

#[test]
fn unknown_template_formats_and_parsers_are_found() {
    let text = "---\ntemplate:\n  format: jinja\n  parser: prompt\n---\nuser:\nHi\n";
    let codes: Vec<Code> = checked(text).into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, [Code::UnknownFormat, Code::UnknownParser]);
    let definition =
        Definition::from_text("---\ntemplate:\n  format: liquid\n---\n{{ a }}").unwrap();
    let mut extensions = HostSignatures::default();
    extensions.formats.push("liquid".to_owned());
    assert_eq!(check(&definition, &CheckOptions::new().with_host(extensions)).findings(), []);
}

#[test]
fn names_of_the_host_are_known() {
    let text = "user:\n{{ shout('a') | loud }}{% if 1 is prime %}x{% endif %}\n";
    let definition = Definition::from_text(text).unwrap();
    assert_eq!(check(&definition, &CheckOptions::new()).findings().len(), 3);
    let mut extensions = HostSignatures::default();
    extensions.functions.push("shout".to_owned());
    extensions.filters.push("loud".to_owned());
    extensions.tests.push("prime".to_owned());
    assert_eq!(check(&definition, &CheckOptions::new().with_host(extensions)).findings(), []);
}

#[test]
fn a_renderer_of_the_host_replaces_the_language_of_its_kind() {
    let definition = Definition::from_text("user:\n{{ not Jinja }\n").unwrap();
    assert_eq!(check(&definition, &CheckOptions::new()).findings().len(), 1);
    let mut host = HostSignatures::default();
    host.formats.push("jinja2".to_owned());
    assert_eq!(check(&definition, &CheckOptions::new().with_host(host)).findings(), []);
}

#[test]
fn a_parser_of_the_host_replaces_the_built_in_one_of_its_kind() {
    let text = "---\ntemplate: {parser: message-tags}\n---\n<message role=\"user\">Hi\n";
    let definition = Definition::from_text(text).unwrap();
    let message = |host| {
        let checked = check(&definition, &CheckOptions::new().with_host(host));
        checked.findings().first().map(|finding| finding.message.clone())
    };
    assert_eq!(message(HostSignatures::default()).unwrap(), "`<message>` is never closed");
    let mut host = HostSignatures::default();
    host.parsers.push("message-tags".to_owned());
    assert_eq!(message(host), None);
}

#[test]
fn inputs_of_the_options_keep_the_other_declarations() {
    let text = "---\noutputs: {a: {kind: string}}\n---\nuser:\n{{ output_requirement }} {{ b }}\n";
    let definition = Definition::from_text(text).unwrap();
    let inputs = vec![Input::new("b", ValueType::Any)];
    let options = CheckOptions::new().with_inputs(inputs);
    assert_eq!(check(&definition, &options).findings(), []);
}

#[test]
fn open_inputs_are_added_to_the_known_ones() {
    let definition = Definition::from_text("user:\n{{ b }} {{ c }}\n").unwrap();
    let inputs = vec![Input::new("b", ValueType::Any)];
    let given = CheckOptions::new().with_inputs(inputs);
    assert_eq!(check(&definition, &given).findings()[0].message, "unknown input `c`");
    assert_eq!(check(&definition, &given.clone().with_open_inputs()).findings(), []);
    assert_eq!(check(&definition, &CheckOptions::new().with_open_inputs()).findings(), []);
}

#[test]
fn only_findings_of_a_working_prompt_can_be_allowed() {
    let text = "---\ninputs:\n  a: {kind: string, default: x}\n---\nHello\nuser:\n{{ b }}\nAssistant: x\nsytem:\n";
    let definition = Definition::from_text(text).unwrap();
    let codes = |allowed| {
        let found =
            check(&definition, &CheckOptions::new().with_allowed(allowed)).report.diagnostics;
        found.into_iter().map(|finding| finding.code).collect::<Vec<_>>()
    };
    let all = codes(Vec::new());
    assert_eq!(
        all,
        [
            Code::UnusedInput,
            Code::LeadingText,
            Code::UnknownInput,
            Code::MarkerProse,
            Code::NearMarker
        ]
    );
    assert_eq!(codes(Code::ALL.to_vec()), [Code::UnknownInput]);
}

#[test]
fn inputs_in_another_file_are_unknown_and_not_reported() {
    let text = "---\ninputs: ${file:inputs.yaml}\n---\nuser:\n{{ whatever }}\n";
    assert_eq!(checked(text), []);
}

#[test]
fn an_input_of_a_tool_binding_is_used() {
    let text = "---\ninputs:\n  unit: {kind: string, default: celsius}\ntools:\n  - name: weather\n    kind: function\n    parameters: []\n    bindings: {unit: {input: unit}}\n---\nuser:\nHi";
    let definition = Definition::from_text(text).unwrap();
    assert_eq!(check(&definition, &CheckOptions::new()).findings(), []);
}

/// An error that is allowed must not hide what the engine refuses.
#[test]
fn what_the_engine_refuses_is_reported_next_to_an_allowed_error() {
    let text =
        "---\ninputs:\n  q: {kind: string, required: false}\n---\nuser:\n{{ q }} __prompty_x\n";
    let source = SourceText::new("t.prompty", text);
    let options = CheckOptions::new().with_allowed([Code::UnguardedOptional]);
    let checked = check(source, &options);
    let [finding] = checked.findings() else { panic!("{checked:?}") };
    assert_eq!(finding.code, Code::TemplateSyntax);
}
