//! The form of role markers (§6.2), by this expression of the specification:
//!
//! ```text
//! (?i)^\s*#?\s*(system|user|assistant|developer)(\[(\w+\s*=\s*"?[^"]*"?\s*,?\s*)+\])?\s*:\s*$
//! ```
//!
//! The text after the attributes contains no `]`. So the last `]` of the line closes them, and no
//! backtracking is needed. The `[^"]*` is loose on purpose: `user[a=b]: c]:` is a marker.

use std::ops::Range;

use super::Role;
use super::word::is_word;
use crate::work::add_steps;

/// A line that is a role marker. The ranges are in bytes of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MarkerLine {
    /// The role of the message that the marker opens.
    pub role: Role,
    /// The range of the role's name.
    pub role_range: Range<usize>,
    /// The range of the attributes, without their brackets.
    pub attributes_range: Option<Range<usize>>,
}

/// Parses a line as a marker; `None` if it is not one.
pub fn match_line(line: &str) -> Option<MarkerLine> {
    add_steps(line.len());
    // This test comes first, because nearly every line fails it.
    let before_colon = line.trim_end().strip_suffix(':')?.trim_end();
    let opened = before_colon.trim_start();
    let opened = opened.strip_prefix('#').unwrap_or(opened).trim_start();
    let role_start = before_colon.len() - opened.len();
    let (role, rest) = parse_role(opened)?;
    let role_range = role_start..before_colon.len() - rest.len();
    if rest.is_empty() {
        return Some(MarkerLine { role, role_range, attributes_range: None });
    }
    let inside = rest.strip_prefix('[')?.strip_suffix(']')?;
    if !is_attribute_list(inside) {
        return None;
    }
    let start = role_range.end + 1;
    Some(MarkerLine { role, role_range, attributes_range: Some(start..start + inside.len()) })
}

/// Whether a line of the text begins like a marker, whatever text follows the colon:
/// `(?im)^\s*(system|user|assistant|developer)\s*:`
pub fn opens_role(text: &str) -> bool {
    let ends = text.match_indices('\n').map(|(end, _)| end + 1);
    std::iter::once(0).chain(ends).filter_map(|start| text.get(start..)).any(|from_line| {
        // In the expression, `\s*` may span several lines. Each of them is tried as a start, so
        // here white space need not cross a line end.
        let is_indent = |character: char| character.is_whitespace() && character != '\n';
        parse_role(from_line.trim_start_matches(is_indent))
            .is_some_and(|(_, rest)| rest.trim_start().starts_with(':'))
    })
}

/// Parses the role at the beginning of a text, in any case, and returns the text after it. No
/// role's name is a prefix of another.
pub fn parse_role(text: &str) -> Option<(Role, &str)> {
    Role::OF_MARKERS.into_iter().find_map(|role| {
        let rest = without_prefix(text, role.as_str())?;
        Some((role, rest))
    })
}

/// Removes a name from the beginning of a text, in any case. The name is in lower case; `ſ` matches
/// `s`, as in a regular expression.
fn without_prefix<'text>(text: &'text str, name: &str) -> Option<&'text str> {
    let mut characters = text.chars();
    for expected in name.chars() {
        let given = characters.next()?;
        let folded = if given == '\u{17f}' { 's' } else { given.to_ascii_lowercase() };
        if folded != expected {
            return None;
        }
    }
    Some(characters.as_str())
}

/// Whether a text matches `(\w+\s*=\s*"?[^"]*"?\s*,?\s*)+`.
///
/// A character can match several parts of the expression. The function tracks all of these parts at
/// once, like a nondeterministic automaton, so its time is linear in the length of the text.
///
/// After `a=b` the states are `value` and `name`: `b` continues the value of `a`, or it is the name
/// of a second attribute, whose value would follow an `=`.
fn is_attribute_list(text: &str) -> bool {
    let mut states = MarkerStates { start: true, ..MarkerStates::default() };
    for character in text.chars() {
        add_steps(1);
        states = states.next(character);
    }
    states.can_end()
}

/// The states of the automaton: the parts of an attribute in which the text may be. The text
/// matches the expression if [`can_end`](Self::can_end) is true after its last character.
#[derive(Clone, Copy, Default)]
struct MarkerStates {
    /// Before the first attribute.
    start: bool,
    /// In the name.
    name: bool,
    /// In the white space after the name.
    after_name: bool,
    /// In the white space after `=`.
    after_equals: bool,
    /// In the value, which contains no quotes.
    value: bool,
    /// After the quote that ends the value, or in the white space after it.
    after_quote: bool,
    /// After the comma that follows the value, or in the white space after it.
    after_comma: bool,
}

impl MarkerStates {
    /// Whether the attributes may end here, or another one may begin.
    fn can_end(self) -> bool {
        self.after_equals || self.value || self.after_quote || self.after_comma
    }

