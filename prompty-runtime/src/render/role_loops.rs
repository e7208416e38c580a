//! Handles loops of a template that write messages: converts them to threads, or rejects them.
//!
//! The output of an expression opens no message. So the messages of such a loop would become part
//! of the message before it:
//!
//! ```text
//! {% for m in history %}
//! {{ m.role }}:
//! {{ m.content }}
//! {% endfor %}         =>  {{ history }}, a thread
//! ```

use std::collections::HashMap;
use std::sync::Arc;

use super::blueprint::Blueprint;
use prompty_template::jinja::role_lines::{RoleLine, RolePlace, RoleWriter, role_lines};
use prompty_template::jinja::role_loops::{
    FIELD_NAMES_HELP, LoopInput, TRANSCRIPT_HELP, thread_help, threads_of, with_threads,
};
use prompty_template::walk;
use prompty_template::{SyntaxError, Template};

/// Replaces loops over threads by outputs of the threads. Returns the new text, if it changed, and
/// the tree. An undeclared input, or one declared as a list, becomes a thread.
pub(super) fn template_with_threads(
    blueprint: &mut Blueprint,
    tree: Arc<Template>,
) -> (Option<String>, Arc<Template>) {
    let inputs = blueprint.inputs_by_name();
    let declared = |name: &str| {
        inputs.get(name).map_or(LoopInput::Undeclared, |input| LoopInput::from(&input.value_type))
    };
    let threads = threads_of(blueprint.template(), &tree, declared);
    let (text, tree) = with_threads(blueprint.template(), tree, &threads);
    let text = (!threads.is_empty()).then(|| text.into_owned());
    for found in threads {
        blueprint.declare_thread(&found.input.text);
    }
    (text, tree)
}

/// Rejects a template with a loop that writes lines like role markers.
///
/// # Errors
///
/// Returns an error for the first such line.
pub(super) fn refuse_role_lines(
    text: &str,
    template: &Template,
    blueprint: &Blueprint,
) -> Result<(), SyntaxError> {
    if !walk::repeats(&template.nodes) {
        return Ok(());
    }
    // For each input, the names of its parts that contain roles.
    let parts_with_roles: HashMap<&str, Vec<String>> =
        (blueprint.inputs.iter()).map(|it| (it.name.as_str(), it.parts_with_roles())).collect();
    let holds_roles = |list: &str, part: &str| {
        parts_with_roles.get(list).is_some_and(|parts| parts.iter().any(|name| name == part))
    };
    // Outside of loops the specification treats such a line as text.
    let mut lines = role_lines(text, template, &holds_roles).into_iter();
    let Some(line) = lines.find(|line| line.place != RolePlace::Template) else { return Ok(()) };
    let message = format!("`{}` in a loop does not open a message", role_text(&line, text));
    Err(SyntaxError::new(line.span, message).with_help(role_line_help(&line, text)))
}

/// The role as written, with a colon that follows it directly: `{{ m.role }}:`.
fn role_text(line: &RoleLine, text: &str) -> String {
    let written = line.span.text_in(text).map_or("a role", str::trim);
    let first = written.split('\n').next().unwrap_or(written);
    let has_colon = text.get(line.span.end..).is_some_and(|rest| rest.starts_with(':'));
    let colon = if has_colon { ":" } else { "" };
    format!("{first}{colon}")
}

fn role_line_help(line: &RoleLine, text: &str) -> String {
    let fix = thread_help(line.list.as_deref());
    let alternative = match line.writer {
        RoleWriter::Text => "or write each marker and each tag on a separate line",
        _ => TRANSCRIPT_HELP,
    };
    match line.prints_other_part(text) {
        true => format!("{fix}; {FIELD_NAMES_HELP}; {alternative}"),
        false => format!("{fix}; {alternative}"),
    }
}
