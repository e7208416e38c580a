//! Lines that a loop writes as if they were role markers, such as `{{ m.role }}:`: almost a thread.

use std::collections::{HashMap, HashSet};

use crate::template::Language;
use prompty_core::diagnostic::Span;
use prompty_core::jinja::role_loops::{loops_of, role_lines};
use prompty_core::jinja::tree::Template;
use prompty_core::text::slice;

/// The lines of a template that a loop writes as if they were role markers.
#[derive(Debug, Default)]
pub(super) struct RoleLines {
    /// What is looped over, by the place of the printed role; nothing in a macro.
    lists: HashMap<Span, Option<Span>>,
    /// What is looped over to write such lines.
    looped: HashSet<Span>,
    /// Where the lists stand over which a loop of exactly the form of a thread goes, and whether the list
    /// is used for nothing else.
    exact: HashMap<usize, bool>,
    is_jinja: bool,
    /// What the author loops over in exactly that form, whether or not it is read as a thread.
    written: HashSet<Span>,
}

impl RoleLines {
    /// `written` is the text of the author, and `text` the one that the tree was read from.
    pub(super) fn new(written: &str, text: &str, tree: &Template, language: &dyn Language) -> Self {
        let lines = role_lines(tree);
        let loops = |text| if language.is_jinja() { loops_of(text) } else { Vec::new() };
        let exact = if lines.is_empty() { Vec::new() } else { loops(text) };
        Self {
            looped: lines.iter().filter_map(|line| line.list).collect(),
            lists: lines.into_iter().map(|line| (line.span, line.list)).collect(),
            exact: exact.into_iter().map(|it| (it.input.span.start, it.is_only_use)).collect(),
            is_jinja: language.is_jinja(),
            written: loops(written).into_iter().map(|it| it.input.span).collect(),
        }
    }

    /// Whether a role is printed at a place, in such a line.
    pub(super) fn has(&self, role: Span) -> bool {
        self.lists.contains_key(&role)
    }

    /// Whether a loop over what stands at a place writes lines like role markers.
    pub(super) fn are_written_for(&self, list: Span) -> bool {
        self.looped.contains(&list)
    }

    /// Whether the author loops over what stands at a place, in exactly the form of a thread.
    pub(super) fn is_thread(&self, place: Span) -> bool {
        self.written.contains(&place)
    }

    /// The cure for a role that a loop prints at a place of the text; nothing outside of loops.
    pub(super) fn cure(
        &self,
        role: Span,
        text: &str,
        is_thread: impl Fn(&str) -> bool,
    ) -> Option<Vec<String>> {
        let list = (*self.lists.get(&role)?)?;
        let written = slice(text, list.start..list.end);
        let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
        let name = written.split(|character| !is_part(character)).next().unwrap_or_default();
        let mut help = vec![match is_thread(name) {
            true => format!("write `{{{{ {name} }}}}` on a line of its own: it is a thread"),
            false => format!(
                "make `{name}` a thread (`kind: thread`, in Rust `&[Message]`), and write \
                 `{{{{ {name} }}}}` on a line of its own"
            ),
        }];
        if !self.is_jinja {
            return Some(help);
        }
        match self.exact.get(&list.start) {
            Some(true) => {}
            Some(false) => help.push(format!(
                "a thread can be written and asked for; what is also used as a list, as `{name}` is, \
                 comes in as another input"
            )),
            None if written != name => help.push(
                "a thread is written whole: choose its messages before they become an input".to_owned(),
            ),
            None => {
                help.push(format!(
                    "a loop says the same if it holds nothing else: `{{% for m in {name} %}}`, and on \
                     lines of their own `{{{{ m.role }}}}:`, `{{{{ m.content }}}}` and `{{% endfor %}}`"
                ));
                help.push(
                    "for a transcript, which is text, write role and content on one line".to_owned(),
                );
            }
        }
        Some(help)
    }
}
