//! Checks a text prompt, whose complete output is one text.

use super::checker::Checker;
use prompty_core::diagnostic::{Code, Diagnostic};
use prompty_template::{Template, role_markers};

impl Checker<'_> {
    /// Reports what only messages can have: role markers, threads and media.
    pub(super) fn text_prompt(&mut self, tree: &Template) {
        for refused in role_markers::refused_in_text(self.text, tree) {
            self.diagnostics.push(refused.into_finding().in_source(self.body));
        }
        if let Some(role) = &self.signature.role {
            let message = format!("a text prompt has the role `{role}`");
            let finding = Diagnostic::new(Code::Declaration, message)
                .with_help("remove the role: a text prompt has no messages");
            self.diagnostics.push(finding);
        }
        for input in &self.signature.inputs {
            let Some(kind) = input.value_type.rich() else { continue };
            let message = format!(
                "the input `{}` of a text prompt has the kind `{}`",
                input.name,
                kind.name()
            );
            let mut finding = Diagnostic::new(Code::MisplacedRich, message)
                .with_label("only messages can contain it")
                .with_help("use it in a prompt of messages, or pass its text as a string");
            finding.span = input.name_span;
            self.diagnostics.push(finding);
        }
    }
}
