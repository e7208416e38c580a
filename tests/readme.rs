//! What the README lists is what there is.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "in a test, a panic is a failure and what is printed is read"
)]

use std::fmt::Write;

use typed_prompty::check::Allowed;
use typed_prompty::diagnostic::Code;

/// The table of checks, from the codes themselves.
fn table() -> String {
    let mut table =
        String::from("| check | severity | can be allowed | what it finds |\n|---|---|---|---|\n");
    for code in Code::ALL.iter().copied() {
        let allowed = if Allowed::can_allow(code) { "yes" } else { "" };
        let (name, severity, summary) = (code.name(), code.severity(), code.summary().trim());
        writeln!(table, "| `{name}` | {severity} | {allowed} | {summary} |").unwrap();
    }
    table
}

/// With `UPDATE_README` set, the table is written in place of being compared.
#[test]
fn the_readme_lists_every_check_with_its_severity() {
    let (begin, end) = ("<!-- checks: begin -->\n", "<!-- checks: end -->");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let readme = std::fs::read_to_string(path).unwrap();
    let (before, rest) = readme.split_once(begin).unwrap();
    let (written, after) = rest.split_once(end).unwrap();
    if std::env::var_os("UPDATE_README").is_some() {
        std::fs::write(path, format!("{before}{begin}{}{end}{after}", table())).unwrap();
        return;
    }
    assert_eq!(written, table(), "run the test with UPDATE_README=1");
}
