//! The files of a crate import each other in no circle.
//!
//! Cargo keeps the order of the crates. Within a crate, a circle of files means that none of them can
//! be read alone: move what they share into a file of its own.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a panic in a test is a failed test")]

mod circles;
mod imports;

use std::fs;
use std::path::Path;

/// The folders of our crates, relative to the workspace.
fn crates() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let inner = fs::read_dir(root.join("crates")).unwrap();
    let inner = inner.map(|entry| format!("crates/{}", entry.unwrap().file_name().display()));
    let mut crates: Vec<String> = inner.collect();
    crates.extend(["prompty-core", "prompty-macros", "prompty-runtime"].map(str::to_owned));
    crates.sort();
    crates
}

#[test]
fn files_import_in_no_circle() {
    let mut found = Vec::new();
    for name in crates() {
        let package = imports::read_package(&name);
        assert!(!package.files.is_empty(), "{name} has no files");
        let circles = circles::circles(&package.edges());
        found.extend(circles.iter().map(|circle| format!("{name}: {}", circle.join(", "))));
    }
    assert!(found.is_empty(), "circles of files:\n{}", found.join("\n"));
}
