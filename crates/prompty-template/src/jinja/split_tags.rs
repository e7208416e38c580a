//! Tags with a space in their delimiters, such as `{ % if x %}` and `{ {name} }`. Some text
//! formatters produce them.

use std::ops::Range;

use super::dialect::TAGS;
use prompty_core::work::add_steps;

/// The maximum number of bytes that are examined after a brace.
const MAX_LENGTH: usize = 120;

/// A tag with a space in its delimiters. Ranges are in bytes of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SplitTag<'t> {
    /// The range of the opening delimiter, such as `{ %`, or of all of `{ {name} }`.
    pub range: Range<usize>,
    /// The intended delimiter: `{%` or `{{`.
    pub opener: &'static str,
    /// The tag's first word, or the name that is printed.
    pub word: &'t str,
}

/// Finds the tags with a space in their delimiters, from left to right.
pub fn split_tags(text: &str) -> impl Iterator<Item = SplitTag<'_>> {
    add_steps(text.len());
    text.match_indices('{').filter_map(|(start, _)| split_tag(text, start))
}

/// Returns the tag that begins with the brace at `start`, if it has a space in its delimiters.
fn split_tag(text: &str, start: usize) -> Option<SplitTag<'_>> {
    let line = rest_of_line(text, start + 1);
    let inner = line.trim_start_matches([' ', '\t']);
    let gap = line.len() - inner.len();
    if let Some(tag) = inner.strip_prefix('%') {
        let word = first_word(tag.trim_start_matches(['-', '+']).trim_start());
        let is_tag = gap > 0 && is_tag_word(word);
        return is_tag.then(|| SplitTag { range: start..start + 1 + gap + 1, opener: "{%", word });
    }
    let (name, rest) = inner.strip_prefix('{')?.split_once('}')?;
    let after_brace = rest.trim_start_matches([' ', '\t']).strip_prefix('}')?;
    // A space in the opening delimiter, or in the closing one.
    let is_split = gap > 0 || after_brace.len() + 1 < rest.len();
    let word = first_word(name.trim_start());
    let length = line.len() - after_brace.len();
    (is_split && !word.is_empty()).then(|| SplitTag {
        range: start..start + 1 + length,
        opener: "{{",
        word,
    })
}

/// Returns the rest of a line, up to [`MAX_LENGTH`]. The limit keeps a text of many braces linear.
#[expect(clippy::string_slice, reason = "the callers found a brace before `start`")]
fn rest_of_line(text: &str, start: usize) -> &str {
    let end = text.floor_char_boundary(start + MAX_LENGTH);
    text[start..end].split('\n').next().unwrap_or_default()
}

/// Returns the name at the start of a text, which may be empty.
fn first_word(text: &str) -> &str {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let word = text.split(|character| !is_part(character)).next().unwrap_or(text);
    if word.starts_with(|first: char| first.is_ascii_digit()) { "" } else { word }
}

fn is_tag_word(word: &str) -> bool {
    TAGS.contains(&word)
        || matches!(word, "else" | "elif")
        || word.strip_prefix("end").is_some_and(|tag| TAGS.contains(&tag))
}

#[cfg(test)]
mod tests {
    use super::split_tags;

    fn find(text: &str) -> Vec<(&str, &str)> {
        split_tags(text)
            .map(|tag| (text.get(tag.range.clone()).unwrap_or_default(), tag.word))
            .collect()
    }

    #[test]
    fn split_delimiters_are_found() {
        assert_eq!(find("{ % if x %}a{  %- endif %}"), [("{ %", "if"), ("{  %", "endif")]);
        assert_eq!(find("a { {name} } b"), [("{ {name} }", "name")]);
        assert_eq!(find("{ { a.b | upper }}"), [("{ { a.b | upper }}", "a")]);
        assert_eq!(find("{{ name } }"), [("{{ name } }", "name")]);
    }

    #[test]
    fn other_braces_are_ignored() {
        for text in [
            "{% if x %}{{ name }}{# c #}",
            "{ % }",
            "{ % off }",
            "100 { % discount",
            "{\"a\": {\"b\": 1} }",
            "{ {1} }",
            "{ {\n name} }",
            "{ }",
            "{",
        ] {
            assert_eq!(find(text), [], "{text}");
        }
    }
}
