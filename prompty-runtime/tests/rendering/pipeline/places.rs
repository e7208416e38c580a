//! The places of errors, with all kinds of line ends.

use prompty_check::definition::Definition;
use prompty_core::value::Map;
use prompty_core::{Error, ErrorKind};
use prompty_runtime::engine::Undefined;
use prompty_runtime::render::{Inputs, Pipeline, PipelineBuilder};

use super::shown;

/// The same prompt in different files: plain, with `\r\n`, with a byte order mark, with both.
fn saved(text: &str) -> [String; 4] {
    let windows = text.replace('\n', "\r\n");
    [text.to_owned(), windows.clone(), format!("\u{feff}{text}"), format!("\u{feff}{windows}")]
}

fn load(text: &str) -> Definition {
    Definition::from_text_with("p.prompty", text, &Default::default()).unwrap()
}

#[track_caller]
fn fails_at(text: &str, kind: ErrorKind, place: &str) {
    for text in saved(text) {
        let builder = Pipeline::builder(&load(&text)).with_undefined(Undefined::Error);
        let result = builder.build().and_then(|pipeline| pipeline.prepare([("n", 0)]));
        let error = result.expect_err(&text);
        assert_eq!(error.kind(), kind, "{text:?}: {error:?}");
        assert_eq!(error.place().map(ToString::to_string).as_deref(), Some(place), "{text:?}");
    }
}

#[test]
fn the_messages_are_the_same_for_every_line_end() {
    let text = "---\nname: x\n---\nsystem[id=7]:\nS\n\nuser:\na\n\n{{ q }}\n";
    for text in saved(text) {
        let messages = Pipeline::new(&load(&text)).unwrap().prepare([("q", "b\r\nc")]).unwrap();
        assert_eq!(shown(&messages), ["system: S", "user: a\n\nb\r\nc"], "{text:?}");
        assert_eq!(messages[0].metadata, Map::from([("id", 7)]));
    }
}

#[test]
fn an_inline_template_is_read_like_a_file() {
    for text in saved("system:\nS\nuser:\nhi\nthere\n") {
        let pipeline = PipelineBuilder::from_text("test", &text).build().unwrap();
        assert_eq!(shown(&pipeline.prepare(Map::new()).unwrap()), ["system: S", "user: hi\nthere"]);
    }
}

#[test]
fn syntax_errors_have_their_place_in_the_file() {
    let syntax = ErrorKind::TemplateSyntax;
    fails_at("---\nname: x\n---\nuser:\n  {{ a b }}", syntax, "p.prompty:5:8");
    fails_at("user:\né {% if x %}", syntax, "p.prompty:2:3");
    fails_at("---\nname: x\n---\n\nuser:\n{% frobnicate %}", syntax, "p.prompty:6:4");
    let mustache = "---\ntemplate: {format: {kind: mustache}, parser: {kind: prompty}}\n---\n";
    fails_at(&format!("{mustache}user:\n é{{{{#a}}}}"), syntax, "p.prompty:5:3");
}

#[test]
fn render_errors_have_their_place_in_the_file() {
    let undefined = ErrorKind::Undefined;
    fails_at("---\nname: x\n---\nuser:\nab\n  {{ nope }}", undefined, "p.prompty:6:6");
    // Instrumenting the template does not move the place.
    let template = "system[a={{ n }}]:\n{{ n ~ n }}{{- 'x' -}}\nuser:\n{{- n }}é{{ nope }}";
    fails_at(template, undefined, "p.prompty:4:13");
    fails_at(
        "user:\n{% raw %}\nuser:\n{% endraw %}{{ 1 / n }}",
        ErrorKind::Render,
        "p.prompty:4:16",
    );
    let mustache = "---\ntemplate: {format: {kind: mustache}, parser: {kind: prompty}}\n---\n";
    fails_at(&format!("{mustache}user:\n{{{{n}}}} {{{{nope}}}}"), undefined, "p.prompty:5:9");
}

#[test]
fn an_error_shows_its_place_and_its_help() {
    let error: Error = PipelineBuilder::from_text("greeting", "user:\n{{ name|uper }}")
        .build()
        .and_then(|pipeline| pipeline.prepare(Inputs::new()))
        .unwrap_err();
    let shown = format!("{error:#}");
    assert!(shown.contains("\n  --> greeting:2:"), "{shown}");
}
