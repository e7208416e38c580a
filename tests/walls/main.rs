//! The walls of the house: which room may import which, and no circles between the files of a room.
//!
//! `DESIGN.md` has the same table with the reasons. What is found here is a fault of the code or of
//! the table: move what is shared to a room above, or say in the table why not.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a panic in a test is a failed test")]

mod circles;
mod imports;

use std::collections::BTreeMap;

use imports::Package;

/// The rooms of a package in levels: a room imports from the levels above its own, and from no other
/// room of its own level.
struct Table {
    package: &'static str,
    levels: &'static [&'static [&'static str]],
}

const TABLES: [Table; 3] = [
    Table {
        package: "prompty-core",
        levels: &[
            &["text", "work"],
            &["diagnostic", "files", "regular_expression"],
            &["error"],
            &["value"],
            &["arguments_error", "trace", "whole_numbers"],
            &["message", "schema"],
            &["template"],
            &["jinja"],
            &["handlebars", "mustache"],
        ],
    },
    Table {
        package: "prompty-runtime",
        levels: &[
            &["nonce", "definition", "slots"],
            &["template"],
            &["check", "parse"],
            &["registry"],
            &["render"],
            &["typed"],
        ],
    },
    Table {
        package: "crates/prompty-output",
        levels: &[&["per_type"], &["type_schema"], &["output", "tools"]],
    },
];

/// Which of our packages each may depend on.
const PACKAGES: [(&str, &[&str]); 7] = [
    ("prompty-core", &[]),
    ("prompty-runtime", &["prompty_core"]),
    ("crates/prompty-output", &["prompty_core"]),
    ("crates/prompty-reply", &["prompty_core", "prompty_output"]),
    ("crates/prompty-chat", &["prompty_core", "prompty_output", "prompty_reply"]),
    ("crates/prompty-wire", &["prompty_core", "prompty_output", "prompty_reply"]),
    (
        "crates/prompty-expand",
        &["prompty_chat", "prompty_core", "prompty_reply", "prompty_runtime"],
    ),
];

/// A circle of files that has a reason.
struct Circle {
    package: &'static str,
    files: &'static [&'static str],
    reason: &'static str,
}

const CIRCLES_WITH_A_REASON: [Circle; 1] = [Circle {
    package: "prompty-core",
    files: &["diagnostic::pieces", "diagnostic::source"],
    reason: "a source that was put together holds its pieces, and each piece the source it is of",
}];

#[test]
fn packages_import_only_what_stands_below_them() {
    for (name, allowed) in PACKAGES {
        let package = imports::package(name);
        for file in &package.files {
            for import in &file.packages {
                let is_allowed = allowed.contains(&import.as_str());
                assert!(is_allowed, "{name}: `{}` imports {import}", file.path);
            }
        }
    }
}

#[test]
fn rooms_import_only_from_the_levels_above_them() {
    for table in TABLES {
        let package = imports::package(table.package);
        let levels: BTreeMap<&str, usize> = (table.levels.iter().enumerate())
            .flat_map(|(level, rooms)| rooms.iter().map(move |room| (*room, level)))
            .collect();
        let mut upward = Vec::new();
        for (from, to) in package.edges() {
            let (room, imported) = (room(&from), room(&to));
            if room.is_empty() || imported.is_empty() || room == imported {
                continue;
            }
            let level = |room: &str| match levels.get(room) {
                Some(level) => *level,
                None => panic!("{}: the room `{room}` is not in the table", table.package),
            };
            if level(imported) >= level(room) {
                upward.push(format!("`{from}` imports `{to}`"));
            }
        }
        assert!(upward.is_empty(), "{}: {}", table.package, upward.join("\n"));
    }
}

#[test]
fn files_import_in_no_circle_without_a_reason() {
    for (name, _) in PACKAGES {
        let package = imports::package(name);
        let found = circles::circles(&package.edges());
        let unexplained: Vec<String> = found
            .iter()
            .filter(|circle| !has_reason(package, circle))
            .map(|circle| show(circle))
            .collect();
        assert!(unexplained.is_empty(), "{name}:\n{}", unexplained.join("\n"));
    }
}

#[test]
fn every_reason_for_a_circle_is_still_needed() {
    for Circle { package, files, reason } in CIRCLES_WITH_A_REASON {
        let found = circles::circles(&imports::package(package).edges());
        assert!(found.iter().any(|circle| circle == files), "{package}: not needed: {reason}");
    }
}

fn has_reason(package: &Package, circle: &[String]) -> bool {
    CIRCLES_WITH_A_REASON.iter().any(|it| it.package == package.name && it.files == circle)
}

fn show(circle: &[String]) -> String {
    format!("a circle of {}: {}", circle.len(), circle.join(", "))
}

/// The first part of a module's path: the room that it stands in.
fn room(module: &str) -> &str {
    module.split("::").next().unwrap_or(module)
}
