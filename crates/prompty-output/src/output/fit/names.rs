//! Normalises names, so that case, separators and accents do not matter.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A name without its case and separators: `First Name`, `first_name` and `firstName` are the same.
pub(super) fn folded(name: &str) -> String {
    name.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A text in lower case without accents. One space separates its words.
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

/// How often a plain text contains a complete word or phrase.
pub(super) fn count(text: &str, word: &str) -> usize {
    texts_before(text, word).count()
}

/// Whether a plain text negates a word: one of the three words before it is an English negation, as
/// in `this is not a good choice`.
pub(super) fn negates(text: &str, word: &str) -> bool {
    texts_before(text, word).any(|before| {
        let words = before.split_whitespace().rev();
        words.take(REACH_OF_NEGATION).any(|it| NEGATIONS.contains(&it))
    })
}

const REACH_OF_NEGATION: usize = 3;

/// `t` is the last part of `isn't`.
const NEGATIONS: [&str; 9] =
    ["cannot", "neither", "never", "no", "non", "nor", "not", "t", "without"];

/// The text before each occurrence of a complete word.
fn texts_before<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = &'t str> {
    let is_edge = |it: Option<char>| it.is_none_or(|it| !it.is_alphanumeric());
    // An empty text is not a word.
    let found = text.match_indices(word).filter(move |_| !word.is_empty());
    found.filter_map(move |(at, _)| {
        let (before, rest) = text.split_at_checked(at)?;
        let after = rest.strip_prefix(word)?;
        (is_edge(before.chars().next_back()) && is_edge(after.chars().next())).then_some(before)
    })
}
