//! Lines that a template writes as if they were role markers, such as `{{ m.role }}:`: almost a thread.

use std::collections::{HashMap, HashSet};

use super::signature::Signature;
use crate::definition::Input;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::message::RichKind;
use prompty_template::Language;
use prompty_template::jinja::role_lines::{RoleLine, RolePlace, RoleWriter, role_lines};
use prompty_template::jinja::role_loops::{DeclaredAs, RoleLoop, role_loops};
use prompty_template::tree::Template;

/// The loops of a template that are threads, and the lines that are almost such.
#[derive(Debug, Default)]
pub(super) struct RoleLines {
    /// The lines by their places, of each loop the first.
    lines: Vec<RoleLine>,
    /// What is looped over to write such lines.
    looped: HashSet<TemplateSpan>,
    /// What the author loops over in exactly the form of a thread, whether or not it is read as one, by where
    /// its name begins; and whether it is used for nothing else.
    exact: HashMap<usize, bool>,
    has_thread_loops: bool,
}

/// The loops of the author's text in the form of threads, where lines are role markers.
pub(super) fn loops(
    written: &str,
    tree: &Template,
    language: &dyn Language,
    signature: &Signature,
) -> Vec<RoleLoop> {
    match language.has_thread_loops() && !signature.has_other_parser {
        true => role_loops(written, tree),
        false => Vec::new(),
    }
}

/// Those of the loops that are read as threads. A loop over what is no input is, too, so that nothing is said
/// but that.
pub(super) fn threads(loops: &[RoleLoop], signature: &Signature) -> Vec<RoleLoop> {
    let inputs = by_name(signature);
    let declared = |name: &str| match inputs.get(name) {
        Some(input) if input.value_type.rich() == Some(RichKind::Thread) => DeclaredAs::Thread,
        // What can become a thread is declared as one when it is loaded; other lists hold other things.
        Some(_) => DeclaredAs::Other,
        None if signature.open => DeclaredAs::Nothing,
        None => DeclaredAs::Thread,
    };
    let is_thread = |found: &&RoleLoop| found.is_thread(declared(&found.input.text));
    loops.iter().filter(is_thread).cloned().collect()
}

fn by_name(signature: &Signature) -> HashMap<&str, &Input> {
    signature.inputs.iter().map(|input| (&*input.name, input)).collect()
}

impl RoleLines {
    /// `loops` are those of the author's text, and `text` is the one that the tree was read from.
    pub(super) fn new(
        loops: &[RoleLoop],
        text: &str,
        tree: &Template,
        language: &dyn Language,
        signature: &Signature,
    ) -> Self {
        let has_thread_loops = language.has_thread_loops();
        let exact = loops.iter().map(|found| (found.input.span.start, found.is_only_use)).collect();
        if signature.has_other_parser {
            return Self { exact, has_thread_loops, ..Self::default() };
        }
        let inputs = signature.inputs.iter();
        let parts_with_roles: HashMap<&str, Vec<String>> =
            inputs.map(|input| (&*input.name, input.parts_with_roles())).collect();
        let holds_roles = |list: &str, part: &str| {
            parts_with_roles.get(list).is_some_and(|parts| parts.iter().any(|name| name == part))
        };
        let mut lines = role_lines(text, tree, &holds_roles);
        let mut looped = HashSet::new();
        lines.retain(|line| match line.place {
            RolePlace::Loop(list) => looped.insert(list),
            _ => true,
        });
        Self { lines, looped, exact, has_thread_loops }
    }

    /// The role line that begins in a line of the text.
    pub(super) fn in_line(&self, line: TemplateSpan) -> Option<&RoleLine> {
        let next = self.lines.partition_point(|found| found.span.start < line.start);
        self.lines.get(next).filter(|found| found.span.start < line.end)
    }

    /// Whether a loop over what stands at a place writes lines like role markers.
    pub(super) fn are_written_for(&self, list: TemplateSpan) -> bool {
        self.looped.contains(&list)
    }

    /// Whether the author loops over what stands at a place, in exactly the form of a thread.
    pub(super) fn is_thread(&self, place: TemplateSpan) -> bool {
        self.exact.contains_key(&place.start)
    }

    /// The cure for a line of a loop; nothing where no input is looped over.
    pub(super) fn cure(
        &self,
        line: &RoleLine,
        text: &str,
        signature: &Signature,
    ) -> Option<Vec<String>> {
        let RolePlace::Loop(list) = line.place else { return None };
        let name = line.list.as_deref()?;
        let input = signature.inputs.iter().find(|input| input.name == name);
        let mut help = vec![match input {
            Some(input) if input.value_type.rich() == Some(RichKind::Thread) => {
                format!("write `{{{{ {name} }}}}` on a line of its own: it is a thread")
            }
            None if !signature.open => return None,
            _ => format!(
                "make `{name}` a thread (`kind: thread`, in Rust `&[Message]`), and write \
                 `{{{{ {name} }}}}` on a line of its own"
            ),
        }];
        if line.prints_other_part(text) {
            help.push("each message of a thread has `role` and `content`: name its parts so where it is made".to_owned());
        }
        if !self.has_thread_loops {
            return Some(help);
        }
        match self.exact.get(&list.start) {
            Some(true) => {}
            Some(false) => help.push(format!(
                "a thread can be written and asked for; what is also used as a list, as `{name}` is, \
                 comes in as another input"
            )),
            None if list.text_in(text).is_none_or(|written| written != name) => help.push(
                "a thread is written whole: choose its messages before they become an input".to_owned(),
            ),
            None => {
                help.push(format!(
                    "a loop says the same if it holds nothing else: `{{% for m in {name} %}}`, and on \
                     lines of their own `{{{{ m.role }}}}:`, `{{{{ m.content }}}}` and `{{% endfor %}}`"
                ));
                if line.writer == RoleWriter::Value {
                    help.push(
                        "for a transcript, which is text, write role and content on one line".to_owned(),
                    );
                }
            }
        }
        Some(help)
    }
}
