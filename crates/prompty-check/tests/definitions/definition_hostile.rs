//! Hostile prompts: loading always ends soon, with a definition or an error.

use prompty_check::definition::{Definition, Input, Inspection, LoadOptions, ValueType, inspect};
use prompty_core::diagnostic::{SourceSpan, SourceText};
use proptest::prelude::*;
use work_counting::{assert_linear, count_work};

fn look(text: &str) -> Inspection {
    let options = LoadOptions::new().with_environment([("A", "1")]);
    let _ = Definition::from_text_with("t", text, &options);
    let inspection = inspect(SourceText::new("t", text), None);
    for finding in &inspection.diagnostics {
        let _ = finding.render(&inspection.source);
    }
    inspection
}

fn spans_of(input: &Input, spans: &mut Vec<SourceSpan>) {
    spans.extend([input.name_span, input.kind_span, input.default_span].into_iter().flatten());
    match input.value_type.non_null() {
        ValueType::Array(Some(items)) => spans_of(items, spans),
        ValueType::Object(nested) | ValueType::Union(nested) => {
            nested.iter().for_each(|input| spans_of(input, spans));
        }
        _ => {}
    }
}

/// Checks that every span is in the source, and begins and ends between characters.
fn check_spans(inspection: &Inspection) {
    let text = inspection.source.text();
    let mut spans: Vec<SourceSpan> =
        inspection.diagnostics.iter().filter_map(|finding| finding.span).collect();
    if let Some(definition) = &inspection.definition {
        let body = definition.body;
        assert_eq!(text.get(body.start..body.end), Some(definition.instructions.as_str()));
        let properties = definition.inputs.iter().chain(&definition.outputs);
        properties.for_each(|input| spans_of(input, &mut spans));
        spans.extend(definition.tools.iter().filter_map(|tool| tool.name_span));
        spans.extend(definition.template.format_span);
        spans.extend(definition.template.parser_span);
    }
    for span in spans {
        assert!(text.get(span.start..span.end).is_some(), "{span:?} in {text:?}");
    }
}

