//! Compares names, so that case, separators and accents do not matter. All other characters do:
//! `A-` is not `A+`, and `C++` is not `C`.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// A function that makes names equal that only differ in their spelling.
pub(super) type Fold = fn(&str) -> String;

/// The name and the alias of a property, in the spelling in which they are compared.
pub(super) struct PropertyNames {
    pub(super) name: String,
    pub(super) alias: Option<String>,
}

impl PropertyNames {
    pub(super) fn includes(&self, spelling: &str) -> bool {
        self.name == spelling || self.alias.as_deref() == Some(spelling)
    }

    pub(super) fn overlap(&self, other: &Self) -> bool {
        other.includes(&self.name) || self.alias.as_ref().is_some_and(|it| other.includes(it))
    }
}

/// A name without its case, and without the separators between its letters: `First Name`,
/// `first_name` and `firstName` are the same. In `A-` and `-1`, the sign is not between letters.
pub(super) fn folded(name: &str) -> String {
    fold(name, "")
}

/// Like [`folded`], and without accents.
pub(super) fn folded_without_accents(name: &str) -> String {
    fold(&without_accents(name), "")
}

/// A text in lower case without accents. One space separates its words.
pub(super) fn plain(text: &str) -> String {
    fold(&without_accents(&without_escaped_blanks(text)), " ")
}

/// A text with blanks in place of its escaped line breaks and tabs. Models escape them once too
/// often: `False.\n\nThe sum is 4.` In `C:\new`, the backslash does not begin an escape.
fn without_escaped_blanks(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return text.into();
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        plain.push_str(before);
        let after_escape = after.strip_prefix(['n', 'r', 't']);
        let after_escape = after_escape.filter(|it| !it.starts_with(char::is_lowercase));
        plain.push(if after_escape.is_some() { ' ' } else { '\\' });
        rest = after_escape.unwrap_or(after);
    }
    plain.push_str(rest);
    plain.into()
}

/// A text without the quotes or stars around it, and without the full stop of a sentence.
pub(super) fn without_quotes(text: &str) -> &str {
    const AROUND: [char; 4] = ['"', '\'', '`', '*'];
    let mut inside = text.trim();
    inside = inside.strip_suffix('.').unwrap_or(inside);
    while let Some(quote) = inside.chars().next().filter(|it| AROUND.contains(it))
        && let Some(rest) = inside.strip_prefix(quote).and_then(|it| it.strip_suffix(quote))
    {
        inside = rest.trim();
        inside = inside.strip_suffix('.').unwrap_or(inside);
    }
    inside
}

/// A text in lower case, in which `separator` replaces the blanks, `_` and `-` between letters.
/// Other blanks become one space. With an empty separator, `A-  b_c` becomes `a- bc`: the `-`
/// belongs to the `A`, since blanks follow it but none precede it.
fn fold(text: &str, separator: &str) -> String {
    let is_blank = |it: char| it.is_whitespace();
    let is_part_of_separator = |it: char| is_blank(it) || matches!(it, '_' | '-');
    let mut folded = String::with_capacity(text.len());
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        let after = rest.trim_start_matches(is_part_of_separator);
        let between = rest.strip_suffix(after).unwrap_or_default();
        // In `A- is`, the sign belongs to the `A`.
        let is_symmetric = between.starts_with(is_blank) == between.ends_with(is_blank);
        rest = after;
        if between.is_empty() {
            folded.extend(first.to_lowercase());
            rest = after.strip_prefix(first).unwrap_or_default();
        } else if is_symmetric
            && folded.ends_with(char::is_alphabetic)
            && after.starts_with(char::is_alphabetic)
        {
            folded.push_str(separator);
        } else {
            for character in between.chars() {
                match is_blank(character) {
                    true if folded.ends_with(' ') => {}
                    true => folded.push(' '),
                    false => folded.push(character),
                }
            }
        }
    }
    folded
}

/// A text without the accents of its letters, in which some Latin letters are written as others:
/// `ß` is `ss`.
fn without_accents(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.nfd() {
        match character {
            // On another character, such a mark is a sign: `≠` is `=` with a stroke.
            '\u{300}'..='\u{36f}' if plain.ends_with(char::is_alphabetic) => {}
            'ß' => plain.push_str("ss"),
            'ø' | 'Ø' => plain.push('o'),
            'æ' | 'Æ' => plain.push_str("ae"),
            'œ' | 'Œ' => plain.push_str("oe"),
            'ł' | 'Ł' => plain.push('l'),
            'đ' | 'Đ' => plain.push('d'),
            it => plain.push(it),
        }
    }
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
        let words = before.rsplit(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty());
        words.take(REACH_OF_NEGATION).any(|it| NEGATIONS.contains(&it))
    })
}

const REACH_OF_NEGATION: usize = 3;

/// `t` is the last part of `isn't`.
const NEGATIONS: [&str; 9] =
    ["cannot", "neither", "never", "no", "non", "nor", "not", "t", "without"];

/// The text before each occurrence of a complete word.
fn texts_before<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = &'t str> {
    // An empty text is not a word.
    let found = text.match_indices(word).filter(move |_| !word.is_empty());
    found.filter_map(move |(at, _)| {
        let (before, rest) = text.split_at_checked(at)?;
        let after = rest.strip_prefix(word)?;
        is_complete_word(before, after).then_some(before)
    })
}

/// Whether the word between two texts is complete: only blanks and the punctuation of sentences are
/// next to it. In `C++`, the word `C` is not complete, and neither is `5` in `<5` or `0.5`.
fn is_complete_word(before: &str, after: &str) -> bool {
    let start = stars_at_edge(before.chars().rev(), "\"'`“”„«»‘’([{:;,");
    let end = stars_at_edge(after.chars(), "\"'`“”„«»‘’)]}:;,.!?…");
    // Two stars are markup, and one star on each side. In `A*`, the star is a part of the name.
    matches!((start, end), (Some(start), Some(end)) if start % 2 == end % 2)
}

/// The number of stars next to a word; `None` if the word continues after them. Punctuation ends a
/// word only if a blank follows it: not in `1,5` and `don't`.
fn stars_at_edge(outwards: impl Iterator<Item = char>, punctuation: &str) -> Option<usize> {
    /// The maximum number of stars and punctuation marks next to a word. It limits the work.
    const MAX_MARKS: usize = 8;
    let mut stars = 0;
    for (position, character) in outwards.enumerate() {
        match character {
            it if it.is_whitespace() => break,
            _ if position == MAX_MARKS => return None,
            '*' => stars += 1,
            it if punctuation.contains(it) => {}
            _ => return None,
        }
    }
    Some(stars)
}
