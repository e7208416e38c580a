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
use std::ops::Bound;

use super::lookalikes::{folded, is_invisible};

/// The beginnings of lines that are not part of a value.
#[derive(Debug, Default)]
pub(super) struct Titles {
    /// Titles in brackets and before a colon, folded.
    bracketed: BTreeSet<String>,
    /// Names before a colon, folded: the roles at the beginning and end of a single text.
    framing: BTreeSet<String>,
}

impl Titles {
    /// Adds a title in brackets. Returns `true` if it is new.
    pub(super) fn add(&mut self, title: &str) -> bool {
        let is_new = !self.bracketed.contains(&comparable(title));
        self.bracketed.extend(forms(title));
        is_new
    }

    /// Adds a role that begins or ends a single text.
    pub(super) fn add_frame(&mut self, role: &str) {
        self.framing.extend(forms(role));
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
        let mut visible = folded(line);
        let is_bracket = matches!((visible.next(), visible.next()), (Some('[' | ']'), None));
        is_bracket || self.is_title(line)
    }

    /// Whether a line begins with what looks like a title.
    pub(super) fn is_title(&self, line: &str) -> bool {
        let mut visible = folded(line).peekable();
        // `[INPUT]:`, also with the wide signs of Chinese and Japanese texts: `［INPUT］：`.
        if visible.next_if_eq(&'[').is_some() {
            return is_title_before(']', &mut visible, &self.bracketed)
                && visible.next() == Some(':');
        }
        // `assistant:`
        is_title_before(':', &mut visible, &self.framing)
    }
}

/// Whether the folded text before a sign is a title. The line is read only as far as a title begins
/// with it.
fn is_title_before(
    sign: char,
    line: &mut impl Iterator<Item = char>,
    titles: &BTreeSet<String>,
) -> bool {
    let mut text = String::new();
    for character in line {
        if character == sign {
            return titles.contains(&text);
        }
        text.push(character);
        let first = titles.range::<str, _>((Bound::Included(&*text), Bound::Unbounded)).next();
        if !first.is_some_and(|it| it.starts_with(&text)) {
            return false;
        }
    }
    false
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

/// The folded form of a title, for comparison: two titles that look the same are equal.
pub(super) fn comparable(title: &str) -> String {
    folded(title).collect()
}

/// The folded forms of a title in each case. `ν` looks like `v`, but `Ν` like `N`.
fn forms(title: &str) -> [String; 3] {
    [comparable(title), comparable(&title.to_uppercase()), comparable(&title.to_lowercase())]
}

fn is_line_break(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::Titles;
    use crate::work::count_steps;

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
    fn an_invisible_character_does_not_hide_a_title() {
        for code in [
            0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x180b, 0x2800, 0x3164, 0xffa0, 0xfff9,
            0x1d173, 0xe0100,
        ] {
            let hidden = char::from_u32(code).unwrap();
            for line in [
                format!("{hidden}[INPUT]:"),
                format!("[IN{hidden}PUT]:"),
                format!("[INPUT]{hidden}:"),
                format!("assis{hidden}tant:"),
            ] {
                let escaped = titles().escape(&line);
                assert_eq!(escaped.replace('\\', ""), line);
                assert_ne!(escaped, line, "U+{code:04X}");
            }
        }
    }

    #[test]
    fn letters_of_other_scripts_do_not_hide_a_title() {
        for line in ["［ＩＮＰＵＴ］：", "[ІΝРUТ]:", "[lnput]:", "аsѕіѕтant∶", "﹇INPUT﹈︰"]
        {
            assert_eq!(titles().escape(line), format!("\\{line}"));
        }
    }

    #[test]
    fn the_case_of_a_title_does_not_matter_in_any_script() {
        for character in ('\0'..=char::MAX).filter(|it| it.is_uppercase() || it.is_lowercase()) {
            let title = format!("a{character}b");
            let mut titles = Titles::default();
            titles.add(&title);
            for line in [title.to_uppercase(), title.to_lowercase()] {
                assert!(titles.is_title(&format!("[{line}]:")), "{title} {line}");
            }
        }
    }

    #[test]
    fn a_line_is_read_only_as_far_as_a_title_begins_with_it() {
        let titles = titles();
        for line in ["x".repeat(1 << 20), format!("[{}", "input".repeat(1 << 20))] {
            let (is_title, steps) = count_steps(|| titles.is_title(&line));
            assert!(!is_title && steps < 10, "{steps}");
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
