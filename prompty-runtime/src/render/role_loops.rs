//! Reads the loops of a template that write messages: as threads, or not at all.
//!
//! What an expression writes opens no message. Without this, the messages of such a loop would be glued to
//! the message before it.

use std::collections::HashMap;
use std::sync::Arc;

use super::blueprint::Blueprint;
use prompty_template::jinja::role_lines::{RoleLine, RolePlace, RoleWriter, role_lines};
use prompty_template::jinja::role_loops::{DeclaredAs, threads_of, with_threads};
use prompty_template::walk;
use prompty_template::{SyntaxError, Template};

/// The template with its loops over threads as outputs of those, and its text where that is another one. What it
/// loops over in this way is declared as a thread, if it is declared as a list or not at all.
pub(super) fn template_with_threads(
    blueprint: &mut Blueprint,
    tree: Arc<Template>,
) -> (Option<String>, Arc<Template>) {
    let inputs = blueprint.inputs_by_name();
    let declared = |name: &str| {
        inputs.get(name).map_or(DeclaredAs::Nothing, |input| DeclaredAs::from(&input.value_type))
    };
    let threads = threads_of(blueprint.template(), &tree, declared);
    let (text, tree) = with_threads(blueprint.template(), tree, &threads);
    let text = (!threads.is_empty()).then(|| text.into_owned());
    for found in threads {
        blueprint.declare_thread(&found.input.text);
    }
    (text, tree)
}

/// Refuses a template with a loop that writes lines as if they were role markers.
///
/// # Errors
///
/// The first such line.
pub(super) fn refuse_role_lines(
    text: &str,
    template: &Template,
    blueprint: &Blueprint,
) -> Result<(), SyntaxError> {
    if !walk::repeats(&template.nodes) {
        return Ok(());
    }
    let parts_with_roles: HashMap<&str, Vec<String>> =
        (blueprint.inputs.iter()).map(|it| (it.name.as_str(), it.parts_with_roles())).collect();
    let holds_roles = |list: &str, part: &str| {
        parts_with_roles.get(list).is_some_and(|parts| parts.iter().any(|name| name == part))
    };
    // Outside of loops such a line is text, as the specification says.
    let mut lines = role_lines(text, template, &holds_roles).into_iter();
    let Some(line) = lines.find(|line| line.place != RolePlace::Template) else { return Ok(()) };
    let message = format!("`{}` in a loop opens no message", shown(&line, text));
    Err(SyntaxError::new(line.span, message).with_help(help(&line, text)))
}

/// The role as it is written, with the colon where that follows at once.
fn shown(line: &RoleLine, text: &str) -> String {
    let written = line.span.text_in(text).map_or("a role", str::trim);
    let first = written.split('\n').next().unwrap_or(written);
    let has_colon = text.get(line.span.end..).is_some_and(|rest| rest.starts_with(':'));
    let colon = if has_colon { ":" } else { "" };
    format!("{first}{colon}")
}

fn help(line: &RoleLine, text: &str) -> String {
    let cure = match &line.list {
        Some(list) => format!(
            "make `{list}` a thread (`kind: thread`), and write `{{{{ {list} }}}}` on a line of its own"
        ),
        None => "messages come in as one input: declare it with `kind: thread`, and write it on a line of its \
                 own, such as `{{ history }}`"
            .to_owned(),
    };
    let other = match line.writer {
        RoleWriter::Text => {
            "or write each marker alone on its line, and the tags on lines of their own"
        }
        _ => "for a transcript, which is text, write role and content on one line",
    };
    match line.prints_other_part(text) {
        true => format!("{cure}, with `role` and `content` in each message; {other}"),
        false => format!("{cure}; {other}"),
    }
}
