//! Role markers: which lines open messages, and which only look as if they did.
//!
//! A line opens a message if it stands on a line of its own in the template and is not caught by a
//! block. Lines that an expression writes are text, whatever they look like.

use super::almost_markers::{almost_marker, broken_attributes};
use super::checker::Checker;
use super::flow::{Layout, Output, Text};
use super::roles_in_text::RolesInText;
use prompty_core::diagnostic::{Code, Diagnostic, Severity, SourceSpan, TemplateSpan};
use prompty_core::message::{RichKind, Role};
use prompty_core::work::add_steps;
use prompty_template::jinja::role_lines::RoleWriter;
use prompty_template::role_markers::TemplateMarker;
use prompty_template::role_markers::syntax::{MarkerLine, attributes, match_line};

/// A role marker of a template.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MarkerFact {
    /// The role that it opens.
    pub role: Role,
    /// Its place in the source, without the white space around it.
    pub span: SourceSpan,
}

/// What stands on a line of the template.
struct Line<'a> {
    /// Where the line stands, without its newline.
    span: TemplateSpan,
    /// The line as it is written in the template.
    raw: &'a str,
    /// The texts that share the line, in order.
    texts: Vec<&'a Text>,
    /// What is printed in the line, in order.
    outputs: Vec<&'a Output>,
    /// Whether tags or comments share the line.
    has_tags: bool,
    /// What is written of it: its texts, and [`VALUE`] for each printed value.
    written: String,
}

/// Stands for a printed value.
const VALUE: char = '\u{1a}';
/// With more values than this a line is no marker.
const VALUES: usize = 16;

impl<'a> Line<'a> {
    /// The line that begins at `start`; all texts and outputs given end behind that.
    #[expect(clippy::string_slice, reason = "the callers found the line in this text")]
    fn new(text: &'a str, span: TemplateSpan, texts: &'a [Text], outputs: &'a [Output]) -> Self {
        let mut line = Self {
            span,
            raw: &text[span.start..span.end],
            texts: texts.iter().take_while(|part| part.span.start < span.end).collect(),
            outputs: outputs.iter().take_while(|part| part.span.start < span.end).collect(),
            has_tags: false,
            written: String::new(),
        };
        let texts = line.texts.iter().map(|part| (part.span, true));
        add_steps(line.raw.len() + line.texts.len() + line.outputs.len());
        let mut parts: Vec<(TemplateSpan, bool)> = texts.collect();
        parts.extend(line.outputs.iter().map(|part| (part.span, false)));
        parts.sort_unstable();
        let mut end = span.start;
        for (part, is_text) in parts {
            let part = TemplateSpan::new(part.start.max(span.start), part.end.min(span.end));
            line.note_gap(text, end, part.start);
            end = end.max(part.end);
            match part.text_in(text) {
                Some(written) if is_text => line.written.push_str(written),
                Some(_) => line.written.push(VALUE),
                None => line.has_tags = true,
            }
        }
        line.note_gap(text, end, span.end);
        line
    }

    /// What is neither text nor output is a tag or a comment, unless it is trimmed white space.
    fn note_gap(&mut self, text: &str, start: usize, end: usize) {
        self.has_tags |= text.get(start..end).is_none_or(|gap| !gap.trim().is_empty());
    }

    /// The line with every printed value replaced by letters, byte for byte. Nothing where the line
    /// is not made of texts and a few whole values.
    fn masked(&self) -> Option<String> {
        let is_whole = |output: &&Output| self.span.contains(output.span);
        if self.has_tags || self.outputs.len() > VALUES || !self.outputs.iter().all(is_whole) {
            return None;
        }
        let mut masked = String::with_capacity(self.raw.len());
        let mut end = self.span.start;
        for output in &self.outputs {
            masked.push_str(self.part(end, output.span.start)?);
            masked.extend(std::iter::repeat_n('x', output.span.end - output.span.start));
            end = output.span.end;
        }
        masked.push_str(self.part(end, self.span.end)?);
        Some(masked)
    }

