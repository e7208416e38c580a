//! Draws a diagnostic: the line of its span, carets under it, help and notes.

use std::fmt::Write;

use super::{Diagnostic, SourceText};
use crate::work::add_steps;

/// The maximum length of the part of a line that is drawn, in characters.
const WIDEST_LINE: usize = 120;

impl Diagnostic {
    /// The diagnostic as an annotated snippet that begins with `error: ` or `warning: `.
    pub fn render(&self, source: &SourceText) -> String {
        format!("{}: {}", self.severity, self.render_body(source))
    }

    /// The snippet without `error: ` before it, for a compiler that writes that prefix: the
    /// message, then the place, the line and its carets, then help and notes.
    ///
    /// ```text
    /// unknown input `nme`
    ///  --> hi.prompty:2:7
    ///   |
    /// 2 | Hi {{ nme }}
    ///   |       ^^^ not an input
    ///   |
    ///   = help: add the input
    /// ```
    pub fn render_body(&self, source: &SourceText) -> String {
        let mut out = format!("{}\n", self.message);
        let mut indent = String::from(" ");
        if let Some(span) = self.span {
            // The author sees the file that the span came from, and a Rust literal as written.
            let (file, span) = source.origin(span);
            let place = file.place(span.start);
            let number = place.line.to_string();
            indent = " ".repeat(number.len());
            let (line_start, line) = file.line_at(span.start);
            let written = file.shown_span(span);
            let at = (written.start.saturating_sub(line_start)).min(line.len());
            let LineWindow { shown, before } = window(line, at);
            // Tabs are kept, so that the carets are below their characters at any tab width.
            let padding: String = before
                .chars()
                .map(|character| if character == '\t' { '\t' } else { ' ' })
                .collect();
            // Only the first line of a longer span is marked, and an empty span has one caret.
            let marked_end = written.end.saturating_sub(line_start).min(line.len());
            let marked = line.get(at..marked_end).into_iter().flat_map(str::chars);
            let width = marked.take(WIDEST_LINE).count().max(1);
            let label = self.label.as_deref().unwrap_or_default();
            let carets = format!("{padding}{} {label}", "^".repeat(width));
            // Writing to a `String` does not fail.
            let _ = write!(
                out,
                "{indent}--> {place}\n{indent} |\n{number} | {shown}\n{indent} | {}\n",
                carets.trim_end()
            );
        }
        let remarks = self.help.iter().map(|text| ("help", text));
        let remarks = remarks.chain(self.notes.iter().map(|text| ("note", text)));
        for (index, (kind, text)) in remarks.enumerate() {
            if index == 0 && self.span.is_some() {
                let _ = writeln!(out, "{indent} |");
            }
            // Further lines begin below the text after `= help: `.
            let text = text.replace('\n', &format!("\n{indent}         "));
            let _ = writeln!(out, "{indent} = {kind}: {text}");
        }
        out
    }
}

/// The part of a line that is drawn.
struct LineWindow {
    /// The text, with dots for the parts that are left out.
    shown: String,
    /// The part of that text before the marked place.
    before: String,
}

/// The part of a line to draw, with `offset` in it. Only that part is examined, because a line may
/// be long and have many diagnostics.
///
/// With 8 instead of 120 characters, offset 9 of `abcdefghijklmnop` shows `... fghijklm ...`, and
/// offset 14 shows `... ijklmnop`.
fn window(line: &str, offset: usize) -> LineWindow {
    let (before, after) = line.split_at_checked(offset).unwrap_or((line, ""));
    let count_before = before.chars().rev().take(WIDEST_LINE).count();
    let count_after = after.chars().take(WIDEST_LINE).count();
    // The place is in the middle, unless the line begins or ends before that.
    let count_before = count_before.min((WIDEST_LINE / 2).max(WIDEST_LINE - count_after));
    let first = count_before.checked_sub(1).and_then(|it| before.char_indices().rev().nth(it));
    let start = first.map_or(before.len(), |(at, _)| at);
    let next = after.char_indices().nth(WIDEST_LINE - count_before);
    let end = next.map_or(after.len(), |(at, _)| at);
    #[expect(clippy::string_slice, reason = "`char_indices` returned both offsets")]
    let (before, shown_after) = (&before[start..], &after[..end]);
    add_steps(before.len() + end);
    let part = format!("{before}{shown_after}");
    let head = if start > 0 { "... " } else { "" };
    let is_complete = start == 0 && end == after.len();
    let shown = match (is_complete, end == after.len()) {
        (true, _) => part.trim_end().to_owned(),
        (false, true) => format!("{head}{part}"),
        (false, false) => format!("{head}{part} ..."),
    };
    LineWindow { shown, before: format!("{}{before}", " ".repeat(head.len())) }
}

#[cfg(test)]
mod tests {
    use super::super::{Code, Diagnostic, SourceSpan, SourceText};

    fn report(text: &str, span: SourceSpan) -> String {
        Diagnostic::new(Code::TemplateSyntax, "wrong")
            .with_span(span)
            .with_label("here")
            .with_note("one\ntwo")
            .render(&SourceText::new("f", text))
    }

    #[test]
    fn carets_are_under_characters_not_bytes() {
        let text = "x\né {{ é }}";
        let expected = "error: wrong\n --> f:2:6\n  |\n2 | é {{ é }}\n  |      ^ here\n  |\n  = note: one\n          two\n";
        assert_eq!(report(text, SourceSpan::new(8, 10)), expected);
    }

    #[test]
    fn a_span_over_several_lines_is_marked_on_its_first_line() {
        assert!(report("ab\ncd", SourceSpan::new(1, 5)).contains("1 | ab\n  |  ^ here"));
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let text = format!("{}{{{{ x }}}}{}", "a".repeat(500), "b".repeat(500));
        let report = report(&text, SourceSpan::new(503, 504));
        let lines: Vec<&str> = report.lines().collect();
        assert!(lines[3].starts_with("1 | ... aaa") && lines[3].ends_with("bbb ..."));
        assert_eq!(lines[4].find('^'), lines[3].find('x'));
    }

    #[test]
    fn a_place_near_the_end_of_a_long_line_shows_more_of_the_line_before_it() {
        let line = |length: usize| format!("{}x", "a".repeat(length));
        let drawn = report(&line(500), SourceSpan::new(500, 501));
        let expected = format!("1 | ... {}x\n", "a".repeat(119));
        assert!(drawn.contains(&expected), "{drawn}");
        let drawn = report(&line(119), SourceSpan::new(119, 120));
        assert!(drawn.contains(&format!("1 | {}\n", line(119))), "{drawn}");
        assert!(drawn.contains(&format!("  | {}^ here", " ".repeat(119))), "{drawn}");
    }

    #[test]
    fn the_end_of_the_text_can_be_marked() {
        assert!(report("ab", SourceSpan::new(2, 2)).contains("  |   ^ here"));
        assert!(report("", SourceSpan::new(0, 0)).contains("1 | \n  | ^ here"));
    }
}
