//! Lines such as `{{ m.role }}:` that a template writes in the form of role markers. They do not
//! open messages, because a printed value is always text. But a loop of exactly this form is read
//! as a thread:
//!
//! ```text
//! {% for m in history %}
//! {{ m.role }}:
//! {{ m.content }}
//! {% endfor %}
//! ```

use std::collections::{HashMap, HashSet};

use super::signature::Signature;
use crate::definition::Input;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::message::RichKind;
use prompty_template::Language;
use prompty_template::jinja::role_lines::{RoleLine, RolePlace, RoleWriter, role_lines};
use prompty_template::jinja::role_loops::{
    FIELD_NAMES_HELP, LoopInput, RoleLoop, TRANSCRIPT_HELP, role_loops, thread_help,
};
use prompty_template::tree::Template;

/// The lines such as `{{ m.role }}:` that a template prints in the form of role markers, and the
/// loops that print them. None of these lines opens a message.
#[derive(Debug, Default)]
pub(super) struct PrintedRoleLines {
    /// The lines, sorted by place; only the first of each loop.
    lines: Vec<RoleLine>,
    /// The lists of the loops that write such lines.
    looped: HashSet<TemplateSpan>,
    /// Lists of loops that have exactly the form of a thread, whether or not they are read as one.
    /// The key is the start of the list's name, and the value is whether this is its only use.
    exact: HashMap<usize, bool>,
    /// Whether loops of the template's language may be threads.
    has_thread_loops: bool,
}

/// The loops that have the form of a thread, if lines are role markers in this template.
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

/// The loops that are read as threads. A loop over an unknown name is included, so that only the
/// unknown name is reported.
pub(super) fn threads(loops: &[RoleLoop], signature: &Signature) -> Vec<RoleLoop> {
    let inputs = by_name(signature);
    let kind_of_input = |name: &str| match inputs.get(name) {
        Some(input) if input.value_type.rich() == Some(RichKind::Thread) => LoopInput::Thread,
        // Loading declares lists as threads if possible. All other lists are not threads.
        Some(_) => LoopInput::Other,
        None if signature.open => LoopInput::Undeclared,
        None => LoopInput::Thread,
    };
    let is_thread = |found: &&RoleLoop| found.is_thread(kind_of_input(&found.input.text));
    loops.iter().filter(is_thread).cloned().collect()
}

fn by_name(signature: &Signature) -> HashMap<&str, &Input> {
    signature.inputs.iter().map(|input| (&*input.name, input)).collect()
}

impl PrintedRoleLines {
    /// `loops` come from the author's text, and `text` is the text that the tree was parsed from.
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

    /// The first role line that begins on a line of the text.
    pub(super) fn in_line(&self, line: TemplateSpan) -> Option<&RoleLine> {
        let next = self.lines.partition_point(|found| found.span.start < line.start);
        self.lines.get(next).filter(|found| found.span.start < line.end)
    }

    /// Whether a loop over the list at a place writes lines in the form of role markers.
    pub(super) fn has_lines_of_loop(&self, list: TemplateSpan) -> bool {
        self.looped.contains(&list)
    }

    /// Whether the loop over the list at a place has exactly the form of a thread.
    pub(super) fn is_thread(&self, place: TemplateSpan) -> bool {
        self.exact.contains_key(&place.start)
    }

    /// The help for a line of a loop; `None` if the loop is not over an input.
    pub(super) fn fix_help(
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
                format!("write `{{{{ {name} }}}}` on its own line: it is a thread")
            }
            None if !signature.open => return None,
            _ => thread_help(Some(name)),
        }];
        if line.prints_other_part(text) {
            help.push(FIELD_NAMES_HELP.to_owned());
        }
        if self.has_thread_loops {
            help.extend(self.help_for_form(line, name, list, text));
        }
        Some(help)
    }

    /// The help for a loop over the list at a place, which is not read as a thread.
    fn help_for_form(
        &self,
        line: &RoleLine,
        name: &str,
        list: TemplateSpan,
        text: &str,
    ) -> Vec<String> {
        let form = format!(
            "or write exactly this loop: `{{% for m in {name} %}}`, and on separate lines \
             `{{{{ m.role }}}}:`, `{{{{ m.content }}}}` and `{{% endfor %}}`"
        );
        match self.exact.get(&list.start) {
            // The declaration alone makes the loop a thread.
            Some(true) => Vec::new(),
            Some(false) => {
                vec![format!("`{name}` is also used as a list: pass that list as another input")]
            }
            // `{% for m in history[1:] %}`
            None if list.text_in(text).is_none_or(|written| written != name) => vec![
                "a thread is always printed completely: select its messages before you pass it"
                    .to_owned(),
            ],
            None if line.writer == RoleWriter::Value => vec![form, TRANSCRIPT_HELP.to_owned()],
            None => vec![form],
        }
    }
}
