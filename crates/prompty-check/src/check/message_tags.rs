//! Checks message tags: the findings of the parser of tags, and those that depend on types.

use super::checker::Checker;
use super::markers::MarkerFact;
use super::scope::BlockKind;
use super::types::{Type, Value};
use prompty_core::diagnostic::{Code, Diagnostic, Severity, TemplateSpan};
use prompty_core::message::RichKind;
use prompty_template::message_tags::{self, Tags};
use prompty_template::role_markers::TemplateMarker;
use prompty_template::tree::{Call, Expr, ExprKind, Macro, Template};

impl Checker<'_> {
    /// Whether a call marks a message.
    pub(super) fn marks_message(&self, call: &Call) -> bool {
        self.tags.calls.contains(&call.name.span)
    }

    /// The call of a block that marks a message; `None` for other blocks.
    pub(super) fn message_block<'t>(&self, call: &'t Expr) -> Option<&'t Call> {
        let ExprKind::Function(call) = &call.kind else { return None };
        self.marks_message(call).then_some(call)
    }

    /// Checks the body of a block that marks a message.
    pub(super) fn message_body(&mut self, call: &Call, caller: &Macro) {
        self.arguments(&call.arguments);
        let mark = self.scope.mark();
        self.nodes(&caller.body);
        if !self.language.keeps_names() {
            self.scope.end(mark, BlockKind::With);
        }
    }

    /// Reports a message block in a prompt whose messages are marked by role lines.
    pub(super) fn report_message_without_parser(&mut self, span: TemplateSpan) {
        let message = "a message block does not open a message in this prompt";
        let label = "needs the parser `message-tags`";
        let help = [
            "set the parser: `template: {parser: message-tags}`",
            "in Rust, write `#[prompt(parser = \"message-tags\")]`",
        ];
        self.report_with_help(Code::UnsupportedConstruct, message, label, help, span);
    }

    /// Reports a value other than a thread that is printed outside of messages.
    pub(super) fn check_outside_messages(&mut self, value: &Value, span: TemplateSpan) {
        if !self.tags.outside.contains(&span)
            || matches!(value.kind, Type::Any | Type::Rich(RichKind::Thread))
        {
            return;
        }
        let quoted = self.quoted(span);
        let message = format!("{quoted} is printed outside of messages");
        let finding = Diagnostic::new(Code::TextOutsideMessages, message)
            .with_label(format!("{} is not a message", value.kind.description()))
            .with_help("write it in a message: `<message role=\"user\">…</message>`")
            .with_help("or pass messages as one input, declared with `kind: thread`");
        self.report(finding, span);
    }

    /// Reports the findings about message tags, and returns the facts about the messages.
    pub(super) fn message_tags(
        &mut self,
        tags: Tags,
        found_markers: &[TemplateMarker],
    ) -> Vec<MarkerFact> {
        if let (true, Some(line)) = (tags.is_one_message, found_markers.first()) {
            let quoted = self.quoted(line.line);
            let message =
                format!("{quoted} does not open a message with the parser `message-tags`");
            let help = "write `<message role=\"user\">…</message>`, or remove the parser";
            self.report_with_help(Code::OtherMarks, message, "is text", [help], line.line);
        }
        if let (Some(role), Some((_, span))) = (&self.signature.role, tags.messages.first()) {
            let message = format!("a prompt with the role `{role}` has a message tag");
            let label = "opens a message";
            let help = "remove the tag, or the role of the prompt";
            self.report_with_help(Code::OtherMarks, message, label, [help], *span);
            self.diagnostics.last_mut().into_iter().for_each(|it| it.severity = Severity::Error);
        }
        let findings = tags.findings.into_iter();
        self.diagnostics.extend(findings.map(|finding| finding.in_source(self.body)));
        let facts = tags.messages.into_iter();
        facts.map(|(role, span)| MarkerFact { role, span: span.in_source(self.body) }).collect()
    }

    /// Reports the first message tag in a prompt whose parser does not read tags. A prompt with
    /// role markers may have tags as text.
    pub(super) fn report_unread_message_tags(
        &mut self,
        tree: &Template,
        found_markers: &[TemplateMarker],
    ) {
        if !found_markers.is_empty() || !self.text.contains("<message") {
            return;
        }
        let found = message_tags::find(self.text, tree);
        let is_wrong = |finding: &Diagnostic<_>| finding.severity == Severity::Error;
        let Some((_, span)) =
            found.messages.first().filter(|_| !found.findings.iter().any(is_wrong))
        else {
            return;
        };
        let message = "a message tag does not open a message in this prompt";
        let help = [
            "set the parser that reads tags: `template: {parser: message-tags}`",
            "in Rust, write `#[prompt(parser = \"message-tags\")]`",
        ];
        self.tags.is_missing_parser_reported = true;
        self.report_with_help(Code::OtherMarks, message, "is text", help, *span);
    }
}
