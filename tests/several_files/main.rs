//! A template of several files gives the same text in compiled code, in our engine and in Jinja2.
//!
//! `prompts/*.jinja2.txt` is the output of Jinja2 for the files without front matter, with the
//! inputs below.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "in a test, a panic is a failure, and the output is for people"
)]

mod errors;
mod linear;
mod loading;

use typed_prompty::{Definition, Inputs, Pipeline, Prompt, Value, prompt};

prompt!(Included, "tests/several_files/prompts/includes.prompty");
prompt!(Extended, "tests/several_files/prompts/extends.prompty");
prompt!(Imported, "tests/several_files/prompts/imports.prompty");
prompt!(Trimmed, "tests/several_files/prompts/white_space.prompty");
prompt!(Based, "tests/several_files/prompts/faithfulness.prompty");

const QUESTION: &str = "Why?\nuser:\nno marker";

fn inputs() -> Inputs {
    let json = r#"{
        "question": "Why?\nuser:\nno marker",
        "passages": [{"title": "One", "source": "a.md"}, {"title": "Two"}],
        "items": ["a & b", "c"],
        "who": "Ada",
        "answer": "42"
    }"#;
    match Value::from_json(json).unwrap() {
        Value::Object(inputs) => Inputs::from(inputs),
        _ => panic!("expected an object"),
    }
}

/// Checks the text of the pipeline against the output of Jinja2, the messages of the compiled
/// prompt against those of the pipeline, and the reason why the prompt needs the engine.
fn check(name: &str, prompt: &impl Prompt, engine_because: Option<&str>) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/several_files/prompts");
    let expected = std::fs::read_to_string(format!("{folder}/{name}.jinja2.txt")).unwrap();
    let definition = Definition::from_path(format!("{folder}/{name}.prompty")).unwrap();
    let pipeline = Pipeline::new(&definition).unwrap();
    assert_eq!(pipeline.render(inputs()).unwrap().plain_text(), expected);
    let dynamic = pipeline.prepare(inputs()).unwrap();
    assert_eq!(prompt.messages().unwrap(), dynamic);
    assert_eq!(engine_because_of(prompt), engine_because);
}

fn engine_because_of<P: Prompt>(_: &P) -> Option<&'static str> {
    P::DEFINITION.engine_because
}

#[test]
fn included_files_are_compiled_with_the_prompt() {
    let passages = [
        IncludedPassagesItem { title: "One", source: Some("a.md") },
        IncludedPassagesItem { title: "Two", source: None },
    ];
    check("includes", &Included::new(QUESTION, &passages), None);
}

#[test]
fn blocks_replace_those_of_the_extended_files() {
    check("extends", &Extended::new(&["a & b", "c"], "Ada"), None);
}

#[test]
fn imported_macros_are_those_of_their_file() {
    check("imports", &Imported::new("Ada", &["a & b", "c"]), Some("a macro"));
}

#[test]
fn block_tags_remove_white_space_as_the_options_say() {
    check("white_space", &Trimmed::new(&["a & b", "c"], "Ada"), None);
}

#[test]
fn only_the_template_of_an_extended_prompt_is_used() {
    check("faithfulness", &Based::new("42"), None);
}
