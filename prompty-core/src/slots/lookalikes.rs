//! Folds texts that look the same into the same text, with the tables of Unicode.
//!
//! A model or a reader cannot distinguish `[INPUT]:` from the same line with an invisible character
//! inside it, or with a Cyrillic `І`. So titles are compared in a folded form: without characters
//! that are not visible, without case, and with one character for all that look like it (Unicode
//! Technical Standard 39, confusable detection).
//!
//! `Ｉnput` becomes `lnput`, and so does `input`: `I`, `l` and `1` look the same, and case does not
//! matter.

use std::iter;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::skeleton;

use crate::work::add_steps;

/// The folded form of a text. It contains no white space and no invisible characters.
pub(super) fn folded(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().flat_map(|character| {
        add_steps(1);
        fold(character).chars().collect::<Vec<_>>()
    })
}

/// Whether nothing of a character can be seen.
pub(super) fn is_invisible(character: char) -> bool {
    fold(character).is_empty()
}

/// The folded form of a character. Most have one character, but `m` looks like `rn`.
fn fold(character: char) -> String {
    if !is_printable(character) {
        return String::new();
    }
    // A letter in one case may look like a Latin letter although it does not in the other one: the
    // Cyrillic `т` does not, but `Т` does. `ⓘ` is `i` in its compatibility form alone.
    let written = visible_skeleton(iter::once(character));
    let upper = iter::once_with(|| visible_skeleton(character.to_uppercase()));
    let lower = visible_skeleton(character.to_lowercase());
    let compatible = iter::once_with(|| visible_skeleton(iter::once(character).nfkd()));
    let mut forms = iter::once(written).chain(upper).chain([lower.clone()]).chain(compatible);
    match forms.find(|it| it.is_ascii()) {
        // The skeleton of `I` is `l`, and that of `i` is itself.
        Some(latin) => visible_skeleton(latin.to_lowercase().chars()).replace('i', "l"),
        None => lower,
    }
}

/// The skeleton of a text without white space: `Ｉ` becomes `l`.
fn visible_skeleton(text: impl Iterator<Item = char>) -> String {
    skeleton(&text.collect::<String>()).filter(|it| !it.is_whitespace()).collect()
}

/// Whether a character is not a control, and the standard library prints it in a string as it is. It
/// writes a format character or an unassigned one as `\u{fff9}`.
fn is_printable(character: char) -> bool {
    let is_escaped = || character.escape_debug().nth(1) == Some('u');
    is_combining_mark(character) || !character.is_control() && !is_escaped()
}

#[cfg(test)]
mod tests {
    use super::{folded, is_invisible};

    fn fold(text: &str) -> String {
        folded(text).collect()
    }

    #[test]
    fn each_character_without_ink_is_invisible() {
        for code in [
            0x09, 0x20, 0x85, 0xa0, 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x180b, 0x180e,
            0x2003, 0x200b, 0x202e, 0x2060, 0x2066, 0x2800, 0x3164, 0xfe0f, 0xfeff, 0xffa0, 0xfff9,
            0x1d173, 0xe0041, 0xe0100,
        ] {
            let character = char::from_u32(code).unwrap();
            assert!(is_invisible(character), "U+{code:04X}");
        }
    }

    #[test]
    fn each_control_character_and_each_space_is_invisible() {
        let characters = '\0'..=char::MAX;
        for character in characters.filter(|it| it.is_control() || it.is_whitespace()) {
            assert!(is_invisible(character), "U+{:04X}", u32::from(character));
        }
    }

    #[test]
    fn each_printed_character_of_ascii_is_visible() {
        for character in '!'..='~' {
            assert!(!is_invisible(character), "{character}");
        }
    }

    #[test]
    fn letters_that_look_the_same_are_equal_in_each_case() {
        for (text, latin) in [
            ("ＩＮＰＵＴ", "input"),
            ("ІNРUТ", "Input"),
            ("іnрuт", "INPUT"),
            ("𝐈𝐍𝐏𝐔𝐓", "input"),
            ("lnput", "INPUT"),
            ("ⓘⓝⓟⓤⓣ", "input"),
            ("systeｍ", "SYSTEM"),
            ("СОММЕΝТ", "comment"),
            ("ɑѕѕіѕтаnt", "Assistant"),
            ("0utput", "OUTPUT"),
            ("：", ":"),
            ("［］﹇﹈", "[][]"),
            ("︰", ":"),
        ] {
            assert_eq!(fold(text), fold(latin), "{text}");
        }
    }

    #[test]
    fn different_words_are_different_in_each_script() {
        let words =
            ["año", "ano", "ввод", "вывод", "कु", "कू", "入力", "出力", "C", "C#", "C++", "2"];
        for (at, one) in words.iter().enumerate() {
            for other in &words[at + 1..] {
                assert_ne!(fold(one), fold(other), "{one} {other}");
            }
        }
    }
}
