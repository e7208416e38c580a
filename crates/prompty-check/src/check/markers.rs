//! Role markers: the lines that open messages, and lines that only resemble them.
//!
//! A line opens a message if it is alone on its line in the template, and no block captures it. A
//! line that an expression writes is always text.
//!
//! [`Checker::markers`] visits all lines of the template. A line that a render reads as a marker
//! goes to `marker`. Every other line goes to `other_line`, which reports a line that its author
//! probably meant as a marker.

use super::almost_markers::{AlmostMarker, almost_marker, broken_attributes};
use super::checker::Checker;
use super::output_lines::{OutputLines, OutputPart, TextPart};
use super::role_mentions::RoleMentions;
use prompty_core::diagnostic::{Code, Diagnostic, Severity, SourceSpan, TemplateSpan};
use prompty_core::message::{RichKind, Role};
use prompty_core::work::add_steps;
use prompty_template::jinja::role_lines::RoleWriter;
use prompty_template::jinja::role_loops::thread_help;
use prompty_template::role_markers::syntax::{MarkerLine, attributes, match_line};
use prompty_template::role_markers::{self, TemplateMarker};

/// A role marker of a template.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MarkerFact {
    /// The role of the message.
    pub role: Role,
    /// Its place in the source, without the white space around it.
    pub span: SourceSpan,
}

/// A line of the template with the texts and values on it.
struct TemplateLine<'a> {
    /// The place of the line, without its newline.
    span: TemplateSpan,
    /// The line as the template contains it.
    raw: &'a str,
    /// The texts that share the line, in order.
    texts: Vec<&'a TextPart>,
    /// The values that are printed on the line, in order.
    outputs: Vec<&'a OutputPart>,
    /// Whether tags or comments share the line.
    has_tags: bool,
    /// The output of the line: its texts, and [`VALUE`] for each printed value.
    written: String,
}

/// Represents a printed value in [`TemplateLine::written`].
const VALUE: char = '\u{1a}';
/// The maximum number of values in a marker.
const MOST_VALUES: usize = 16;

impl<'a> TemplateLine<'a> {
    /// The line at `span`. All given texts and outputs end after the start of the line.
    #[expect(clippy::string_slice, reason = "the callers found the line in this text")]
    fn new(
        text: &'a str,
        span: TemplateSpan,
        texts: &'a [TextPart],
        outputs: &'a [OutputPart],
    ) -> Self {
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

    /// Everything but texts and outputs is a tag or a comment, except trimmed white space.
    fn note_gap(&mut self, text: &str, start: usize, end: usize) {
        self.has_tags |= text.get(start..end).is_none_or(|gap| !gap.trim().is_empty());
    }

    /// The line with every printed value replaced by as many characters, so that places stay the
    /// same: `user[id={{ n }}]:` becomes `user[id=xxxxxxx]:`. `None` unless the line consists of
    /// texts and a few complete values.
    fn masked(&self) -> Option<String> {
        let is_inside = |output: &&OutputPart| self.span.contains(output.span);
        if self.has_tags || self.outputs.len() > MOST_VALUES || !self.outputs.iter().all(is_inside)
        {
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

    /// The part of the line between two places of the template.
    fn part(&self, start: usize, end: usize) -> Option<&'a str> {
        let offset = self.span.start;
        self.raw.get(start.checked_sub(offset)?..end.checked_sub(offset)?)
    }

    /// The block that captures the line, if there is one.
    fn capturing_block(&self) -> Option<&'static str> {
        let outputs = self.outputs.iter().find_map(|output| output.captured);
        self.texts.iter().find_map(|part| part.captured).or(outputs)
    }

    /// The place of the line without the white space around it.
    fn trimmed(&self) -> TemplateSpan {
        let start = self.raw.len() - self.raw.trim_start().len();
        let length = self.raw.trim().len();
        TemplateSpan::new(self.span.start + start, self.span.start + start + length)
    }
}

/// The state of a scan over the lines of a template.
#[derive(Default)]
struct MarkerScan {
    markers: Vec<MarkerFact>,
    /// The first line of the text before the first marker.
    leading: Option<TemplateSpan>,
    /// Whether a line opened a message, or should have opened one.
    has_opened: bool,
    /// The role of the last marker, if nothing follows it so far.
    empty_message: Option<Role>,
    /// The lines that name a role and are not markers.
    mentions: RoleMentions,
}

impl MarkerScan {
    /// Records a line that opens a message, or should open one.
    fn open(&mut self) {
        self.has_opened = true;
        self.mentions.open_message();
    }
}

impl Checker<'_> {
    /// Checks all lines of the template, and returns its markers.
    ///
    /// `rendered` has the markers that a render finds. Only these open messages.
    pub(super) fn markers(
        &mut self,
        lines: &OutputLines,
        rendered: &[TemplateMarker],
    ) -> Vec<MarkerFact> {
        let first = rendered.first();
        let mut rendered = rendered.iter().peekable();
        let mut scan = MarkerScan::default();
        let (mut texts, mut outputs) = (lines.texts.as_slice(), lines.outputs.as_slice());
        let text = self.text;
        let mut start = 0;
        for raw in text.split('\n') {
            let span = TemplateSpan::new(start, start + raw.len());
            start += raw.len() + 1;
            texts = skip_passed(texts, |part| part.span.end <= span.start);
            outputs = skip_passed(outputs, |part| part.span.end <= span.start);
            let line = TemplateLine::new(text, span, texts, outputs);
            match rendered.next_if(|marker| marker.line.start == span.start) {
                Some(marker) => self.marker(&line, marker, &mut scan),
                None => self.other_line(&line, &mut scan),
            }
        }
        let roles: Vec<Role> = scan.markers.iter().map(|marker| marker.role.clone()).collect();
        let is_reported = self.tags.is_missing_parser_reported
            || self.report_role_mentions(&scan.mentions, &roles);
        match (first, &self.signature.role, scan.leading) {
            (Some(marker), Some(role), _) => self.report_role_and_marker(role, marker),
            (None, None, Some(leading)) if !is_reported && !scan.has_opened => {
                self.report_no_marker(leading);
            }
            (Some(_), None, Some(leading)) if !is_reported => {
                let message = "text before the first role marker";
                let label = "becomes a system message";
                let help = "write `system:` on the line above";
                self.report_with_help(Code::LeadingText, message, label, [help], leading);
            }
            _ => {}
        }
        scan.markers
    }

