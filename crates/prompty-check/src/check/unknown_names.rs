//! Reports unknown filters and tests, with help.

use super::checker::{Checker, listed};
use prompty_core::diagnostic::{Code, Diagnostic};
use prompty_template::builtins;
use prompty_template::tree::Name;

impl Checker<'_> {
    /// Reports an unknown filter. The help is about a filter of another engine, or it is a similar
    /// name, or a list.
    pub(super) fn report_unknown_filter(&mut self, name: &Name) {
        // `trusted` marks external text as an instruction, so it is never suggested for a typo.
        let mut names: Vec<&str> = builtins::FILTERS
            .iter()
            .map(|filter| filter.name)
            .filter(|name| *name != "trusted")
            .collect();
        names.extend(self.extensions.filters.iter().map(String::as_str));
        let wrong = name.text.as_str();
        let unknown = || Diagnostic::new(Code::UnknownFilter, format!("unknown filter `{wrong}`"));
        let diagnostic = match (help_for_foreign_filter(wrong), self.similar(wrong, &names)) {
            (Some(help), _) => unknown().with_help(help),
            (None, Some(_)) => self.unknown_finding(Code::UnknownFilter, "filter", wrong, &names),
            (None, None) => {
                let list = format!("available filters: {}", listed(&names));
                unknown().with_help(list).with_help(own_filter_help(wrong))
            }
        };
        self.report(diagnostic.with_label("no such filter"), name.span);
    }

    /// Reports an unknown test.
    pub(super) fn report_unknown_test(&mut self, name: &Name) {
        let mut names: Vec<&str> = builtins::TESTS
            .iter()
            .map(|test| test.name)
            .filter(|name| name.starts_with(|first: char| first.is_ascii_alphabetic()))
            .collect();
        names.extend(self.extensions.tests.iter().map(String::as_str));
        let diagnostic = match name.text.as_str() {
            "empty" => Diagnostic::new(Code::UnknownTest, "unknown test `empty`")
                .with_help("an empty value is false: write `{% if not value %}`"),
            "null" => {
                Diagnostic::new(Code::UnknownTest, "unknown test `null`").with_help("write `none`")
            }
            wrong => self.unknown_finding(Code::UnknownTest, "test", wrong, &names),
        };
        self.report(diagnostic.with_label("no such test"), name.span);
    }
}

/// The help that explains how to register a filter.
fn own_filter_help(name: &str) -> String {
    format!(
        "register your own filter with `Registry::new().with_filter(\"{name}\", ...)`; a typed prompt \
         lists it in `#[prompt(registry = ..., filters({name}))]`"
    )
}

/// The help for a filter of another engine: its name here, or what to write instead.
fn help_for_foreign_filter(name: &str) -> Option<&'static str> {
    Some(match name {
        "safe" | "escape" | "e" | "forceescape" => {
            "remove it: prompts are plain text, and nothing is escaped"
        }
        "uppercase" | "upcase" => "write `upper`",
        "lowercase" | "downcase" => "write `lower`",
        "strip" => "write `trim`",
        "size" | "len" => "write `length`",
        "json" | "to_json" | "dump" => "write `tojson`",
        "keys" => "loop over the map to get its keys",
        "values" => "loop over the entries: `{% for key, value in map | items %}`",
        "attr" => "write `value[name]`",
        "wordcount" => "write `value | split | length`",
        _ => return None,
    })
}
