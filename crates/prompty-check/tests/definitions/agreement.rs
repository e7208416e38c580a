//! All that reads the source of a prompt splits it in the same way: a text that is loaded, a file
//! that is loaded, a text that is inspected, and a text that is normalised before.

use std::fs;

use prompty_check::definition::{Definition, LoadOptions, inspect, migrate};
use prompty_core::diagnostic::{Severity, SourceText};
use proptest::prelude::*;

/// Pieces of lines from which a front matter can be made, with and without its delimiters.
const PIECES: &[&str] = &[
    "---",
    "-----",
    "--",
    "+++",
    "\u{2014}",
    "...",
    "\u{feff}",
    "\n",
    "\n",
    "\r\n",
    "\r",
    " ",
    "\t",
    "\u{a0}",
    "\u{2028}",
    "\u{85}",
    "name: x",
    "name: y",
    "description: |\n  z",
    "inputs: {}",
    "a",
    "#",
    ": ",
    "user:",
    "{{ q }}",
    "template: mustache",
];

fn options() -> LoadOptions {
    LoadOptions::new().without_environment().without_files()
}

/// The definition of a text; `None` if it is an error. Its source is not compared.
fn loaded(text: &str) -> Option<Definition> {
    Definition::from_text_with("t.prompty", text, &options()).ok()
}

/// The definition of an inspected text; `None` if it cannot be loaded.
fn inspected(text: &str) -> Option<Definition> {
    let inspection = inspect(SourceText::new("t.prompty", text), None);
    let is_wrong = inspection.diagnostics.iter().any(|it| it.severity == Severity::Error);
    inspection.definition.filter(|_| !is_wrong)
}

#[track_caller]
fn assert_agreement(text: &str) {
    let expected = loaded(text);
    let found = inspected(text);
    // A check may find more errors than loading, but never another split.
    if let Some(found) = &found {
        assert_eq!(expected.as_ref(), Some(found), "{text:?}");
    }
    if expected.is_none() {
        assert_eq!(found, None, "{text:?}");
    }
    let has_definition = inspect(SourceText::new("t.prompty", text), None).definition.is_some();
    assert!(has_definition || expected.is_none(), "only loaded: {text:?}");

    let normalised = SourceText::new("t.prompty", text).normalised();
    assert_eq!(loaded(normalised.text()), expected, "normalised: {text:?}");
    let windows = normalised.text().replace('\n', "\r\n");
    assert_eq!(loaded(&windows), expected, "line ends of Windows: {text:?}");
    assert_eq!(loaded(&format!("\u{feff}{text}")), expected, "byte order mark: {text:?}");
}

#[test]
fn a_front_matter_without_a_delimiter_is_an_error_for_each_reader() {
    for text in [
        "-----\nname: x\n-----\nuser:\nHi\n",
        "-----\nname: x\n---\nuser:\nHi\n",
        "\n\u{feff}---\nname: x\n---\nuser:\nHi\n",
        "\u{feff}\n\u{feff}name: x\n---\nuser:\nHi\n",
        "name: x\n---\nuser:\nHi\n",
    ] {
        let error = Definition::from_text(text).expect_err(text);
        assert!(error.to_string().contains("it does not begin with `---`"), "{error}");
        assert!(error.help().is_some_and(|it| it.contains("`---`")), "{error:?}");
        assert_eq!(inspected(text), None, "{text:?}");
        assert!(migrate(&SourceText::new("t", text), &options()).is_err(), "{text:?}");
    }
}

#[test]
fn the_byte_order_marks_and_line_ends_of_a_file_do_not_matter() {
    let folder = std::env::temp_dir().join(format!("split-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("t.prompty");
    let expected = loaded("---\nname: x\n---\n\nuser:\nHi\n").unwrap();
    for text in [
        "\u{feff}---\r\nname: x\r\n---\r\n\r\nuser:\r\nHi\r\n",
        "\u{feff}\u{feff}---\rname: x\r---\r\ruser:\rHi\r",
        "\u{feff}\r\n---\r\nname: x\r\n---\r\n\r\nuser:\r\nHi",
    ] {
        fs::write(&path, text).unwrap();
        let found = Definition::from_path(&path).unwrap();
        assert_eq!(found.name, expected.name, "{text:?}");
        assert_eq!(found.instructions, expected.instructions, "{text:?}");
    }
    fs::remove_dir_all(&folder).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn each_reader_splits_a_text_in_the_same_way(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..14),
    ) {
        assert_agreement(&pieces.concat());
    }
}
