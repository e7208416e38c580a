//! Reads the loops of a template that write messages: as threads, or not at all.
//!
//! What an expression writes opens no message. Without this, the messages of such a loop would be glued to
//! the message before it.

use super::blueprint::{Blueprint, BlueprintInput};
use crate::template::{SyntaxError, Template};
use prompty_core::diagnostic::Span;
use prompty_core::jinja::role_loops::{role_lines, with_threads};
use prompty_core::message::ThreadRoles;
use prompty_core::text::slice;

/// The template with its loops over threads as outputs of those; nothing where it has none. What it loops
/// over in this way is declared as a thread, if it is declared as a list or not at all.
pub(super) fn template_with_threads(blueprint: &mut Blueprint) -> Option<String> {
    let declared = &blueprint.inputs;
    let mut threads = Vec::new();
    let template = with_threads(blueprint.template(), |found| {
        let name = &found.input.text;
        let kind = declared.iter().find(|input| input.name == *name).map(|it| it.kind.as_str());
        let is_thread = match kind {
            Some("thread") => true,
            None | Some("" | "array") => found.is_only_use,
            Some(_) => false,
        };
        if is_thread {
            threads.push(name.clone());
        }
        is_thread
    });
    let template = (!threads.is_empty()).then(|| template.into_owned());
    threads.into_iter().for_each(|name| declare(blueprint, name));
    template
}

fn declare(blueprint: &mut Blueprint, name: String) {
    let kind = "thread".to_owned();
    match blueprint.inputs.iter_mut().find(|input| input.name == name) {
        Some(input) => input.kind = kind,
        None => blueprint.inputs.push(BlueprintInput {
            name,
            kind,
            required: false,
            default: None,
            strict: false,
            roles: ThreadRoles::DEFAULT,
            schema: None,
        }),
    }
}

/// Refuses a template with a loop that writes lines as if they were role markers.
///
/// # Errors
///
/// The first such line.
pub(super) fn refuse_role_lines(text: &str, template: &Template) -> Result<(), SyntaxError> {
    let Some(line) = role_lines(template).into_iter().next() else { return Ok(()) };
    let written = |span: Span| {
        slice(text, span.start..span.end).split('\n').next().unwrap_or_default().to_owned()
    };
    let message = format!("`{}:` in a loop opens no message", written(line.span));
    let list = line.list.map_or_else(|| "history".to_owned(), written);
    let help = format!(
        "make `{list}` a thread (`kind: thread`), and write `{{{{ {list} }}}}` on a line of its own; for a \
         transcript, which is text, write role and content on one line"
    );
    Err(SyntaxError::new(line.span, message).with_help(help))
}