    fn part(&self, start: usize, end: usize) -> Option<&'a str> {
        let offset = self.span.start;
        self.raw.get(start.checked_sub(offset)?..end.checked_sub(offset)?)
    }

    /// The block that catches the line, if one does.
    fn captured(&self) -> Option<&'static str> {
        let outputs = self.outputs.iter().find_map(|output| output.captured);
        self.texts.iter().find_map(|part| part.captured).or(outputs)
    }

    /// Where the line stands without the white space around it.
    fn trimmed(&self) -> TemplateSpan {
        let start = self.raw.len() - self.raw.trim_start().len();
        let length = self.raw.trim().len();
        TemplateSpan::new(self.span.start + start, self.span.start + start + length)
    }
}

/// What happened in the template so far.
#[derive(Default)]
struct Seen {
    markers: Vec<MarkerFact>,
    /// Where the text before the first marker begins.
    leading: Option<TemplateSpan>,
    /// Whether a message was opened, or a line was found that should have opened one.
    opened: bool,
    /// The role of the last marker, while nothing came after it.
    empty: Option<Role>,
    /// The lines that name a role and are no markers.
    roles: RolesInText,
}

impl Seen {
    /// Notes a line that opens a message, or should.
    fn open(&mut self) {
        self.opened = true;
        self.roles.open_message();
    }
}

