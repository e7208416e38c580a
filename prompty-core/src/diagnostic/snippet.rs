//! Draws a finding: the line it is on, carets under it, and what helps.

use std::fmt::Write;

use super::{Diagnostic, SourceText};

/// The longest part of a line that is drawn, in characters.
const WIDEST_LINE: usize = 120;

impl Diagnostic {
    /// The finding as an annotated snippet, headed `error: ` or `warning: `, ending in a newline.
    pub fn render(&self, source: &SourceText) -> String {
        format!("{}: {}", self.severity, self.render_body(source))
    }

    /// The snippet without `error: ` before it, for a compiler that writes that itself.
    pub fn render_body(&self, source: &SourceText) -> String {
        draw(self, source)
    }
}

fn draw(diagnostic: &Diagnostic, source: &SourceText) -> String {
    let mut out = format!("{}\n", diagnostic.message);
    let mut indent = String::from(" ");
    if let Some(span) = diagnostic.span {
        let (source, span) = source.origin(span);
        let place = source.place(span.start);
        let number = place.line.to_string();
        indent = " ".repeat(number.len());
        let (line_start, line) = source.line_at(span.start);
        let span = source.shown_span(span);
        let (shown, skipped) = window(line, span.start.saturating_sub(line_start));
        let before = line.get(..span.start - line_start).unwrap_or(line);
        let padding: String = before
            .chars()
            .skip(skipped)
            .map(|character| if character == '\t' { '\t' } else { ' ' })
            .collect();
        let padding = if skipped > 0 { format!("    {padding}") } else { padding };
        let marked_end = span.end.saturating_sub(line_start).min(line.len());
        let width = line
            .get(before.len()..marked_end)
            .map_or(1, |marked| marked.chars().count())
            .clamp(1, WIDEST_LINE);
        let label = diagnostic.label.as_deref().unwrap_or_default();
        let carets = format!("{padding}{} {label}", "^".repeat(width));
        // Writing to a `String` does not fail.
        let _ = write!(
            out,
            "{indent}--> {place}\n{indent} |\n{number} | {shown}\n{indent} | {}\n",
            carets.trim_end()
        );
    }
    let remarks = diagnostic.help.iter().map(|text| ("help", text));
    let remarks = remarks.chain(diagnostic.notes.iter().map(|text| ("note", text)));
    for (index, (kind, text)) in remarks.enumerate() {
        if index == 0 && diagnostic.span.is_some() {
            let _ = writeln!(out, "{indent} |");
        }
        let text = text.replace('\n', &format!("\n{indent}         "));
        let _ = writeln!(out, "{indent} = {kind}: {text}");
    }
    out
}

/// The part of a line to draw so that `offset` is in it, and how many characters are left out
/// before it.
fn window(line: &str, offset: usize) -> (String, usize) {
    let length = line.chars().count();
    if length <= WIDEST_LINE {
        return (line.trim_end().to_owned(), 0);
    }
    let position = line.get(..offset).map_or(0, |before| before.chars().count());
    let skipped = position.saturating_sub(WIDEST_LINE / 2).min(length - WIDEST_LINE);
    let part: String = line.chars().skip(skipped).take(WIDEST_LINE).collect();
    let head = if skipped > 0 { "... " } else { "" };
    let tail = if skipped + WIDEST_LINE < length { " ..." } else { "" };
    (format!("{head}{part}{tail}"), skipped)
}

#[cfg(test)]
mod tests {
    use super::super::{Code, Diagnostic, SourceText, Span};

    fn report(text: &str, span: Span) -> String {
        Diagnostic::new(Code::TemplateSyntax, "wrong")
            .at(span)
            .label("here")
            .note("one\ntwo")
            .render(&SourceText::new("f", text))
    }

    #[test]
    fn carets_stand_under_characters_not_bytes() {
        let text = "x\né {{ é }}";
        let expected = "error: wrong\n --> f:2:6\n  |\n2 | é {{ é }}\n  |      ^ here\n  |\n  = note: one\n          two\n";
        assert_eq!(report(text, Span::new(8, 10)), expected);
    }

    #[test]
    fn a_span_over_several_lines_is_marked_on_its_first() {
        assert!(report("ab\ncd", Span::new(1, 5)).contains("1 | ab\n  |  ^ here"));
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let text = format!("{}{{{{ x }}}}{}", "a".repeat(500), "b".repeat(500));
        let report = report(&text, Span::new(503, 504));
        let lines: Vec<&str> = report.lines().collect();
        assert!(lines[3].starts_with("1 | ... aaa") && lines[3].ends_with("bbb ..."));
        assert_eq!(lines[4].find('^'), lines[3].find('x'));
    }

    #[test]
    fn the_end_of_the_text_can_be_marked() {
        assert!(report("ab", Span::new(2, 2)).contains("  |   ^ here"));
        assert!(report("", Span::new(0, 0)).contains("1 | \n  | ^ here"));
    }
}
