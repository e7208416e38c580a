//! Splits a prompt's source into front matter and body (Prompty §2.2).

use prompty_core::diagnostic::SourceSpan;

/// The spans of the two parts of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SourceParts {
    /// The lines between the delimiters; `None` if the source has no front matter.
    pub(super) front_matter: Option<SourceSpan>,
    /// The rest of the source, without the newlines at its end.
    pub(super) body: SourceSpan,
}

/// The error for a front matter that is not closed, with the span of its opening delimiter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UnclosedFrontMatter(pub(super) SourceSpan);

/// Splits a source with normalised line ends (`\n`).
///
/// A delimiter is `---` or `+++`, alone on its line. White space may precede the opening delimiter.
/// The closing delimiter has no indentation, or that of the opening one. So an indented `---`
/// inside a YAML block does not close the front matter.
pub(super) fn split(text: &str) -> Result<SourceParts, UnclosedFrontMatter> {
    let content = text.trim_start();
    let opener_start = text.len() - content.len();
    // The source may end with the opening delimiter, without a newline.
    let (opener_line, lines) = content.split_once('\n').unwrap_or((content, ""));
    if !is_delimiter(opener_line) {
        return Ok(SourceParts { front_matter: None, body: body(text, 0) });
    }
    let before_opener = text.get(..opener_start).unwrap_or_default();
    let indent = before_opener.rsplit('\n').next().unwrap_or_default();
    let start = text.len() - lines.len();
    for (line_start, line) in lines_from(text, start) {
        if is_delimiter(line) || line.strip_prefix(indent).is_some_and(is_delimiter) {
            let front_matter = Some(SourceSpan::new(start, line_start));
            return Ok(SourceParts { front_matter, body: body(text, line_start + line.len()) });
        }
    }
    Err(UnclosedFrontMatter(SourceSpan::new(opener_start, opener_start + 3)))
}

/// A possible front matter in a text without one: the lines up to the first delimiter, or those
/// between two lines such as `--`, which are nearly delimiters.
pub(super) fn possible_front_matter(text: &str) -> Option<SourceSpan> {
    let mut lines = text.trim_start();
    let first = lines.split_inclusive('\n').next()?;
    if is_almost_delimiter(first) {
        lines = lines.strip_prefix(first)?;
    }
    let start = text.len() - lines.len();
    let is_end = |line: &str| is_delimiter(line) || is_almost_delimiter(line);
    let (end, _) = lines_from(text, start).find(|(_, line)| is_end(line))?;
    Some(SourceSpan::new(start, end))
}

/// The line that was probably meant to close a front matter that begins at `start`. The line is an
/// indented delimiter, or is nearly a delimiter.
pub(super) fn probable_closer(text: &str, start: usize) -> Option<SourceSpan> {
    let is_meant = |line: &str| {
        let plain = line.trim();
        // YAML itself ends a document with `...`.
        is_delimiter(plain) || is_almost_delimiter(plain) || plain == "..."
    };
    let mut lines = lines_from(text, start).skip(1);
    let (closer, line) = lines.find(|(_, line)| is_meant(line))?;
    Some(SourceSpan::new(closer, closer + line.trim_end().len()))
}

/// The lines from a place on, each with its start.
fn lines_from(text: &str, start: usize) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.get(start..).unwrap_or_default().split_inclusive('\n');
    lines.scan(start, |next, line| {
        let line_start = *next;
        *next += line.len();
        Some((line_start, line))
    })
}

/// Whether a line consists only of dashes but is not a delimiter: `--`, `-----`, or an en or em
/// dash that an editor wrote in place of dashes.
fn is_almost_delimiter(line: &str) -> bool {
    let line = line.trim_end();
    let is_dash = |character| matches!(character, '-' | '\u{2013}' | '\u{2014}');
    !line.is_empty() && !is_delimiter(line) && line.chars().all(is_dash)
}

fn is_delimiter(line: &str) -> bool {
    matches!(line.trim_end(), "---" | "+++")
}

/// The body of a text prompt: also the line breaks at its end, as its language writes them. `body`
/// is the body without them.
pub(super) fn body_of_text(source: &str, body: SourceSpan, drops_last: bool) -> SourceSpan {
    let after = source.get(body.end..).unwrap_or_default();
    if !after.bytes().all(|byte| byte == b'\n') {
        return body;
    }
    let has_break = source.get(body.start..).is_some_and(|text| text.ends_with('\n'));
    SourceSpan::new(body.start, source.len() - usize::from(has_break && drops_last))
}

/// The body that begins at `start`, without the newlines at its end.
fn body(text: &str, start: usize) -> SourceSpan {
    SourceSpan::new(start, text.trim_end_matches('\n').len().max(start))
}

#[cfg(test)]
mod tests {
    use super::{SourceParts, UnclosedFrontMatter, split};
    use prompty_core::diagnostic::SourceSpan;

    fn parts(text: &str) -> (Option<&str>, &str) {
        let SourceParts { front_matter, body } = split(text).unwrap();
        let slice = |span: SourceSpan| text.get(span.start..span.end).unwrap();
        (front_matter.map(slice), slice(body))
    }

    #[test]
    fn a_text_without_a_delimiter_is_only_a_body() {
        assert_eq!(parts("Just text\n---\nmore\n\n"), (None, "Just text\n---\nmore"));
        assert_eq!(parts("----\nname: x\n---\n"), (None, "----\nname: x\n---"));
        assert_eq!(parts("--- name\n"), (None, "--- name"));
        assert_eq!(parts(""), (None, ""));
        assert_eq!(parts("\n\n"), (None, ""));
    }

    #[test]
    fn the_two_delimiters_need_not_match() {
        assert_eq!(parts("---\na: 1\n+++\nBody"), (Some("a: 1\n"), "Body"));
        assert_eq!(parts("+++ \na: 1\n---\t\nBody"), (Some("a: 1\n"), "Body"));
    }

    #[test]
    fn an_empty_front_matter_is_not_a_missing_one() {
        assert_eq!(parts("---\n---\nBody"), (Some(""), "Body"));
        assert_eq!(parts("---\n---"), (Some(""), ""));
    }

    #[test]
    fn white_space_may_precede_the_opener() {
        assert_eq!(parts("\n  ---\na: 1\n---\nBody"), (Some("a: 1\n"), "Body"));
        assert_eq!(parts("\n  ---\n  a: 1\n  ---\n  Body"), (Some("  a: 1\n"), "  Body"));
    }

    #[test]
    fn an_indented_rule_in_a_block_scalar_does_not_close() {
        let text = "---\ndescription: |\n  above\n  ---\n  below\n---\nBody";
        assert_eq!(parts(text), (Some("description: |\n  above\n  ---\n  below\n"), "Body"));
    }

    #[test]
    fn a_rule_in_the_body_is_kept() {
        assert_eq!(parts("---\n---\nabove\n\n---\n\nbelow\n").1, "above\n\n---\n\nbelow");
    }

    #[test]
    fn an_unclosed_front_matter_is_reported_at_its_opener() {
        assert_eq!(
            split(" ---\nname: x\n --- y\n"),
            Err(UnclosedFrontMatter(SourceSpan::new(1, 4)))
        );
        assert_eq!(split("---"), Err(UnclosedFrontMatter(SourceSpan::new(0, 3))));
    }
}