impl Checker<'_> {
    /// Reads all lines of the template.
    ///
    /// `structure` are the markers that a render finds: they alone open messages.
    pub(super) fn markers(
        &mut self,
        layout: &Layout,
        structure: &[TemplateMarker],
    ) -> Vec<MarkerFact> {
        let mut structure = structure.iter().peekable();
        let mut seen = Seen::default();
        let (mut texts, mut outputs) = (layout.texts.as_slice(), layout.outputs.as_slice());
        let text = self.text;
        let mut start = 0;
        for raw in text.split('\n') {
            let span = TemplateSpan::new(start, start + raw.len());
            start += raw.len() + 1;
            texts = behind(texts, |part| part.span.end <= span.start);
            outputs = behind(outputs, |part| part.span.end <= span.start);
            let line = Line::new(text, span, texts, outputs);
            match structure.next_if(|marker| marker.line.start == span.start) {
                Some(marker) => self.marker(&line, marker, &mut seen),
                None => self.line(&line, &mut seen),
            }
        }
        let roles: Vec<Role> = seen.markers.iter().map(|marker| marker.role.clone()).collect();
        let is_told = self.tags.are_told || self.roles_in_text(&seen.roles, &roles);
        if let (Some(leading), false, false) = (seen.leading, seen.markers.is_empty(), is_told) {
            let message = "text before the first role marker";
            let label = "becomes a system message";
            let help = "put `system:` on the line above";
            self.report_with_help(Code::LeadingText, message, label, [help], leading);
        }
        seen.markers
    }

    fn line(&mut self, line: &Line<'_>, seen: &mut Seen) {
        if line.written.trim().is_empty() {
            if line.has_tags {
                seen.empty = None;
            }
            return;
        }
        let masked = line.masked();
        let marker = masked.as_deref().and_then(match_line);
        if let Some(block) = line.captured() {
            if marker.is_some() {
                self.caught_marker(line, block);
            } else {
                self.role_line(line);
            }
            return;
        }
        seen.empty = None;
        let masked = masked.as_deref().unwrap_or_default();
        if marker.is_some_and(|marker| values_are_attributes(line, &marker)) {
            self.quoted_attribute(line);
            seen.open();
        } else if self.made_marker(line) {
            seen.open();
        } else {
            self.placed_rich(line);
            match self.near_marker(line, masked) {
                Some(Severity::Error) => seen.open(),
                Some(_) => seen.roles.pass(),
                None => seen.roles.line(masked, line.span.start),
            }
        }
        if !seen.opened && !self.is_rich(line) {
            seen.leading.get_or_insert(line.trimmed());
        }
    }

    /// Threads and media that do not stand where they belong in their line.
    fn placed_rich(&mut self, line: &Line<'_>) {
        let has_text = |part: char| part != VALUE && !part.is_whitespace();
        let has_text = line.written.contains(has_text);
        for output in &line.outputs {
            self.thread_beside_text(output, has_text);
            if let Some(before) = line.part(line.span.start, output.span.start) {
                self.medium_as_address(output, before);
            }
        }
    }

    /// Whether a line is a thread or a medium alone, which needs no marker above it.
    fn is_rich(&self, line: &Line<'_>) -> bool {
        line.written.chars().all(|written| written == VALUE || written.is_whitespace())
            && line.outputs.iter().all(|output| self.rich_outputs.contains_key(&output.expr))
    }

    /// A marker whose attribute holds an expression with double quotes in it.
    fn quoted_attribute(&mut self, line: &Line<'_>) {
        let quoted = self.quoted(line.trimmed());
        let message = format!("{quoted} is almost a role marker");
        let label = "is text, for the quotation marks inside the value";
        let help = "bind the value before, with `{% set %}`, and print that name here";
        self.report_with_help(Code::NearMarker, message, label, [help], line.trimmed());
    }

    fn marker(&mut self, line: &Line<'_>, marker: &TemplateMarker, seen: &mut Seen) {
        let trimmed = line.trimmed();
        let role = &marker.role;
        if seen.empty.as_ref() == Some(role) {
            let message = format!("two `{role}:` markers with nothing between");
            let label = "the message before this is empty";
            let help = "remove one of them";
            self.report_with_help(Code::EmptyMessage, message, label, [help], trimmed);
        }
        seen.empty = Some(role.clone());
        seen.open();
        let fact = MarkerFact { role: role.clone(), span: trimmed.in_source(self.body) };
        seen.markers.push(fact);
        self.broken_marker(line, role);
        for output in &line.outputs {
            if self.rich_outputs.contains_key(&output.expr) {
                let message = "a thread or a medium in a role marker";
                let label = "is not a text";
                let help = "write it below the marker, where it belongs in the message";
                self.report_with_help(Code::MisplacedRich, message, label, [help], output.span);
            }
        }
        let mut written = marker.attributes.and_then(|it| it.text_in(self.text)).into_iter();
        let is_nonce = |name: &str| name.eq_ignore_ascii_case("nonce");
        if written.any(|it| attributes(it).any(|attribute| is_nonce(attribute.name))) {
            let message = "a role marker with a `nonce`";
            let label = "each render sets its own";
            let help = "leave `nonce` out: it tells the template's markers from those in inputs";
            self.report_with_help(Code::NearMarker, message, label, [help], trimmed);
        }
    }

    /// A marker beside which white-space control swallows the newline.
    fn broken_marker(&mut self, line: &Line<'_>, role: &Role) {
        let (Some(first), Some(last)) = (line.texts.first(), line.texts.last()) else { return };
        let before = first.begins_inside && first.span.start >= line.span.start;
        let behind = last.goes_on && last.span.end <= line.span.end;
        let (which, tag) = match (before, behind) {
            (true, _) => ("before", "remove the `-` at the end of the tag before it"),
            (_, true) => ("behind", "remove the `-` at the beginning of the tag behind it"),
            _ => return,
        };
        let message = format!("the line break {which} `{role}:` is swallowed");
        let label = "not alone on its line once it is written";
        self.report_with_help(Code::BrokenMarker, message, label, [tag], line.trimmed());
    }

    /// A marker in a block whose text is not written where it stands.
    fn caught_marker(&mut self, line: &Line<'_>, block: &str) {
        let quoted = self.quoted(line.trimmed());
        let message = format!("{quoted} inside `{{% {block} %}}` opens no message");
        let help = format!("write the marker outside of the `{block}` block");
        self.report_with_help(Code::MadeMarker, message, "is text here", [help], line.trimmed());
    }

    /// A line that becomes one like a marker only when it is written.
    fn made_marker(&mut self, line: &Line<'_>) -> bool {
        let is_marker = |text: &str| match_line(text).is_some();
        let alone = |part: &&&Text| {
            let is_whole = line.span.contains(part.span);
            is_whole && !part.begins_inside && !part.goes_on
        };
        let part_of = |part: &Text| self.text.get(part.span.start..part.span.end);
        let is_inline = line.has_tags
            && (is_marker(&line.written)
                || line.texts.iter().filter(alone).filter_map(|part| part_of(part)).any(is_marker));
        if self.is_beside_thread(line) {
            let message = "a role marker shares its line with a thread";
            let label = "opens no message";
            let help = "put the marker alone on its line, below the thread";
            self.report_with_help(Code::MadeMarker, message, label, [help], line.trimmed());
            return true;
        }
        if is_inline {
            self.report(inline_marker().with_help(THREADS), line.trimmed());
            return true;
        }
        self.role_line(line)
    }

    /// Reports a line that looks like a role marker once it is written.
    fn role_line(&mut self, line: &Line<'_>) -> bool {
        let Some(found) = self.role_lines.in_line(line.span) else { return false };
        let finding = match found.writer {
            RoleWriter::Text => inline_marker(),
            _ => {
                let quoted = self.quoted(found.span);
                Diagnostic::new(Code::MadeMarker, format!("{quoted} cannot make a role marker"))
                    .with_label("is text, whatever it prints")
            }
        };
        let diagnostic = match self.role_lines.cure(found, self.text, self.signature) {
            Some(help) => help.into_iter().fold(finding, Diagnostic::with_help),
            None => finding.with_help(THREADS),
        };
        self.report(diagnostic, line.trimmed());
        true
    }

    /// Whether a line is a marker but for the thread that is written in it.
    fn is_beside_thread(&self, line: &Line<'_>) -> bool {
        let is_thread = |it: &&Output| self.rich_outputs.get(&it.expr) == Some(&RichKind::Thread);
        !line.outputs.is_empty()
            && line.outputs.iter().all(is_thread)
            && match_line(&line.written.replace(VALUE, "")).is_some()
    }

    /// A line that is almost a marker, and how surely it was meant as one. `masked` is empty where tags
    /// share the line.
    fn near_marker(&mut self, line: &Line<'_>, masked: &str) -> Option<Severity> {
        if !line.outputs.is_empty() {
            return self.near_marker_with_values(line, masked);
        }
        let almost = almost_marker(masked)?;
        let span = TemplateSpan::new(almost.range.start, almost.range.end).shifted(line.span.start);
        let mut diagnostic =
            Diagnostic::new(Code::NearMarker, almost.message).with_label("is text");
        diagnostic.help = almost.help;
        diagnostic.severity = almost.severity;
        self.report(diagnostic, span);
        Some(almost.severity)
    }

    /// As [`Checker::near_marker`], where values are printed in the line: the attributes alone may be
    /// broken.
    fn near_marker_with_values(&mut self, line: &Line<'_>, masked: &str) -> Option<Severity> {
        let severity = broken_attributes(masked)?.severity;
        let quoted = self.quoted(line.trimmed());
        let mut diagnostic =
            Diagnostic::new(Code::NearMarker, format!("{quoted} is not a role marker"))
                .with_label("is text")
                .with_help(
                    "write `user[name={{ value }}]:`, with the bracket closed before the colon",
                );
        diagnostic.severity = severity;
        self.report(diagnostic, line.trimmed());
        Some(severity)
    }
}

fn inline_marker() -> Diagnostic {
    Diagnostic::new(Code::MadeMarker, "a role marker shares its line with a tag")
        .with_label("opens no message")
        .with_help("put the marker alone on its line, and the tag on the line above")
}

const THREADS: &str = "messages of a conversation come in as one input: declare it with \
                       `kind: thread` and write it alone, such as `{{ history }}`";

/// The parts of a list behind those that have been passed.
fn behind<T>(parts: &[T], is_passed: impl Fn(&T) -> bool) -> &[T] {
    let mut rest = parts;
    while let [part, others @ ..] = rest
        && is_passed(part)
    {
        rest = others;
    }
    add_steps(parts.len() - rest.len() + 1);
    rest
}

/// Whether all values that are printed in a marker stand in its brackets.
fn values_are_attributes(line: &Line<'_>, marker: &MarkerLine) -> bool {
    let range = marker.attributes_range.clone().unwrap_or_default();
    let brackets = TemplateSpan::new(range.start, range.end).shifted(line.span.start);
    line.outputs.iter().all(|output| brackets.contains(output.span))
}
