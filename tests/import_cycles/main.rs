//! Checks that the files of a crate do not import each other in a cycle.
//!
//! Cargo prevents cycles between crates. If files of one crate form a cycle, none of them can be
//! read alone. Then move their shared code into a separate file.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a panic in a test is a failed test")]

mod cycles;
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
fn files_do_not_import_each_other_in_a_cycle() {
    let mut found = Vec::new();
    for name in crates() {
        let package = imports::read_package(&name);
        assert!(!package.files.is_empty(), "{name} has no files");
        let cycles = cycles::cycles(&package.edges());
        found.extend(cycles.iter().map(|cycle| format!("{name}: {}", cycle.join(", "))));
    }
    assert!(found.is_empty(), "cycles of files:\n{}", found.join("\n"));
}