/// A name, a size, and a function that creates a front matter of a size.
type LargeFrontMatter = (&'static str, usize, fn(usize) -> String);

/// Front matters with a number of parts, or of a number of bytes.
fn large_front_matters() -> [LargeFrontMatter; 16] {
    [
        ("keys", 500, |count| (0..count).map(|key| format!("k{key:05}: v\n")).collect()),
        ("inputs", 500, |count| {
            let inputs: String =
                (0..count).map(|key| format!("  i{key:05}: {{kind: strng}}\n")).collect();
            format!("inputs:\n{inputs}")
        }),
        ("listed inputs", 500, |count| format!("inputs:\n{}", "  - {name: x}\n".repeat(count))),
        ("one key again", 2_000, |count| "a: 1\n".repeat(count)),
        ("a long text", 50_000, |bytes| format!("a: {}", "x".repeat(bytes))),
        ("a long key", 1_000, |bytes| format!("{}: 1", "k".repeat(bytes))),
        ("a long name", 10_000, |count| format!("name: {}", "é ".repeat(count))),
        ("escapes", 10_000, |count| format!("name: \"{}\"", "\\n".repeat(count))),
        ("braces", 10_000, |count| format!("name: '${{{}}}'", "{".repeat(count))),
        ("lists", 2_000, |count| "- ".repeat(count)),
        ("brackets", 2_000, |count| "[".repeat(count)),
        ("maps", 2_000, |count| "{a: ".repeat(count)),
        ("question marks", 2_000, |count| "? ".repeat(count)),
        ("anchors", 3_000, |count| "&a ".repeat(count)),
        ("dashes", 2_000, |count| "---x\n".repeat(count)),
        ("indented dashes", 2_000, |count| " ---\n".repeat(count)),
    ]
}

#[test]
fn work_grows_linearly_with_the_front_matter() {
    for (name, size, front_matter) in large_front_matters() {
        assert_linear(name, size, |size| {
            let text = format!("---\n{}\n---\nBody", front_matter(size));
            let (inspection, work) = count_work(|| look(&text));
            check_spans(&inspection);
            work
        });
    }
}

#[test]
fn nested_properties_end_at_the_depth_limit() {
    let deep = format!("inputs: {}1{}", "{x: {properties: ".repeat(100), "}}".repeat(100));
    assert!(look(&format!("---\n{deep}\n---\n")).definition.is_none());
}

#[test]
fn aliases_of_properties_cannot_multiply() {
    let mut bomb = "metadata:\n  a0: &a0 {kind: string}\n".to_owned();
    for level in 1..20 {
        let below = format!("*a{}, ", level - 1).repeat(8);
        bomb += &format!("  a{level}: &a{level} {{kind: union, anyOf: [{below}]}}\n");
    }
    assert!(look(&format!("---\n{bomb}inputs: {{x: *a19}}\n---\n")).definition.is_none());
}

#[test]
fn a_long_name_is_not_repeated_for_each_of_its_keys() {
    let keys = |count: usize| (0..count).map(|key| format!("x{key:05}: 1, ")).collect::<String>();
    let short =
        |size: usize| format!("inputs: {{{}: {{kind: string, {}}}}}", "n".repeat(900), keys(size));
    let long = |size: usize| {
        let name = "n".repeat(size * 32);
        format!("inputs:\n  ? {name}\n  : {{kind: string, {}}}\n", keys(size))
    };
    let front_matters: [&dyn Fn(usize) -> String; 2] = [&short, &long];
    for front_matter in front_matters {
        assert_linear("a long name", 500, |size| {
            let text = format!("---\n{}\n---\n", front_matter(size));
            count_work(|| look(&text)).1
        });
    }
}

#[test]
fn a_wrong_value_is_reported_in_spite_of_many_findings() {
    let keys: String = (0..500).map(|key| format!("x{key}: 1\n")).collect();
    assert!(Definition::from_text(format!("---\n{keys}name: [a]\n---\n")).is_err());
}

/// Parts of front matters, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "---\n",
        "+++\n",
        "name: ",
        "inputs:\n",
        "  x: ",
        "  - name: ",
        "    kind: ",
        "kind: array",
        "items: ",
        "properties: ",
        "anyOf: ",
        "default: ",
        "enumValues: ",
        "model: ",
        "options: ",
        "temperature: ",
        "connection: ",
        "endpoint: ",
        "tools:\n",
        "template: ",
        "format: ",
        "{",
        "}",
        "[",
        "]",
        ", ",
        ": ",
        "\n",
        "\r\n",
        "\u{feff}",
        "é",
        "\u{1F600}",
        "\"",
        "'",
        "|\n",
        ">\n",
        "&a ",
        "*a",
        "!!str ",
        "!x ",
        "# c",
        "${env:A}",
        "${env:B:c}",
        "${file:a.json}",
        "1",
        "1.5",
        "true",
        "null",
        "string",
        "union",
        "strct",
        "\t",
        "\0",
        "user:\n",
        "{{ x }}",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_text_can_be_inspected(text in "\\PC*") {
        check_spans(&look(&text));
    }

    #[test]
    fn any_front_matter_can_be_inspected(text in "(?s).{0,200}") {
        check_spans(&look(&format!("---\n{text}\n---\n{text}")));
    }

    #[test]
    fn any_arrangement_of_front_matter_can_be_inspected(text in pieces()) {
        check_spans(&look(&text));
        check_spans(&look(&format!("---\n{text}\n---\nBody")));
    }

    /// Without references, loading and inspecting give the same definition.
    #[test]
    fn loading_and_inspecting_agree(text in pieces()) {
        let text = format!("---\n{}\n---\nBody", text.replace("${", ""));
        if let Ok(loaded) = Definition::from_text(text.as_str()) {
            prop_assert_eq!(Some(loaded), inspect(SourceText::new("<text>", text), None).definition);
        }
    }
}
