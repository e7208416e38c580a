//! Names as people write them: the same in other case, with other separators, without accents.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A name without its case and separators: `First Name`, `first_name` and `firstName` are the same.
pub(super) fn folded(name: &str) -> String {
    name.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A text without its case, accents and separators; words stay apart by one blank.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.nfkd().filter(|it| !is_combining_mark(*it)) {
        match character {
            'ß' => plain.push_str("ss"),
            'ø' | 'Ø' => plain.push('o'),
            'æ' | 'Æ' => plain.push_str("ae"),
            'œ' | 'Œ' => plain.push_str("oe"),
            'ł' | 'Ł' => plain.push('l'),
            'đ' | 'Đ' => plain.push('d'),
            it if it.is_alphanumeric() => plain.extend(it.to_lowercase()),
            _ if plain.ends_with(' ') || plain.is_empty() => {}
            _ => plain.push(' '),
        }
    }
    plain.truncate(plain.trim_end().len());
    plain
}

/// How often a text holds a word, or words, as a whole.
pub(super) fn count(text: &str, word: &str) -> usize {
    if word.is_empty() {
        return 0;
    }
    let is_edge = |it: Option<char>| it.is_none_or(|it| !it.is_alphanumeric());
    text.match_indices(word)
        .filter(|(at, _)| {
            let (front, behind) = (text.get(..*at), text.get(at + word.len()..));
            is_edge(front.and_then(|it| it.chars().next_back()))
                && is_edge(behind.and_then(|it| it.chars().next()))
        })
        .count()
}
