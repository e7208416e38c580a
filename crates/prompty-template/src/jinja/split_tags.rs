//! Tags whose braces are apart, as `{ % if x %}` and `{ {name} }`: some formatters of text write them so.

use std::ops::Range;

use super::dialect::TAGS;
use prompty_core::work::add_steps;

/// How many bytes behind a brace are looked at.
const LONGEST: usize = 120;

/// A place in a text where the braces of a tag are apart. Ranges are in bytes of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SplitTag<'t> {
    /// The opener, as `{ %`, or all of `{ {name} }`.
    pub range: Range<usize>,
    /// What it is meant to be: `{%` or `{{`.
    pub opener: &'static str,
    /// The tag's first word, or the name that is printed.
    pub word: &'t str,
}

/// The tags of a text whose braces are apart, from left to right.
pub fn split_tags(text: &str) -> impl Iterator<Item = SplitTag<'_>> {
    add_steps(text.len());
    text.match_indices('{').filter_map(|(start, _)| split_tag(text, start))
}

fn split_tag(text: &str, start: usize) -> Option<SplitTag<'_>> {
    let line = line_behind(text, start + 1);
    let inner = line.trim_start_matches([' ', '\t']);
    let apart = line.len() - inner.len();
    if let Some(tag) = inner.strip_prefix('%') {
        let word = first_word(tag.trim_start_matches(['-', '+']).trim_start());
        let is_tag = apart > 0 && is_tag_word(word);
        return is_tag.then(|| SplitTag {
            range: start..start + 1 + apart + 1,
            opener: "{%",
            word,
        });
    }
    let name = inner.strip_prefix('{')?;
    let (name, behind) = name.split_once('}')?;
    let behind_brace = behind.trim_start_matches([' ', '\t']).strip_prefix('}')?;
    let is_apart = apart > 0 || behind_brace.len() + 1 < behind.len();
    let word = first_word(name.trim_start());
    let length = line.len() - behind_brace.len();
    (is_apart && !word.is_empty()).then(|| SplitTag {
        range: start..start + 1 + length,
        opener: "{{",
        word,
    })
}

/// The rest of a line, or the first part of it: a text may have a brace at each place.
#[expect(clippy::string_slice, reason = "the callers found a brace in front of `start`")]
fn line_behind(text: &str, start: usize) -> &str {
    let end = text.floor_char_boundary(start + LONGEST);
    text[start..end].split('\n').next().unwrap_or_default()
}

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

    fn found(text: &str) -> Vec<(&str, &str)> {
        split_tags(text)
            .map(|tag| (text.get(tag.range.clone()).unwrap_or_default(), tag.word))
            .collect()
    }

    #[test]
    fn braces_that_are_apart_are_found() {
        assert_eq!(found("{ % if x %}a{  %- endif %}"), [("{ %", "if"), ("{  %", "endif")]);
        assert_eq!(found("a { {name} } b"), [("{ {name} }", "name")]);
        assert_eq!(found("{ { a.b | upper }}"), [("{ { a.b | upper }}", "a")]);
        assert_eq!(found("{{ name } }"), [("{{ name } }", "name")]);
    }

    #[test]
    fn other_braces_are_left_alone() {
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
            assert_eq!(found(text), [], "{text}");
        }
    }
}
