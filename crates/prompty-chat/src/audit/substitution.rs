//! Replaces the characters that appear in markup by others, and back: with the characters `<`, `>`
//! and `|`, `<|a|>` becomes `🀰🀲a🀲🀱`.
//!
//! The audit renders a request whose data has such substitutes. Markup that is then missing in the
//! output was assembled from data. Markup that is still there was written by the template.

use std::collections::HashSet;
use std::ops::Range;

use super::text_set::TextSet;
use prompty_core::work::add_steps;

/// The first of the substitutes, a symbol of a domino tile. The symbols have no meaning in a
/// template, and Python prints them without escapes. Further substitutes are the characters after
/// it that the text does not contain.
const FIRST: u32 = 0x1_F030;
/// The first letters of the Deseret script, which has upper and lower case like ASCII. An operation
/// that changes the case of a letter also changes the case of its substitute.
const CAPITALS: u32 = 0x1_0400;
const SMALL: u32 = 0x1_0428;

/// Letters that become ASCII letters if their case is changed.
const BECOMING_ASCII: [char; 20] = [
    '\u{df}', '\u{130}', '\u{131}', '\u{149}', '\u{17f}', '\u{1f0}', '\u{1e96}', '\u{1e97}',
    '\u{1e98}', '\u{1e99}', '\u{1e9a}', '\u{1e9e}', '\u{212a}', '\u{fb00}', '\u{fb01}', '\u{fb02}',
    '\u{fb03}', '\u{fb04}', '\u{fb05}', '\u{fb06}',
];

/// The characters, and all others that become one of them in another case. Those of
/// [`BECOMING_ASCII`] are always added, because more substitutes than needed do no harm.
pub(super) fn with_other_cases(characters: Vec<char>) -> Vec<char> {
    let cases = |it: &char| it.to_lowercase().chain(it.to_uppercase()).collect::<Vec<_>>();
    let others: Vec<char> = characters.iter().flat_map(cases).chain(BECOMING_ASCII).collect();
    characters.into_iter().chain(others).collect()
}

/// A mapping from characters to substitutes.
pub(super) struct Substitution {
    /// Each character and its substitute, sorted.
    substitutes: Vec<(char, char)>,
    /// Each substitute and its character, sorted.
    originals: Vec<(char, char)>,
    /// Words that are not changed, in lower case. The template searches its data for them, as in
    /// `"/think" in text`, and handles data without them differently.
    kept: Option<TextSet>,
}

impl Substitution {
    /// Creates substitutes that `text` does not contain. The words in `kept` are not changed.
    pub(super) fn new(characters: &[char], text: &str, kept: &[&str]) -> Self {
        add_steps(text.len());
        let contained: HashSet<char> = text.chars().filter(|it| u32::from(*it) >= FIRST).collect();
        let is_free = |it: &char| {
            add_steps(1);
            !contained.contains(it)
        };
        let mut free = (FIRST..).map_while(char::from_u32).filter(is_free);
        let mut characters = characters.to_vec();
        characters.sort_unstable();
        characters.dedup();
        // The script has 40 letters of each case.
        let is_of_script = |it: char| (CAPITALS..SMALL + 40).contains(&u32::from(it));
        let is_script_free = !text.contains(is_of_script);
        let letter = |it: char| match it {
            'A'..='Z' => char::from_u32(CAPITALS + u32::from(it) - u32::from('A')),
            'a'..='z' => char::from_u32(SMALL + u32::from(it) - u32::from('a')),
            _ => None,
        };
        let mut substitute =
            |it: char| letter(it).filter(|_| is_script_free).or_else(|| free.next());
        let substitutes: Vec<_> =
            characters.into_iter().filter_map(|it| Some((it, substitute(it)?))).collect();
        let mut originals: Vec<_> = substitutes.iter().map(|(own, other)| (*other, *own)).collect();
        originals.sort_unstable();
        let kept: Vec<String> = kept.iter().map(|word| word.to_ascii_lowercase()).collect();
        // If the words are too large for a set, they are changed like other data.
        let kept = TextSet::new(&kept).ok();
        Self { substitutes, originals, kept }
    }

