//! A chat template that is analysed at compile time gives the same result as one that is analysed
//! at run time.
//!
//! Our own templates are embedded in this test. Those of the reference cases are embedded in a
//! separate program, which reads every reply of the cases in both ways.
//!
//! `cargo test --test models embedded -- --nocapture`
#![cfg(feature = "local")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "in a test, a panic is a failure, and the output is for people"
)]

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use packages::Package;
use typed_prompty::chat::{ChatTemplates, PromptOptions};
use typed_prompty::chat_template;
use typed_prompty::message::Message;
use typed_prompty::reply::ReplyOptions;
use typed_prompty::reply::format::ReplyFormat;

chat_template!(Local, "prompts/chat_template.jinja");

/// Embeds templates, and returns their paths and formats.
macro_rules! embedded {
    ($($path:literal),* $(,)?) => {
        vec![$({
            chat_template!(Embedded, $path);
            ($path, Embedded::FORMAT)
        }),*]
    };
}

/// The templates of the analysis tests. They have all kinds of formats.
fn own_templates() -> Vec<(&'static str, ReplyFormat)> {
    embedded![
        "crates/prompty-chat/tests/chat/analysis/templates/delimiter.jinja",
        "crates/prompty-chat/tests/chat/analysis/templates/headers.jinja",
        "crates/prompty-chat/tests/chat/analysis/templates/id_after_arguments.jinja",
        "crates/prompty-chat/tests/chat/analysis/templates/id_before_name.jinja",
        "crates/prompty-chat/tests/chat/analysis/templates/json_key.jinja",
        "crates/prompty-chat/tests/chat/analysis/templates/json_list.jinja",
        "crates/prompty-chat/tests/chat/analysis/templates/json_nested.jinja",
        "crates/prompty-chat/tests/chat/analysis/templates/json_sequence.jinja",
        "crates/prompty-chat/tests/chat/analysis/templates/literal.jinja",
        "crates/prompty-chat/tests/chat/analysis/templates/literal_token.jinja",
        "crates/prompty-chat/tests/chat/analysis/templates/named_id.jinja",
        "crates/prompty-chat/tests/chat/analysis/templates/named_only_id.jinja",
        "crates/prompty-chat/tests/chat/analysis/templates/nested.jinja",
        "crates/prompty-chat/tests/chat/analysis/templates/plain.jinja",
        "crates/prompty-chat/tests/chat/analysis/templates/recipients.jinja",
        "crates/prompty-chat/tests/chat/analysis/templates/single_tagged.jinja",
        "crates/prompty-chat/tests/chat/analysis/templates/tagged.jinja",
        "crates/prompty-chat/tests/chat/analysis/templates/tagged_types.jinja",
        "crates/prompty-chat/tests/chat/analysis/templates/instructed.jinja",
    ]
}

#[test]
fn the_format_constant_is_the_result_of_the_analysis() {
    let embedded = own_templates();
    let folder = Path::new(embedded[0].0).parent().unwrap();
    assert_eq!(embedded.len(), fs::read_dir(folder).unwrap().count(), "a template is not embedded");
    for (path, format) in embedded {
        let templates = ChatTemplates::from_path(path).unwrap();
        let found = templates.choose(None, true).unwrap().analyze().unwrap();
        assert_eq!(&format, found.format(), "{path}");
    }
}

#[test]
fn a_parser_starts_in_the_state_at_the_end_of_the_prompt() {
    let options = ReplyOptions::default();
    let parser_after = |end: &str| {
        let prompt = format!("<|turn|>user\nHi<|end|>\n<|turn|>assistant\n{end}");
        Local::parser_for_prompt(&prompt, &[], &options)
    };
    assert!(parser_after("<muse>\n").starts_in_reasoning());
    assert!(!parser_after("<muse>\n\n</muse>\n\n").starts_in_reasoning());
    let reply = Local::parser().parse("<muse>\nEasy.\n</muse>\n\n42<|end|>");
    assert_eq!((reply.reasoning(), reply.content()), ("Easy.", "42"));
}

