//! Compares the rules in the code with their descriptions in `skipped_cases.md`.
//!
//! The page has a section for each group of areas, and the heading names the areas. Each rule is an
//! item that begins with the name of the rule in bold.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::frame::{Report, Rule};

/// A section of the page.
struct Section {
    /// The line with the names of the areas.
    heading: String,
    /// The names of the rules.
    rules: Vec<String>,
}

impl Section {
    /// Whether the heading names an area.
    fn has_area(&self, area: &str) -> bool {
        self.heading.split('`').skip(1).step_by(2).any(|name| name == area)
    }

    fn has_rule(&self, name: &str) -> bool {
        self.rules.iter().any(|rule| rule == name)
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance")
}

/// The sections of the page.
fn sections() -> Vec<Section> {
    let page = std::fs::read_to_string(folder().join("skipped_cases.md")).unwrap();
    let mut sections: Vec<Section> = Vec::new();
    for line in page.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            sections.push(Section { heading: heading.to_owned(), rules: Vec::new() });
        }
        if let Some(rest) = line.strip_prefix("- **") {
            let (name, _) = rest.split_once("**").unwrap();
            sections.last_mut().unwrap().rules.push(name.to_owned());
        }
    }
    sections
}

/// The names of the rules in the source files.
fn rules_in_code() -> BTreeSet<String> {
    // In two parts, so that this file does not contain the text itself.
    let constructor = concat!("Rule::", "named(");
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        for rest in source.split(constructor).skip(1) {
            let literal = rest.trim_start().strip_prefix('"').and_then(|rest| rest.split_once('"'));
            let Some((name, _)) = literal else {
                panic!("{}: a rule's name is not a string literal", path.display());
            };
            assert!(!name.contains('\\'), "{}: `{name}` has an escape", path.display());
            names.insert(name.to_owned());
        }
    }
    names
}

/// Fails if a report names a rule that the page does not list for the area of the report.
pub(crate) fn check_areas(reports: &[Report]) {
    let sections = sections();
    for report in reports {
        for rule in report.rules().map(Rule::name) {
            let is_listed = sections
                .iter()
                .any(|section| section.has_area(report.name) && section.has_rule(rule));
            assert!(is_listed, "`skipped_cases.md` does not list `{rule}` for `{}`", report.name);
        }
    }
}

#[test]
fn page_lists_every_rule_and_no_other() {
    let in_code = rules_in_code();
    let on_page: BTreeSet<String> = sections().into_iter().flat_map(|it| it.rules).collect();
    let missing: Vec<_> = in_code.difference(&on_page).collect();
    assert!(missing.is_empty(), "`skipped_cases.md` lacks the rules {missing:#?}");
    let unused: Vec<_> = on_page.difference(&in_code).collect();
    assert!(unused.is_empty(), "no code uses the rules {unused:#?} of `skipped_cases.md`");
}
