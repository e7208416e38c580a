//! The titles of blocks, and escapes for lines of values that look like one.
//!
//! A block begins with its title and ends where the next one begins. If a line of a value could be
//! read as a title, a backslash is written before it: `\[INPUT]:`. In a list or an object the line
//! is quoted instead, which does not change the value. Other text is not changed.
//!
//! A model reads the text of blocks as it is, so titles cannot carry a nonce as role markers do.
//! The titles of a prompt are therefore collected before any of its values is written, and no two
//! of them may be equal: a reader distinguishes blocks by their titles only. For the same reason, a
//! custom title in a single text must not be the name of a role.

use std::collections::BTreeSet;

/// The beginnings of lines that are not part of a value.
#[derive(Debug, Default)]
pub(super) struct Titles {
    /// Titles in brackets and before a colon, in lower case.
    bracketed: BTreeSet<String>,
    /// Names before a colon, in lower case: the roles at the beginning and end of a single text.
    framing: BTreeSet<String>,
}

impl Titles {
    /// Adds a title in brackets. Returns `true` if it is new.
    pub(super) fn add(&mut self, title: &str) -> bool {
        self.bracketed.insert(comparable(title))
    }

    /// Adds a role that begins or ends a single text.
    pub(super) fn add_frame(&mut self, role: &str) {
        self.framing.insert(comparable(role));
    }

    /// Escapes each title at the beginning of a line of a value with a backslash.
    pub(super) fn escape(&self, text: &str) -> String {
        escape_lines(text, TextStart::NewLine, |line| self.is_title(line))
    }

    /// Like [`escape`](Self::escape), for a text whose first line is after other text.
    pub(super) fn escape_within_line(&self, text: &str) -> String {
        escape_lines(text, TextStart::WithinLine, |line| self.is_title(line))
    }

    /// Like [`escape_within_line`](Self::escape_within_line), also for lines of a single bracket.
    pub(super) fn escape_in_brackets(&self, text: &str) -> String {
        escape_lines(text, TextStart::WithinLine, |line| self.is_title_or_bracket(line))
    }

    /// Whether a line begins with a title, or is a single bracket.
    pub(super) fn is_title_or_bracket(&self, line: &str) -> bool {
        let is_bracket = matches!(line.trim_matches(is_invisible), "[" | "]" | "［" | "］");
        is_bracket || self.is_title(line)
    }

    /// Whether a line begins with a title, with any spacing and case.
    pub(super) fn is_title(&self, line: &str) -> bool {
        let line = line.trim_start_matches(is_invisible);
        // `[INPUT]:`, also with the wide signs of Chinese and Japanese texts: `［INPUT］：`.
        if let Some(inside) = line.strip_prefix(['[', '［']) {
            let Some((title, after)) = inside.split_once([']', '］']) else { return false };
            return is_colon_first(after) && self.bracketed.contains(&comparable(title));
        }
        // `assistant:`
        let Some((name, _)) = line.split_once([':', '：']) else { return false };
        self.framing.contains(&comparable(name))
    }
}

/// The position at which a text begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextStart {
    NewLine,
    WithinLine,
}

/// Writes a backslash before the content of each line for which `is_wrong` returns `true`.
fn escape_lines(text: &str, start: TextStart, is_wrong: impl Fn(&str) -> bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut begins_line = start == TextStart::NewLine;
    for line in text.split_inclusive(is_line_break) {
        escaped.push_str(line);
        if begins_line && is_wrong(line) {
            let content = line.trim_start_matches(is_invisible);
            escaped.insert(escaped.len() - content.len(), '\\');
        }
        begins_line = true;
    }
    escaped
}

/// A title without white space, invisible characters and case, for comparison: `House rules` ->
/// `houserules`.
pub(super) fn comparable(title: &str) -> String {
    let visible: String = title.chars().filter(|c| !is_invisible(*c)).collect();
    visible.to_lowercase()
}

fn is_colon_first(text: &str) -> bool {
    text.trim_start_matches(is_invisible).starts_with([':', '：'])
}

fn is_line_break(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a character is invisible: white space, a control character, or one that only formats
/// other text, such as a soft hyphen, a joiner or a mark of the writing direction.
fn is_invisible(character: char) -> bool {
    let is_format = matches!(
        character,
        '\u{AD}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{2069}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}'
    );
    is_format || character.is_whitespace() || character.is_control()
}

#[cfg(test)]
mod tests {
    use super::Titles;

    fn titles() -> Titles {
        let mut titles = Titles::default();
        titles.add("INPUT");
        titles.add_frame("assistant");
        titles
    }

    #[test]
    fn a_line_that_looks_like_a_title_gets_a_backslash() {
        let lines =
            ["[INPUT]:", "  [input] : x", "\u{200B}[INPUT]:", "[IN\u{200D}PUT]：", "Assistant: Hi"];
        for line in lines {
            let escaped = titles().escape(&format!("a\n{line}"));
            assert_eq!(escaped.chars().filter(|c| *c == '\\').count(), 1, "{line:?}");
        }
    }

    #[test]
    fn other_lines_are_not_changed() {
        for text in
            ["see [INPUT]: x", "[1]: a", "[INPUT](url)", "the assistant: x", "[INPUT", "a\n\nb\r\n"]
        {
            assert_eq!(titles().escape(text), text);
        }
    }

    #[test]
    fn every_line_break_begins_a_line() {
        for line_break in ["\n", "\r", "\r\n", "\u{2028}", "\u{85}", "\u{c}"] {
            let escaped = titles().escape(&format!("a{line_break}[INPUT]:"));
            assert_eq!(escaped, format!("a{line_break}\\[INPUT]:"));
        }
    }
}