#[test]
fn an_embedded_template_is_applied_like_one_loaded_at_run_time() {
    let templates = ChatTemplates::from_path("prompts/chat_template.jinja").unwrap();
    let loaded = templates.choose(None, true).unwrap();
    let messages = [Message::system("Be brief."), Message::user("6 times 7?")];
    let apply = |template: &typed_prompty::chat::ChatTemplate| {
        let turn = template.apply(&messages, &[], &PromptOptions::new()).unwrap();
        let reply = turn.parser.parse("Easy.\n</muse>\n\n42");
        (turn.prompt, turn.generation_prompt, turn.stops, turn.preserved_tokens, reply)
    };
    assert_eq!(apply(Local::template()), apply(loaded));
    assert_eq!(Local::STOPS, loaded.stops().unwrap());
    assert!(
        std::ptr::eq(Local::template(), Local::template()),
        "the template is compiled more than once"
    );
}

#[test]
fn embedded_reference_templates_parse_replies_like_loaded_ones() {
    let Some(folder) = env::var_os("PROMPTY_CONFORMANCE") else {
        println!("PROMPTY_CONFORMANCE is not set: no reference template was embedded");
        return;
    };
    let folder = Path::new(&folder).join("chat-templates").canonicalize().unwrap();
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let mut cargo = write_program(scratch, &folder).cargo("run");
    let output = cargo.arg("--").arg(&folder).output().unwrap();
    println!("{}", String::from_utf8_lossy(&output.stdout));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
}

/// Writes the program that contains the templates of a folder.
fn write_program(scratch: &Path, cases: &Path) -> Package {
    let package = Package::new(scratch, "embedded");
    let root = packages::workspace();
    let manifest = format!(
        "[package]\nname = \"embedded\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\
         [dependencies]\ntyped-prompty = {{ path = {root:?}, features = [{}] }}\n[workspace]\n",
        packages::ALL_FEATURES
    );
    package.write("Cargo.toml", manifest);
    package.write("src/main.rs", fs::read(root.join("tests/fixtures/embedded/main.rs")).unwrap());
    package.write("src/templates.rs", code(cases, &package.folder().join("src")));
    package
}

/// The code that embeds each template whose format is known. The templates stay in their folder;
/// the source file contains paths to them.
fn code(cases: &Path, source_folder: &Path) -> String {
    let source_folder = source_folder.canonicalize().unwrap();
    let upwards = "../".repeat(source_folder.components().count() - 1);
    let entries = fs::read_dir(cases.join("templates")).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let (mut items, mut list, mut skipped) = (String::new(), String::new(), 0);
    for (number, path) in paths.iter().enumerate() {
        let templates = ChatTemplates::from_path(path).unwrap();
        if let Err(error) = templates.choose(None, true).unwrap().format() {
            println!("not embedded: {}: {error}", path.display());
            skipped += 1;
            continue;
        }
        let relative = format!("{upwards}{}", path.strip_prefix("/").unwrap().display());
        writeln!(items, "chat_template!(T{number}, {relative:?});").unwrap();
        let name = path.file_name().unwrap();
        writeln!(
            list,
            "Embedded {{ name: {name:?}, format: T{number}::FORMAT, stops: T{number}::STOPS, \
             preserved_tokens: T{number}::PRESERVED_TOKENS, \
             parser_for_prompt: T{number}::parser_for_prompt, \
             template: T{number}::template }},"
        )
        .unwrap();
    }
    println!("reference templates: {}, without a known format: {skipped}", paths.len());
    format!(
        "use typed_prompty::chat_template;\nuse crate::Embedded;\n{items}\n\
         pub fn all() -> Vec<Embedded> {{\n    vec![\n{list}    ]\n}}\n"
    )
}
