//! Data in disguise: each character that markup is made of has another in its place.

use std::collections::HashSet;
use std::ops::Range;

/// The first of the characters that stand for others: tiles of games, which mean nothing to a template
/// and which Python prints as they are.
const FIRST: u32 = 0x1_F030;
/// Where the letters of a script begin that has capitals and small letters as ASCII has. What changes
/// the case of a letter changes that of the one in its place.
const CAPITALS: u32 = 0x1_0400;
const SMALL: u32 = 0x1_0428;

/// Letters that have one of ASCII in another case, or several.
const BECOMING_ASCII: [char; 20] = [
    '\u{df}', '\u{130}', '\u{131}', '\u{149}', '\u{17f}', '\u{1f0}', '\u{1e96}', '\u{1e97}',
    '\u{1e98}', '\u{1e99}', '\u{1e9a}', '\u{1e9e}', '\u{212a}', '\u{fb00}', '\u{fb01}', '\u{fb02}',
    '\u{fb03}', '\u{fb04}', '\u{fb05}', '\u{fb06}',
];

/// Characters, and all that they may come from where a template changes the case of letters.
pub(super) fn recased(characters: Vec<char>) -> Vec<char> {
    let cases = |it: &char| it.to_lowercase().chain(it.to_uppercase()).collect::<Vec<_>>();
    let others: Vec<char> = characters.iter().flat_map(cases).chain(BECOMING_ASCII).collect();
    characters.into_iter().chain(others).collect()
}

/// Characters that stand for others.
pub(super) struct Disguise {
    /// What is disguised, in order, and what stands for it.
    worn: Vec<(char, char)>,
    /// The same the other way round.
    taken: Vec<(char, char)>,
    /// Words that stay what they are, in lower case.
    kept: Vec<String>,
}

impl Disguise {
    /// One for these characters, of characters that a text does not hold. Some words are `kept`.
    pub(super) fn of(characters: &[char], text: &str, kept: &[&str]) -> Self {
        let held: HashSet<char> = text.chars().filter(|it| u32::from(*it) >= FIRST).collect();
        let mut free = (FIRST..).map_while(char::from_u32).filter(|it| !held.contains(it));
        let mut characters = characters.to_vec();
        characters.sort_unstable();
        characters.dedup();
        let is_of_script = |it: char| (CAPITALS..SMALL + 40).contains(&u32::from(it));
        let is_script_free = !text.contains(is_of_script);
        let letter = |it: char| match it {
            'A'..='Z' => char::from_u32(CAPITALS + u32::from(it) - u32::from('A')),
            'a'..='z' => char::from_u32(SMALL + u32::from(it) - u32::from('a')),
            _ => None,
        };
        let mut other = |it: char| letter(it).filter(|_| is_script_free).or_else(|| free.next());
        let worn: Vec<_> = characters.into_iter().filter_map(|it| Some((it, other(it)?))).collect();
        let mut taken: Vec<_> = worn.iter().map(|(own, other)| (*other, *own)).collect();
        taken.sort_unstable();
        let kept = kept.iter().map(|word| word.to_ascii_lowercase()).collect();
        Self { worn, taken, kept }
    }

    pub(super) fn put_on(&self, text: &str) -> String {
        let kept = self.kept_in(text);
        let mut kept = kept.iter().peekable();
        let disguised = text.char_indices().map(|(at, own)| {
            while kept.next_if(|it| it.end <= at).is_some() {}
            let is_kept = kept.peek().is_some_and(|it| it.start <= at);
            if is_kept { own } else { exchanged(&self.worn, own) }
        });
        disguised.collect()
    }

    pub(super) fn taken_off(&self, text: &str) -> String {
        text.chars().map(|it| exchanged(&self.taken, it)).collect()
    }

    /// Where kept words stand in a text, in the order of their ends.
    fn kept_in(&self, text: &str) -> Vec<Range<usize>> {
        if self.kept.is_empty() {
            return Vec::new();
        }
        let lower = text.to_ascii_lowercase();
        let places = self.kept.iter().flat_map(|word| lower.match_indices(&**word));
        let mut places: Vec<_> = places.map(|(at, word)| at..at + word.len()).collect();
        places.sort_unstable_by_key(|it| (it.start, it.end));
        // One that lies in another says nothing more.
        let mut end = 0;
        places.retain(|it| {
            let reaches_further = it.end > end;
            end = end.max(it.end);
            reaches_further
        });
        places
    }
}

fn exchanged(pairs: &[(char, char)], character: char) -> char {
    let place = pairs.binary_search_by_key(&character, |(own, _)| *own).ok();
    place.and_then(|place| pairs.get(place)).map_or(character, |(_, other)| *other)
}

#[cfg(test)]
mod tests {
    use super::{Disguise, recased};

    #[test]
    fn a_disguise_is_of_characters_that_a_text_does_not_hold() {
        let text = "<|a|>\u{1F030}";
        let disguise = Disguise::of(&['<', '|'], text, &[]);
        assert_eq!(disguise.put_on(text), "\u{1F031}\u{1F032}a\u{1F032}>\u{1F030}");
        assert_eq!(disguise.taken_off(&disguise.put_on(text)), text);
    }

    #[test]
    fn a_text_that_holds_most_characters_is_no_slower() {
        let text: String = ('\u{1F030}'..'\u{7F030}').collect();
        let start = std::time::Instant::now();
        let disguise = Disguise::of(&['<', '|'], &text, &[]);
        assert!(start.elapsed().as_secs() < 2, "{:?}", start.elapsed());
        assert_eq!(disguise.put_on("<|"), "\u{7F030}\u{7F031}");
    }

    #[test]
    fn disguised_letters_have_cases() {
        let disguise = Disguise::of(&recased(vec!['d', 'E']), "", &[]);
        let upper = disguise.put_on("edge").to_uppercase();
        assert_eq!(disguise.taken_off(&upper), "EDGE");
        assert!(!upper.contains(['E', 'D']));
    }

    #[test]
    fn kept_words_stay() {
        let disguise = Disguise::of(&['/', 'n', 'o'], "", &["/no", "/not", "o/n"]);
        assert_eq!(disguise.put_on("/NO"), "/NO");
        let off = disguise.put_on("no /not");
        assert!(off.ends_with(" /not") && !off.starts_with("no"));
        assert_eq!(disguise.put_on("/noto/no"), "/noto/no");
    }
}