    /// Reports a template without markers that does not say what its text is.
    fn report_no_marker(&mut self, first_line: TemplateSpan) {
        // The text of a prompt with mistakes may not be what its author means.
        let is_error = |finding: &Diagnostic| finding.severity == Severity::Error;
        if self.signature.has_other_parser || self.diagnostics.iter().any(is_error) {
            return;
        }
        let help = [
            "set the role of the message: `#[prompt(role = \"user\")]`, or in a file \
             `template: {parser: {role: user}}`",
            "or, if it is a text and not a message, write `prompt!(text Name …)` or \
             `#[prompt(text)]`, or in a file `template: {parser: text}`",
        ];
        let message = "this prompt has no role marker such as `user:`";
        let label = "becomes a system message";
        self.report_with_help(Code::NoRoleMarker, message, label, help, first_line);
    }

    /// Reports the first marker of a template whose prompt has a role.
    fn report_role_and_marker(&mut self, role: &Role, marker: &TemplateMarker) {
        let refused = role_markers::refused_with_role(role, marker);
        self.diagnostics.push(refused.into_finding().in_source(self.body));
    }

    /// Checks a line that is not a marker.
    fn other_line(&mut self, line: &TemplateLine<'_>, scan: &mut MarkerScan) {
        if line.written.trim().is_empty() {
            if line.has_tags {
                scan.empty_message = None;
            }
            return;
        }
        let masked = line.masked();
        let marker = masked.as_deref().and_then(match_line);
        if let Some(block) = line.capturing_block() {
            if marker.is_some() {
                self.report_captured_marker(line, block);
            } else {
                self.report_role_line(line);
            }
            return;
        }
        scan.empty_message = None;
        let masked = masked.as_deref().unwrap_or_default();
        // `user[name={{ "Bob" }}]:` looks like a marker, but a render does not read it as one.
        if marker.is_some_and(|marker| values_are_attributes(line, &marker)) {
            self.report_quoted_attribute(line);
            scan.open();
        } else if self.report_made_marker(line) {
            scan.open();
        } else {
            self.check_rich_placement(line);
            match self.report_near_marker(line, masked) {
                Some(Severity::Error) => scan.open(),
                Some(_) => scan.mentions.add_other_line(),
                None => scan.mentions.add_line(masked, line.span.start),
            }
        }
        if !scan.has_opened && !self.is_rich(line) {
            scan.leading.get_or_insert(line.trimmed());
        }
    }

