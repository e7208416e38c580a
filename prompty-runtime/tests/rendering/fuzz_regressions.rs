//! Texts on which a fuzz target once failed, each with the property that it must satisfy.

use prompty_check::check::{CheckOptions, check};
use prompty_check::definition::{Definition, inspect};
use prompty_core::diagnostic::{Severity, SourceText};
use prompty_core::message::{ContentPart, Media};
use prompty_runtime::render::{Inputs, Pipeline, PipelineBuilder};

/// Whether the checker finds errors in a prompt. If it finds none, the prompt must compile.
#[track_caller]
fn has_errors(text: &str) -> bool {
    let source = SourceText::new("t", text);
    let checked = check(source, &CheckOptions::new());
    let findings = checked.report.diagnostics;
    let has_errors = findings.iter().any(|finding| finding.severity == Severity::Error);
    let compiles = Definition::from_text(text).is_ok_and(|it| Pipeline::new(&it).is_ok());
    assert!(has_errors || compiles, "{text:?} is accepted and does not compile");
    has_errors
}

#[test]
fn a_reserved_name_in_a_text_is_also_an_error_of_the_checker() {
    assert!(has_errors("-m-\nnct\n  - {name: h, pro__prompty_boundeperties: { {k\n"));
    assert!(!has_errors("user:\n__PROMPTY_THREAD_ prompty_"));
}

#[test]
fn a_text_that_ends_like_a_placeholder_does_not_hide_the_image_after_it() {
    let text = "__PROMPTY_THREAD";
    let image = Media::new("https://example.com/x.png");
    let formats = [
        ("jinja2", "{{ x }}{{ photo }}"),
        ("mustache", "{{{x}}}{{photo}}"),
        ("handlebars", "{{{x}}}{{photo}}"),
        ("semantic-kernel", "{{$x}}{{$photo}}"),
    ];
    for (format, template) in formats {
        for (parser, template) in [
            ("prompty", format!("user:\n{template}")),
            ("message-tags", format!("<message role=\"user\">{template}</message>")),
        ] {
            let builder = PipelineBuilder::from_text("t", &template);
            let pipeline = builder.with_format(format).with_parser(parser).build().unwrap();
            let inputs = Inputs::new().with("x", text).with_image("photo", image.clone());
            let messages = pipeline.prepare(inputs).unwrap();
            let expected = [ContentPart::from(text), ContentPart::Image(image.clone())];
            assert_eq!(messages[0].content, expected, "{format}, {parser}");
        }
    }
}

#[test]
fn places_in_yaml_are_between_characters() {
    let characters = ["a", "\u{85}", "é", "\u{2028}", "\u{2029}", "\u{FEFF}", "🦀"];
    let syntax = [
        ":", ": ", "-", "- ", "{", "}", "[", "]", "{a: ", "[a, ", "\"", "'", "#", "|\n", "\n", "&",
        "*", "!",
    ];
    for (first, second) in characters.iter().flat_map(|it| syntax.map(|syntax| (it, syntax))) {
        for text in [
            format!("{first}{second}"),
            format!("{second}{first}"),
            format!("{first}{second}{first}"),
            format!("a: {second}{first}\n{first}"),
        ] {
            for name in ["t.yaml", "t.prompty"] {
                let front_matter = format!("---\n{text}\n---\n");
                let source = if name == "t.yaml" { &text } else { &front_matter };
                let inspection = inspect(SourceText::new(name, source.as_str()), None);
                for diagnostic in inspection.diagnostics {
                    let Some(span) = diagnostic.span else { continue };
                    let marked = inspection.source.text().get(span.start..span.end);
                    assert!(marked.is_some(), "{source:?}: {diagnostic:?}");
                }
            }
        }
    }
}
