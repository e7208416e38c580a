//! Prints every message of the sources, grouped by the code or kind of its diagnostic or error:
//!
//!     cargo run --package message-list > messages.txt
//!
//! A message is a string literal with at least two words, outside of tests, attributes and panics.
//! Each line has the place in the source, the role (`help`, `label`, `note`, or nothing for the
//! message itself) and the text. Messages of functions that name no code are at the end.

mod find;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use find::Message;

#[expect(clippy::print_stdout, reason = "the list is for a terminal or a file")]
fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let mut messages: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in sources(&root)? {
        let shown = path.strip_prefix(&root)?.display();
        for Message { code, role, text, line } in find::messages(&fs::read_to_string(&path)?)? {
            let place = format!("{shown}:{line}");
            messages.entry(code).or_default().push(format!("{role}{text}    ({place})"));
        }
    }
    for (code, messages) in &messages {
        println!("\n{code}");
        for message in messages {
            println!("  {message}");
        }
    }
    let count: usize = messages.values().map(Vec::len).sum();
    println!("\n{count} messages");
    Ok(())
}

/// The source files of the crates that users depend on, without their tests.
fn sources(root: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut folders = vec![root.join("src")];
    for parent in [root.to_owned(), root.join("crates")] {
        for entry in fs::read_dir(parent)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with("prompty-") {
                folders.push(entry.path().join("src"));
            }
        }
    }
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let is_test = path.file_stem().is_some_and(|name| name == "tests");
            if path.is_dir() && !is_test {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") && !is_test {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}
