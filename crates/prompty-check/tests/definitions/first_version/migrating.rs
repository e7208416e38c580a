//! Migration of files of the first version to the second.

use proptest::prelude::*;

use super::*;

const EVERYTHING: &str = include_str!("everything.prompty");
const MIGRATED: &str = include_str!("everything.migrated.prompty");

fn migrate_text(text: &str) -> Option<String> {
    migrate(&SourceText::new("t.prompty", text), &LoadOptions::new()).unwrap()
}

#[test]
fn comments_order_and_body_are_kept() {
    assert_eq!(migrate_text(EVERYTHING).as_deref(), Some(MIGRATED));
}

#[test]
fn a_migrated_file_is_not_migrated_again() {
    assert_eq!(migrate_text(MIGRATED), None);
}

#[test]
fn line_ends_are_kept() {
    let migrated = migrate_text("---\r\nmodel:\r\n  api: chat\r\n---\r\nuser:\r\nHi\r\n");
    assert_eq!(migrated.unwrap(), "---\r\nmodel:\r\n  apiType: chat\r\n---\r\nuser:\r\nHi\r\n");
}

#[test]
fn references_to_variables_are_kept() {
    let text = "---\nmodel:\n  configuration:\n    api_key: ${env:KEY} # ours\n---\nHi";
    let migrated = migrate_text(text).unwrap();
    assert!(migrated.contains("    apiKey: ${env:KEY} # ours\n"), "{migrated}");
}

#[test]
fn a_file_that_cannot_be_rewritten_is_an_error() {
    // An alias of a converted value would be written at the anchor.
    let text = "---\ninputs:\n  a: &a\n    type: string\n  b: *a\n---\nHi";
    let result = migrate(&SourceText::new("t", text), &LoadOptions::new());
    match result {
        Ok(Some(migrated)) => {
            assert_eq!(load_text(&migrated), load_text(text));
        }
        Ok(None) => panic!("it is of the first version"),
        Err(error) => assert!(error.to_string().contains("cannot be rewritten"), "{error}"),
    }
}

fn load_text(text: &str) -> Value {
    Definition::from_text(text).unwrap().to_value()
}

/// A sample value, as YAML.
fn sample() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        Just("null".to_owned()),
        Just("~".to_owned()),
        "[a-z]{1,6}",
        "'[a-z: #]{0,6}'",
        "\"[a-z: #é]{0,6}\"",
        (-9i32..99).prop_map(|number| number.to_string()),
    ];
    scalar.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3)
                .prop_map(|items| format!("[{}]", items.join(", "))),
            prop::collection::btree_map("[a-d]{1,2}", inner, 0..3).prop_map(|entries| {
                let entries = entries.iter().map(|(key, value)| format!("{key}: {value}"));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
            }),
        ]
    })
}

/// An entry in block style, with or without comments, and with more or less indentation.
fn entry(name: &'static str, inside: BoxedStrategy<String>) -> BoxedStrategy<String> {
    (inside, any::<bool>(), any::<bool>())
        .prop_map(move |(value, above, same_line)| {
            let above = if above { format!("# above {name}\n") } else { String::new() };
            let same_line = if same_line { format!(" # same line {name}") } else { String::new() };
            match value.strip_prefix('\n') {
                Some(lines) => {
                    let lines: String = lines.lines().map(|line| format!("   {line}\n")).collect();
                    format!("{above}{name}:{same_line}\n{lines}")
                }
                None => format!("{above}{name}: {value}{same_line}\n"),
            }
        })
        .boxed()
}

fn block(entries: Vec<BoxedStrategy<String>>) -> BoxedStrategy<String> {
    let entries: Vec<_> = entries.into_iter().map(prop::option::of).collect();
    entries
        .prop_map(|entries| {
            let lines: String = entries.into_iter().flatten().collect();
            if lines.is_empty() { "{}".to_owned() } else { format!("\n{lines}") }
        })
        .boxed()
}

fn property() -> BoxedStrategy<String> {
    let flow = prop_oneof![
        Just("{type: string}".to_owned()),
        Just("{type: int, default: 3}".to_owned()),
        Just("plain".to_owned()),
        Just("{kind: string}".to_owned()),
    ];
    let kind = Just("string".to_owned()).boxed();
    let in_block = block(vec![
        entry("type", kind),
        entry("description", Just("|\n   # text\n    more".to_owned()).boxed()),
        entry("sample", sample().boxed()),
    ]);
    prop_oneof![flow, in_block].boxed()
}

fn front_matter() -> BoxedStrategy<String> {
    let text = || "[a-z]{1,5}".boxed();
    let configuration = block(vec![
        entry("type", Just("azure_openai".to_owned()).boxed()),
        entry("azure_deployment", text()),
        entry("api_version", Just("'1'".to_owned()).boxed()),
    ]);
    let parameters = block(vec![
        entry("max_tokens", Just("9".to_owned()).boxed()),
        entry("response_format", Just("{type: text}".to_owned()).boxed()),
        entry("user", text()),
    ]);
    let model = block(vec![
        entry("api", text()),
        entry("configuration", configuration),
        entry("parameters", parameters),
    ]);
    let samples = block(vec![
        entry("a", sample().boxed()),
        entry("b", sample().boxed()),
        entry("c", sample().boxed()),
    ]);
    block(vec![
        entry("name", text()),
        entry("authors", Just("\n- x\n- y".to_owned()).boxed()),
        entry("model", model),
        entry("inputs", block(vec![entry("a", property()), entry("b", property())])),
        entry("sample", samples),
        entry("template", Just("jinja2".to_owned()).boxed()),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_migrated_file_has_the_same_content_and_comments(lines in front_matter()) {
        let text = format!("---{}---\nuser:\nHi {{{{ a }}}}\n", lines.trim_start_matches("{}"));
        let text = if lines == "{}" { text.replacen("---", "---\n", 1) } else { text };
        let Ok(before) = Definition::from_text(text.as_str()) else { return Ok(()) };
        let Some(migrated) = migrate_text(&text) else { return Ok(()) };
        let after = Definition::from_text(migrated.as_str()).unwrap();
        prop_assert_eq!(before.to_value(), after.to_value(), "{}\n{}", text, migrated);
        prop_assert_eq!(migrate_text(&migrated), None);
        let comments = text.lines().filter_map(|line| line.split_once("# ")).map(|(_, it)| it);
        for comment in comments.filter(|it| it.starts_with("above ") || it.starts_with("same line ")) {
            prop_assert!(migrated.contains(comment), "{} is lost:\n{}\n{}", comment, text, migrated);
        }
    }
}

#[test]
fn a_list_in_a_thread_loop_becomes_a_thread() {
    let text = "---\nmodel:\n  api: chat\nsample:\n  history:\n    - {role: user, content: Hi}\n  \
                rows: [{role: user, content: Hi}]\n---\nsystem:\nBe brief.\n\
                {% for m in history %}\n{{ m.role }}:\n{{ m.content }}\n{% endfor %}\nuser:\n\
                {% for m in rows %}{{ m.role }} {{ m.content }}{% endfor %}\n";
    let migrated = migrate_text(text).unwrap();
    let history = "  history:\n    kind: thread\n    example:\n      - {role: user, content: Hi}\n    required: true\n";
    assert!(migrated.contains(history), "{migrated}");
    assert!(migrated.contains("  rows:\n    kind: array\n    items:\n"), "{migrated}");
    let tagged = text.replace("sample:", "template: {parser: message-tags}\nsample:");
    assert!(migrate_text(&tagged).unwrap().contains("history:\n    kind: array\n"));
}