    /// Reports threads and media in the wrong place on their line.
    fn check_rich_placement(&mut self, line: &TemplateLine<'_>) {
        let is_text = |written: char| written != VALUE && !written.is_whitespace();
        let has_text = line.written.contains(is_text);
        for output in &line.outputs {
            self.check_thread_in_text(output, has_text);
            if let Some(before) = line.part(line.span.start, output.span.start) {
                self.check_media_as_address(output, before);
            }
        }
    }

    /// Whether a line has only threads and media, which need no marker above them.
    fn is_rich(&self, line: &TemplateLine<'_>) -> bool {
        line.written.chars().all(|written| written == VALUE || written.is_whitespace())
            && line.outputs.iter().all(|output| self.rich_outputs.contains_key(&output.expr))
    }

    /// Reports a marker with an attribute whose expression contains double quotes.
    fn report_quoted_attribute(&mut self, line: &TemplateLine<'_>) {
        let quoted = self.quoted(line.trimmed());
        let message = format!("{quoted} is not a role marker");
        let label = "is text, because of the quotation marks in the value";
        let help = "bind the value to a name with `{% set %}`, and print the name here";
        self.report_with_help(Code::NearMarker, message, label, [help], line.trimmed());
    }

    /// Records a marker, and reports mistakes in it.
    fn marker(&mut self, line: &TemplateLine<'_>, marker: &TemplateMarker, scan: &mut MarkerScan) {
        let trimmed = line.trimmed();
        let role = &marker.role;
        if scan.empty_message.as_ref() == Some(role) {
            let message = format!("two consecutive `{role}:` markers");
            let label = "the message before this is empty";
            let help = "remove one of them";
            self.report_with_help(Code::EmptyMessage, message, label, [help], trimmed);
        }
        scan.empty_message = Some(role.clone());
        scan.open();
        let fact = MarkerFact { role: role.clone(), span: trimmed.in_source(self.body) };
        scan.markers.push(fact);
        self.check_marker_newlines(line, role);
        for output in &line.outputs {
            if self.rich_outputs.contains_key(&output.expr) {
                let message = "a role marker contains a thread or media";
                let label = "not a string";
                let help = "write it in the message, below the marker";
                self.report_with_help(Code::MisplacedRich, message, label, [help], output.span);
            }
        }
        let written = marker.attributes.and_then(|it| it.text_in(self.text)).unwrap_or_default();
        if attributes(written).any(|attribute| attribute.name.eq_ignore_ascii_case("nonce")) {
            let message = "a role marker has a `nonce`";
            let label = "each render sets its own `nonce`";
            let help = "remove `nonce`";
            self.report_with_help(Code::NearMarker, message, label, [help], trimmed);
        }
    }

    /// Reports a marker if white-space control removes the newline before or after it.
    fn check_marker_newlines(&mut self, line: &TemplateLine<'_>, role: &Role) {
        let (Some(first), Some(last)) = (line.texts.first(), line.texts.last()) else { return };
        let before = first.begins_inside && first.span.start >= line.span.start;
        let after = last.continues && last.span.end <= line.span.end;
        let (which, help) = match (before, after) {
            (true, _) => ("before", "remove the `-` at the end of the tag before it"),
            (_, true) => ("after", "remove the `-` at the beginning of the tag after it"),
            _ => return,
        };
        let message = format!("white-space control removes the line break {which} `{role}:`");
        let label = "the output has no line with only this marker";
        self.report_with_help(Code::BrokenMarker, message, label, [help], line.trimmed());
    }

    /// Reports a marker in a block that captures its text.
    fn report_captured_marker(&mut self, line: &TemplateLine<'_>, block: &str) {
        let quoted = self.quoted(line.trimmed());
        let message = format!("{quoted} inside `{{% {block} %}}` does not open a message");
        let help = format!("write the marker outside of the `{block}` block");
        self.report_with_help(Code::MadeMarker, message, "is text here", [help], line.trimmed());
    }

