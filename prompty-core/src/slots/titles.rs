//! The titles of blocks, and the lines of values that look like one.
//!
//! A block begins with its title, and nothing else says where it ends. So a line of a value that would
//! be read as a title of the same prompt gets a backslash in front: `\[INPUT]:`. In a list or a map it is quoted
//! instead, as YAML can do that without changing the value. All other text stays as it is.

use std::collections::BTreeSet;

/// What the lines of a prompt may begin with that are no value.
#[derive(Debug, Default)]
pub(super) struct Titles {
    /// In brackets and before a colon, in lower case.
    bracketed: BTreeSet<String>,
    /// Before a colon, in lower case: the roles in which a prompt of one text is framed.
    framing: BTreeSet<String>,
}

impl Titles {
    /// Adds a title that stands in brackets, and says whether it is a new one.
    pub(super) fn add(&mut self, title: &str) -> bool {
        self.bracketed.insert(plain(title))
    }

    /// Adds a role that frames the prompt.
    pub(super) fn add_frame(&mut self, role: &str) {
        self.framing.insert(plain(role));
    }

    /// A value's text, with a backslash in front of each title that it has at the beginning of a line.
    pub(super) fn escape(&self, text: &str) -> String {
        escape_lines(text, Start::OfLine, |line| self.is_title(line))
    }

    /// The same for a text that stands behind something else in its first line.
    pub(super) fn escape_behind(&self, text: &str) -> String {
        escape_lines(text, Start::WithinLine, |line| self.is_title(line))
    }

    /// The same, with a backslash also in front of a bracket that has a line for itself.
    pub(super) fn escape_in_brackets(&self, text: &str) -> String {
        escape_lines(text, Start::WithinLine, |line| self.is_title_or_bracket(line))
    }

    /// Whether a line begins as a title, or is nothing but a bracket.
    pub(super) fn is_title_or_bracket(&self, line: &str) -> bool {
        let is_bracket = matches!(line.trim_matches(is_invisible), "[" | "]" | "［" | "］");
        is_bracket || self.is_title(line)
    }

    /// Whether a line begins as a title, however it is spaced and cased.
    pub(super) fn is_title(&self, line: &str) -> bool {
        let line = line.trim_start_matches(is_invisible);
        if let Some(inside) = line.strip_prefix(['[', '［']) {
            let Some((title, behind)) = inside.split_once([']', '］']) else { return false };
            return is_colon_first(behind) && self.bracketed.contains(&plain(title));
        }
        let Some((name, _)) = line.split_once([':', '：']) else { return false };
        self.framing.contains(&plain(name))
    }
}

/// Where the first line of a text begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    OfLine,
    WithinLine,
}

/// A text with a backslash in front of each line for which `is_wrong` says so, behind its blanks.
fn escape_lines(text: &str, start: Start, is_wrong: impl Fn(&str) -> bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut begins_line = start == Start::OfLine;
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

/// A title as it is compared: without blanks, invisible characters and case.
pub(super) fn plain(title: &str) -> String {
    let visible: String = title.chars().filter(|c| !is_invisible(*c)).collect();
    visible.to_lowercase()
}

fn is_colon_first(text: &str) -> bool {
    text.trim_start_matches(is_invisible).starts_with([':', '：'])
}

fn is_line_break(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a character takes no room, or only room.
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
    fn other_lines_stay_as_they_are() {
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
