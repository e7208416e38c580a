//! Threads and media that share their line with text, and tags that are text for a space in them.

use super::checker::Checker;
use super::flow::{Output, Text};
use super::types::Type;
use prompty_core::diagnostic::{Code, Diagnostic, Severity, TemplateSpan};
use prompty_core::message::RichKind;
use prompty_template::jinja::split_tags;

/// How many bytes before a medium are looked at.
const LONGEST: usize = 200;

impl Checker<'_> {
    /// A thread in a line with text: its messages would come between two halves of the line.
    pub(super) fn thread_beside_text(&mut self, output: &Output, has_text: bool) {
        if !has_text || self.rich_outputs.get(&output.expr) != Some(&RichKind::Thread) {
            return;
        }
        let name = self.quoted(output.expr);
        let written = self.quoted(output.span);
        let message = format!("the thread {name} shares its line with text");
        let mut diagnostic = Diagnostic::new(Code::MisplacedRich, message)
            .with_label("its messages end the message around it")
            .with_help(format!("write {written} on a line of its own, between two messages"))
            .with_help("to quote a conversation inside a message, give it as a text or a list");
        diagnostic.severity = Severity::Warning;
        // A thread that goes on over several lines is told once.
        if self.told_outputs.insert(output.span) {
            self.report(diagnostic, output.span);
        }
    }

    /// An image where Markdown has an address. `before` is what stands before it on its line.
    pub(super) fn medium_as_address(&mut self, output: &Output, before: &str) {
        let Some(rich) = self.rich_outputs.get(&output.expr).copied() else { return };
        // A line may hold any number of media.
        let start = before.ceil_char_boundary(before.len().saturating_sub(LONGEST));
        let near = before.get(start..);
        let Some((_, address)) = near.and_then(|it| it.rsplit_once("](")) else { return };
        if rich == RichKind::Thread || address.contains(')') {
            return;
        }
        let kind = Type::Rich(rich).description();
        let written = self.quoted(output.span);
        let message = format!("{kind} stands where Markdown has an address");
        let mut diagnostic = Diagnostic::new(Code::MisplacedRich, message)
            .with_label("becomes a part of the message; what stands around it stays text")
            .with_help(format!("write {written} alone, without `![...](...)`"));
        diagnostic.severity = Severity::Warning;
        self.report(diagnostic, output.span);
    }

    /// Tags whose braces are apart in the texts of the template. `raw` are the places of `raw` blocks,
    /// in order.
    pub(super) fn split_tags(&mut self, texts: &[Text], raw: &[TemplateSpan]) {
        for text in texts {
            let next = raw.partition_point(|block| block.start <= text.span.start);
            let block = next.checked_sub(1).and_then(|index| raw.get(index));
            if block.is_some_and(|block| block.contains(text.span)) {
                continue;
            }
            let Some(written) = text.span.text_in(self.text) else { continue };
            for tag in split_tags(written) {
                let is_output = tag.opener == "{{";
                if is_output && !self.is_input(tag.word) && self.scope.get(tag.word).is_none() {
                    continue;
                }
                let span =
                    TemplateSpan::new(tag.range.start, tag.range.end).shifted(text.span.start);
                let quoted = self.quoted(span);
                let kind = if is_output { "prints nothing" } else { "opens no tag" };
                let finding = Diagnostic::new(Code::TemplateSyntax, format!("{quoted} {kind}"))
                    .with_label("is text, for the space between the braces")
                    .with_help(format!("write `{}` with no space in it", tag.opener))
                    .with_help(
                        "if it is meant as text, put it between `{% raw %}` and `{% endraw %}`",
                    );
                self.report(finding, span);
            }
        }
    }
}
