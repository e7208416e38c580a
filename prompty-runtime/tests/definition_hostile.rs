//! Whatever a stranger writes, loading ends, soon, with a definition or an error.
#![cfg(feature = "definition")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a panic in a test is a failed test"
)]

use std::time::{Duration, Instant};

use prompty_core::diagnostic::{SourceText, Span};
use prompty_runtime::definition::{Definition, Inspection, Kind, LoadOptions, Property, inspect};
use proptest::prelude::*;

fn look(text: &str) -> Inspection {
    let options = LoadOptions::new().environment([("A", "1")]);
    let _ = Definition::from_text_with("t", text, &options);
    let inspection = inspect(SourceText::new("t", text));
    for finding in &inspection.diagnostics {
        let _ = finding.render(&inspection.source);
    }
    inspection
}

fn spans_of(property: &Property, spans: &mut Vec<Span>) {
    spans.extend(
        [property.name_span, property.kind_span, property.default_span].into_iter().flatten(),
    );
    match &property.kind {
        Kind::Array(Some(items)) => spans_of(items, spans),
        Kind::Object(nested) | Kind::Union(nested) => {
            nested.iter().for_each(|property| spans_of(property, spans));
        }
        _ => {}
    }
}

/// Every span of what was found lies in the source, between characters.
fn check_spans(inspection: &Inspection) {
    let text = inspection.source.text();
    let mut spans: Vec<Span> =
        inspection.diagnostics.iter().filter_map(|finding| finding.span).collect();
    if let Some(definition) = &inspection.definition {
        let body = definition.body;
        assert_eq!(text.get(body.start..body.end), Some(definition.instructions.as_str()));
        let properties = definition.inputs.iter().chain(&definition.outputs);
        properties.for_each(|property| spans_of(property, &mut spans));
        spans.extend(definition.tools.iter().filter_map(|tool| tool.name_span));
        spans.extend(definition.template.format_span);
        spans.extend(definition.template.parser_span);
    }
    for span in spans {
        assert!(text.get(span.start..span.end).is_some(), "{span:?} in {text:?}");
    }
}

#[test]
fn large_front_matters_take_time_in_proportion_to_their_size() {
    let keys: String = (0..20_000).map(|key| format!("k{key}: v\n")).collect();
    let inputs: String = (0..10_000).map(|key| format!("  i{key}: {{kind: strng}}\n")).collect();
    let listed: String = (0..10_000).map(|_| "  - {name: x}\n").collect();
    let front_matters = [
        keys,
        format!("inputs:\n{inputs}"),
        format!("inputs:\n{listed}"),
        "a: 1\n".repeat(40_000),
        format!("a: {}", "x".repeat(2_000_000)),
        format!("{}: 1", "k".repeat(1_000)),
        format!("name: {}", "é ".repeat(500_000)),
        format!("name: \"{}\"", "\\n".repeat(500_000)),
        format!("name: '${{{}}}'", "{".repeat(500_000)),
        "- ".repeat(100_000),
        "[".repeat(100_000),
        "{a: ".repeat(100_000),
        "? ".repeat(100_000),
        "&a ".repeat(50_000),
        "---x\n".repeat(100_000),
        " ---\n".repeat(100_000),
    ];
    for front_matter in front_matters {
        let start = Instant::now();
        check_spans(&look(&format!("---\n{front_matter}\n---\nBody")));
        let head: String = front_matter.chars().take(20).collect();
        // Unoptimised, on a busy machine; quadratic time would be minutes.
        assert!(start.elapsed() < Duration::from_secs(20), "{head}");
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
fn a_long_name_does_not_multiply_with_what_stands_under_it() {
    let keys: String = (0..30_000).map(|key| format!("x{key}: 1, ")).collect();
    let front_matter = format!("inputs: {{{}: {{kind: string, {keys}}}}}", "n".repeat(900));
    look(&format!("---\n{front_matter}\n---\n"));
    let nested = format!("inputs:\n  ? {}\n  : {{kind: string, {keys}}}\n", "n".repeat(1 << 20));
    let start = Instant::now();
    look(&format!("---\n{nested}\n---\n"));
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_wrong_value_is_not_lost_among_other_findings() {
    let keys: String = (0..500).map(|key| format!("x{key}: 1\n")).collect();
    assert!(Definition::from_text(format!("---\n{keys}name: [a]\n---\n")).is_err());
}

/// Pieces that front matters are made of, in any order.
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
    fn any_text_can_be_looked_at(text in "\\PC*") {
        check_spans(&look(&text));
    }

    #[test]
    fn any_front_matter_can_be_looked_at(text in "(?s).{0,200}") {
        check_spans(&look(&format!("---\n{text}\n---\n{text}")));
    }

    #[test]
    fn any_arrangement_of_front_matter_can_be_looked_at(text in pieces()) {
        check_spans(&look(&text));
        check_spans(&look(&format!("---\n{text}\n---\nBody")));
    }

    /// What is loaded with no reference in it is what the inspection says.
    #[test]
    fn loading_and_inspecting_agree(text in pieces()) {
        let text = format!("---\n{}\n---\nBody", text.replace("${", ""));
        if let Ok(loaded) = Definition::from_text(text.as_str()) {
            prop_assert_eq!(Some(loaded), inspect(SourceText::new("<text>", text)).definition);
        }
    }
}