    /// The states after one more character.
    fn next(self, character: char) -> Self {
        let (is_word, is_space) = (is_word(character), character.is_whitespace());
        let is_quote = character == '"';
        Self {
            start: false,
            name: is_word && (self.start || self.name || self.can_end()),
            after_name: is_space && (self.name || self.after_name),
            after_equals: (character == '=' && (self.name || self.after_name))
                || (is_space && self.after_equals),
            // A quote after `=` opens the value; it also closes an empty value.
            value: self.after_equals || (!is_quote && self.value),
            after_quote: (is_quote && (self.after_equals || self.value))
                || (is_space && self.after_quote),
            after_comma: (character == ',' && self.after_quote) || (is_space && self.after_comma),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::*;

    const LINE: &str = concat!(
        r"(?i)^\s*#?\s*(system|user|assistant|developer)",
        r#"(\[(\w+\s*=\s*"?[^"]*"?\s*,?\s*)+\])?\s*:\s*$"#,
    );

    /// Pieces of lines, most of which can be part of a marker. All characters are in the Unicode
    /// tables of the `regex` crate.
    fn pieces() -> impl Strategy<Value = String> {
        const EDGES: &str = "[|]|\"|=|,|:|#| |a|b=|a=\"b\"|x = 1|\", |\t|\n|\r|_|-|s|a=b]:|]:|[a=\"|\
            user|USER|u\u{17f}er|system|\u{85}|\u{a0}|\u{2028}|\u{200b}|\u{feff}|\u{200d}|\u{301}|\
            \u{17f}|\u{212a}|é|²|Ⅷ|٣|漢|😀";
        let edge = proptest::sample::select(EDGES.split('|').collect::<Vec<_>>());
        let low = proptest::char::range('\0', '\u{6ff}').prop_map(String::from);
        let symbol = proptest::char::range('\u{2000}', '\u{2fff}').prop_map(String::from);
        let piece = prop_oneof![16 => edge.prop_map(str::to_owned), 1 => low, 1 => symbol];
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    fn one_of(texts: &'static [&str]) -> impl Strategy<Value = &'static str> + Clone {
        proptest::sample::select(texts)
    }

    /// Lines that are nearly markers, and other lines.
    fn lines() -> impl Strategy<Value = String> {
        let role = one_of(&["user", "System", "assi\u{17f}tant", "DEVELOPER", "tool", "\u{212a}"]);
        let indent = one_of(&["", " ", "#", " # ", "\u{3000}#\t", "##"]);
        let end = one_of(&["]:", "] : ", "]", ":", "]:\u{2003}", ""]);
        prop_oneof![
            (indent.clone(), role.clone(), pieces(), end)
                .prop_map(|(indent, role, inside, end)| format!("{indent}{role}[a={inside}{end}")),
            (indent.clone(), role.clone(), pieces())
                .prop_map(|(indent, role, inside)| format!("{indent}{role}[{inside}]:")),
            (indent, role, pieces())
                .prop_map(|(indent, role, rest)| format!("{indent}{role}{rest}")),
            pieces(),
        ]
    }

    /// The result of the specification's expression for a line.
    fn expected(expression: &Regex, line: &str) -> Option<MarkerLine> {
        let captures = expression.captures(line)?;
        let role = captures.get(1)?;
        let name = role.as_str().replace('\u{17f}', "s").to_ascii_lowercase();
        let attributes_range = captures.get(2).map(|group| group.start() + 1..group.end() - 1);
        Some(MarkerLine {
            role: Role::OF_MARKERS.into_iter().find(|role| role.as_str() == name)?,
            role_range: role.range(),
            attributes_range,
        })
    }

    proptest! {
        #[test]
        fn a_line_matches_like_the_expression_of_the_specification(line in lines()) {
            thread_local!(static EXPRESSION: Regex = Regex::new(LINE).unwrap());
            let expected = EXPRESSION.with(|expression| expected(expression, &line));
            prop_assert_eq!(match_line(&line), expected);
        }

        #[test]
        fn attributes_match_like_their_expression(text in pieces()) {
            thread_local!(static EXPRESSION: Regex =
                Regex::new(r#"^(\w+\s*=\s*"?[^"]*"?\s*,?\s*)+$"#).unwrap());
            let expected = EXPRESSION.with(|expression| expression.is_match(&text));
            prop_assert_eq!(is_attribute_list(&text), expected);
        }

        #[test]
        fn a_role_opens_where_the_expression_matches(before in pieces(), line in lines()) {
            thread_local!(static EXPRESSION: Regex =
                Regex::new(r"(?im)^\s*(system|user|assistant|developer)\s*:").unwrap());
            let text = before + &line;
            let expected = EXPRESSION.with(|expression| expression.is_match(&text));
            prop_assert_eq!(opens_role(&text), expected);
        }
    }

    #[test]
    fn a_long_line_takes_linear_time() {
        let line = format!("user[{}]:", "a=b, \"".repeat(200_000));
        assert!(match_line(&line).is_some());
        assert!(!opens_role(&"user\n \n".repeat(200_000)));
    }
}
