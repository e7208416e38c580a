//! Threads and media on a line with text, and tags that a space turns into text.

use super::checker::Checker;
use super::output_lines::{OutputPart, TextPart};
use super::types::Type;
use prompty_core::diagnostic::{Code, Diagnostic, Severity, TemplateSpan};
use prompty_core::message::RichKind;
use prompty_template::jinja::split_tags;

/// The maximum number of bytes before media that are checked.
const LONGEST: usize = 200;

impl Checker<'_> {
    /// Reports a thread on a line with text. Its messages would split the line.
    pub(super) fn check_thread_in_text(&mut self, output: &OutputPart, has_text: bool) {
        if !has_text || self.rich_outputs.get(&output.expr) != Some(&RichKind::Thread) {
            return;
        }
        let name = self.quoted(output.expr);
        let written = self.quoted(output.span);
        let message = format!("the thread {name} shares its line with text");
        let mut diagnostic = Diagnostic::new(Code::MisplacedRich, message)
            .with_label("its messages end the enclosing message")
            .with_help(format!("write {written} on its own line, between two messages"))
            .with_help("to quote a conversation inside a message, pass it as a string or a list");
        diagnostic.severity = Severity::Warning;
        // A thread that spans several lines is reported once.
        if self.reported_outputs.insert(output.span) {
            self.report(diagnostic, output.span);
        }
    }

    /// Reports media in the place of a Markdown address. `before` precedes it on its line.
    pub(super) fn check_media_as_address(&mut self, output: &OutputPart, before: &str) {
        let Some(rich) = self.rich_outputs.get(&output.expr).copied() else { return };
        // The prefix is limited, since a line may have many media.
        let start = before.ceil_char_boundary(before.len().saturating_sub(LONGEST));
        let near = before.get(start..);
        let Some((_, address)) = near.and_then(|it| it.rsplit_once("](")) else { return };
        if rich == RichKind::Thread || address.contains(')') {
            return;
        }
        let kind = Type::Rich(rich).description();
        let written = self.quoted(output.span);
        let message = format!("{kind} is written as the address of a Markdown link");
        let mut diagnostic = Diagnostic::new(Code::MisplacedRich, message)
            .with_label("becomes a separate part of the message")
            .with_help(format!("write {written} alone, without `![...](...)`"));
        diagnostic.severity = Severity::Warning;
        self.report(diagnostic, output.span);
    }

    /// Reports tags with a space between their braces, such as `{ { name } }`. `raw` has the sorted
    /// places of `raw` blocks.
    pub(super) fn report_split_braces(&mut self, texts: &[TextPart], raw: &[TemplateSpan]) {
        for text in texts {
            let next = raw.partition_point(|block| block.start <= text.span.start);
            let block = next.checked_sub(1).and_then(|index| raw.get(index));
            if block.is_some_and(|block| block.contains(text.span)) {
                continue;
            }
            let Some(written) = text.span.text_in(self.text) else { continue };
            for tag in split_tags(written) {
                let is_output = tag.opener == "{{";
                // `{ { word } }` is probably meant as a tag only if `word` is a name.
                if is_output && !self.is_input(tag.word) && self.scope.get(tag.word).is_none() {
                    continue;
                }
                let span =
                    TemplateSpan::new(tag.range.start, tag.range.end).shifted(text.span.start);
                let quoted = self.quoted(span);
                let kind = if is_output { "does not print a value" } else { "does not open a tag" };
                let finding = Diagnostic::new(Code::TemplateSyntax, format!("{quoted} {kind}"))
                    .with_label("is text, because of the space between the braces")
                    .with_help(format!("write `{}` without a space", tag.opener))
                    .with_help(
                        "if it is meant as text, write it between `{% raw %}` and `{% endraw %}`",
                    );
                self.report(finding, span);
            }
        }
    }
}
