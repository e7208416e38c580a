//! Lines that a loop writes as if they were role markers, such as `{{ m.role }}:`: almost a thread.

use std::collections::{HashMap, HashSet};

use super::checker::Checker;
use super::format::Format;
use super::types::{Rich, Type, Value};
use prompty_core::diagnostic::{Diagnostic, Span};
use prompty_core::jinja::role_loops::{loops_of, role_lines};
use prompty_core::jinja::tree::Template;
use prompty_core::text::slice;

/// The lines of a template that a loop writes as if they were role markers.
#[derive(Debug, Default)]
pub(super) struct RoleLines {
    /// What is looped over, by the place of the printed role.
    lists: HashMap<Span, Span>,
    /// What is looped over to write such lines.
    looped: HashSet<Span>,
    /// What is looped over in exactly the form of a thread, and whether it is used for nothing else.
    exact: HashMap<Span, bool>,
}

impl RoleLines {
    pub(super) fn new(text: &str, tree: &Template, format: Format) -> Self {
        let lines = role_lines(tree);
        if lines.is_empty() {
            return Self::default();
        }
        let exact = if format == Format::Jinja2 { loops_of(text) } else { Vec::new() };
        Self {
            looped: lines.iter().map(|line| line.list).collect(),
            lists: lines.into_iter().map(|line| (line.span, line.list)).collect(),
            exact: exact.into_iter().map(|it| (it.input.span, it.is_only_use)).collect(),
        }
    }
}

impl Checker<'_> {
    /// Whether what is looped over is a thread whose messages the loop writes in another form than the one
    /// that is known. The line of the role tells of it.
    pub(super) fn is_told_with_role_line(&self, iterable: &Value, place: Span) -> bool {
        matches!(iterable.kind, Type::Rich(Rich::Thread)) && self.role_lines.looped.contains(&place)
    }

    /// The cure for a role that a loop prints at a place; nothing outside of loops.
    pub(super) fn help_for_role_line(&self, finding: Diagnostic, role: Span) -> Option<Diagnostic> {
        let list = *self.role_lines.lists.get(&role)?;
        let written = slice(self.text, list.start..list.end);
        let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
        let name = written.split(|character| !is_part(character)).next().unwrap_or_default();
        let finding = finding.help(format!(
            "make `{name}` a thread (`kind: thread`, in Rust `&[Message]`), and write \
             `{{{{ {name} }}}}` on a line of its own"
        ));
        Some(match (self.role_lines.exact.get(&list), self.format) {
            (Some(true), _) | (None, Format::Mustache) => finding,
            (Some(false), _) => finding.help(format!(
                "a thread can be written and asked for; what is also used as a list, as `{name}` is, \
                 comes in as another input"
            )),
            (None, Format::Jinja2) => finding
                .help(format!(
                    "a loop says the same if it holds nothing else: `{{% for m in {name} %}}`, and on \
                     lines of their own `{{{{ m.role }}}}:`, `{{{{ m.content }}}}` and `{{% endfor %}}`"
                ))
                .help("for a transcript, which is text, write role and content on one line"),
        })
    }
}