    /// The text with its characters substituted.
    pub(super) fn apply(&self, text: &str) -> String {
        let mut kept = self.kept_places(text).into_iter().peekable();
        let substituted = text.char_indices().map(|(at, own)| {
            while kept.next_if(|it| it.end <= at).is_some() {}
            let is_kept = kept.peek().is_some_and(|it| it.start <= at);
            if is_kept { own } else { exchange(&self.substitutes, own) }
        });
        substituted.collect()
    }

    /// The text with the original characters.
    pub(super) fn undo(&self, text: &str) -> String {
        text.chars().map(|it| exchange(&self.originals, it)).collect()
    }

    /// The places of kept words in a text, in order, without those inside another one.
    ///
    /// With the words `/no` and `/not`, the text `/not` has the place of `/no` after its `o`. After
    /// its `t`, the place of `/not` replaces it. Words that only overlap both stay: `/no` and `o/n`
    /// in `/no/n`.
    fn kept_places(&self, text: &str) -> Vec<Range<usize>> {
        let Some(words) = &self.kept else { return Vec::new() };
        let mut state = words.start();
        let mut places: Vec<Range<usize>> = Vec::new();
        for (at, byte) in text.bytes().enumerate() {
            state = words.step(state, byte.to_ascii_lowercase());
            let (length, end) = (words.longest_end(state), at + 1);
            let start = end - length;
            if length > 0 {
                while places.pop_if(|before| before.start >= start).is_some() {}
                places.push(start..end);
            }
        }
        places
    }
}

/// The partner of a character in sorted pairs, or the character itself.
fn exchange(pairs: &[(char, char)], character: char) -> char {
    let index = pairs.binary_search_by_key(&character, |(own, _)| *own).ok();
    index.and_then(|index| pairs.get(index)).map_or(character, |(_, other)| *other)
}

#[cfg(test)]
mod tests {
    use work_counting::{assert_linear, count_work};

    use super::{Substitution, with_other_cases};

    #[test]
    fn substitutes_are_characters_that_a_text_does_not_contain() {
        let text = "<|a|>\u{1F030}";
        let substitution = Substitution::new(&['<', '|'], text, &[]);
        assert_eq!(substitution.apply(text), "\u{1F031}\u{1F032}a\u{1F032}>\u{1F030}");
        assert_eq!(substitution.undo(&substitution.apply(text)), text);
    }

    #[test]
    fn a_text_that_contains_many_characters_takes_work_that_grows_with_it() {
        assert_linear("a substitution", 0x400, |size| {
            let text: String = ('\u{1F030}'..).take(size).collect();
            let (substitution, work) = count_work(|| Substitution::new(&['<', '|'], &text, &[]));
            let free: String = ('\u{1F030}'..).skip(size).take(2).collect();
            assert_eq!(substitution.apply("<|"), free);
            work
        });
    }

    #[test]
    fn substitutes_of_letters_have_cases() {
        let substitution = Substitution::new(&with_other_cases(vec!['d', 'E']), "", &[]);
        let upper = substitution.apply("edge").to_uppercase();
        assert_eq!(substitution.undo(&upper), "EDGE");
        assert!(!upper.contains(['E', 'D']));
    }

    #[test]
    fn kept_words_stay() {
        let substitution = Substitution::new(&['/', 'n', 'o'], "", &["/no", "/not", "o/n"]);
        assert_eq!(substitution.apply("/NO"), "/NO");
        let off = substitution.apply("no /not");
        assert!(off.ends_with(" /not") && !off.starts_with("no"));
        assert_eq!(substitution.apply("/noto/no"), "/noto/no");
    }
}