    /// Reports a line that resembles a marker only in the output. Returns whether it does.
    fn report_made_marker(&mut self, line: &TemplateLine<'_>) -> bool {
        let is_marker = |text: &str| match_line(text).is_some();
        let is_alone = |part: &&&TextPart| {
            let is_inside = line.span.contains(part.span);
            is_inside && !part.begins_inside && !part.continues
        };
        let mut alone = line.texts.iter().filter(is_alone);
        // `{% if x %}user:{% endif %}`
        let is_inline = line.has_tags
            && (is_marker(&line.written)
                || alone.any(|part| part.span.text_in(self.text).is_some_and(is_marker)));
        if self.is_marker_with_thread(line) {
            let message = "a role marker shares its line with a thread";
            let label = "does not open a message";
            let help = "write the marker alone on a line below the thread";
            self.report_with_help(Code::MadeMarker, message, label, [help], line.trimmed());
            return true;
        }
        if is_inline {
            self.report(inline_marker().with_help(thread_help(None)), line.trimmed());
            return true;
        }
        self.report_role_line(line)
    }

    /// Reports a line that a loop writes in the form of a role marker. Returns whether it is one.
    fn report_role_line(&mut self, line: &TemplateLine<'_>) -> bool {
        let Some(found) = self.printed_role_lines.in_line(line.span) else { return false };
        let finding = match found.writer {
            RoleWriter::Text => inline_marker(),
            _ => {
                let quoted = self.quoted(found.span);
                Diagnostic::new(Code::MadeMarker, format!("{quoted} cannot create a role marker"))
                    .with_label("is text, because an expression prints it")
            }
        };
        let diagnostic = match self.printed_role_lines.fix_help(found, self.text, self.signature) {
            Some(help) => help.into_iter().fold(finding, Diagnostic::with_help),
            None => finding.with_help(thread_help(None)),
        };
        self.report(diagnostic, line.trimmed());
        true
    }

    /// Whether a line would be a marker without the thread on it.
    fn is_marker_with_thread(&self, line: &TemplateLine<'_>) -> bool {
        let is_thread =
            |it: &&OutputPart| self.rich_outputs.get(&it.expr) == Some(&RichKind::Thread);
        !line.outputs.is_empty()
            && line.outputs.iter().all(is_thread)
            && match_line(&line.written.replace(VALUE, "")).is_some()
    }

    /// Reports a line that is almost a marker. `masked` is empty if the line has tags. If the line
    /// has values, only the attributes are checked.
    fn report_near_marker(&mut self, line: &TemplateLine<'_>, masked: &str) -> Option<Severity> {
        let (span, message, help, severity) = if line.outputs.is_empty() {
            let AlmostMarker { range, severity, message, help } = almost_marker(masked)?;
            let span = TemplateSpan::new(range.start, range.end).shifted(line.span.start);
            (span, message, help, severity)
        } else {
            let severity = broken_attributes(masked)?.severity;
            let message = format!("{} is not a role marker", self.quoted(line.trimmed()));
            let help = "write `user[name={{ value }}]:`, and close the bracket before the colon";
            (line.trimmed(), message, vec![help.to_owned()], severity)
        };
        let mut diagnostic = Diagnostic::new(Code::NearMarker, message).with_label("is text");
        (diagnostic.help, diagnostic.severity) = (help, severity);
        self.report(diagnostic, span);
        Some(severity)
    }
}

/// The finding about a line such as `{% if x %}user:{% endif %}`.
fn inline_marker() -> Diagnostic {
    Diagnostic::new(Code::MadeMarker, "a role marker shares its line with a tag")
        .with_label("does not open a message")
        .with_help("write the marker alone on its line, and the tag on the line above")
}

/// The rest of a list after the parts that have been passed.
fn skip_passed<T>(parts: &[T], is_passed: impl Fn(&T) -> bool) -> &[T] {
    let mut rest = parts;
    while let [part, others @ ..] = rest
        && is_passed(part)
    {
        rest = others;
    }
    add_steps(parts.len() - rest.len() + 1);
    rest
}

/// Whether all values in a marker are inside its brackets.
fn values_are_attributes(line: &TemplateLine<'_>, marker: &MarkerLine) -> bool {
    let range = marker.attributes_range.clone().unwrap_or_default();
    let brackets = TemplateSpan::new(range.start, range.end).shifted(line.span.start);
    line.outputs.iter().all(|output| brackets.contains(output.span))
}
