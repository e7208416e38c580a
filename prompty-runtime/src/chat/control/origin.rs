//! Whose the markup in a text is, where the template took texts apart to write it.
//!
//! What is no markup in the data can become some: a template may split and join, cut, turn round or
//! go through letter by letter. So the template is run again with its data in disguise: each
//! character that markup is made of has another in its place. Where the two texts are the same but
//! for that, each letter of the first is known to be the data's or the template's own.

use std::ops::Range;

use super::align::Words;
use super::data::{Asked, Use, replaced};
use super::markup::Markup;
use super::ranges::{DataRange, DataSource};
use crate::chat::source::ChatTemplate;
use crate::error::Error;

/// The first of the characters that stand for others: no text means anything by them.
const FIRST: u32 = 0xF_0000;

/// Markup that the template made out of data.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) token: String,
    /// Whose data it is, where that can be told.
    pub(super) source: Option<DataSource>,
}

/// A text of the template, and how it came to be.
pub(super) struct Origin<'o> {
    pub(super) template: &'o ChatTemplate,
    pub(super) markup: &'o Markup,
    pub(super) asked: &'o Asked<'o>,
    pub(super) text: &'o str,
    /// Whether a piece of data has been followed in another way.
    pub(super) is_followed: &'o dyn Fn(&str) -> bool,
    pub(super) write: &'o dyn Fn(&Asked<'_>) -> Result<String, Error>,
}

impl Origin<'_> {
    /// The first markup outside of some ranges that holds anything of the data.
    pub(super) fn made(&self, ranges: &[DataRange]) -> Option<Made> {
        let mut places = self.markup.places(self.text);
        places.retain(|place| !ranges.iter().any(|it| touches(&it.bytes, place)));
        if places.is_empty() {
            return None;
        }
        let token = |place: &Range<usize>| self.text.get(place.clone()).unwrap_or_default();
        // With fewer characters replaced, data that the template compares is more often the same.
        for characters in [self.markup.characters(), self.markup.pivots()] {
            let disguise = Disguise::of(&characters, self.text);
            if let Some(seen) = self.seen(&disguise, &places, &|_| true) {
                let place = seen?;
                let source = self.whose(&disguise, std::slice::from_ref(&place));
                return Some(Made { token: token(&place).to_owned(), source });
            }
        }
        // The template looks at the very characters: then it must write the same markup for words.
        let expected = self.with_words();
        let expected = expected.as_deref().map_or_else(Vec::new, |it| self.tokens(it));
        let differs = |(index, place): &(usize, &Range<usize>)| {
            expected.get(*index).is_none_or(|it| *it != token(place))
        };
        let first = places.iter().enumerate().find(differs);
        let is_short = (expected.len() > places.len()).then(|| places.last()).flatten();
        let place = first.map(|(_, place)| place).or(is_short)?;
        Some(Made { token: token(place).to_owned(), source: None })
    }

    /// The first of some places in the text that holds anything of the data of chosen sources, if
    /// any does; nothing where the text with disguised data is not the same but for that.
    fn seen(
        &self,
        disguise: &Disguise,
        places: &[Range<usize>],
        chosen: &dyn Fn(&DataSource) -> bool,
    ) -> Option<Option<Range<usize>>> {
        let can = self.template.capabilities();
        let disguised = replaced(self.asked, can, &mut |source, usage, piece| {
            // The words of schemas and the like are asked for by name.
            let is_asked_for = match usage {
                Use::Key => true,
                Use::Name => self.template.engine().has_word(piece),
                Use::Text => false,
            };
            if is_asked_for || !chosen(source) || (self.is_followed)(piece) {
                return None;
            }
            let other = disguise.put_on(piece);
            (other != piece).then_some(other)
        });
        let other = (self.write)(&disguised).ok()?;
        if disguise.taken_off(&other) != self.text {
            return None;
        }
        let of_data: Vec<usize> = self
            .text
            .char_indices()
            .zip(other.chars())
            .filter_map(|((at, own), other)| (own != other).then_some(at))
            .collect();
        let holds = |place: &&Range<usize>| {
            let next = of_data.partition_point(|at| *at < place.start);
            of_data.get(next).is_some_and(|at| *at < place.end)
        };
        Some(places.iter().find(holds).cloned())
    }

    /// Whose data a place holds: half of what is left is disguised at a time.
    fn whose(&self, disguise: &Disguise, place: &[Range<usize>]) -> Option<DataSource> {
        let mut sources: Vec<DataSource> = Vec::new();
        replaced(self.asked, self.template.capabilities(), &mut |source, _, _| {
            if !sources.contains(source) {
                sources.push(source.clone());
            }
            None
        });
        let is_of = |sources: &[DataSource]| {
            let seen = self.seen(disguise, place, &|source| sources.contains(source));
            seen.flatten().is_some()
        };
        let mut left = sources.as_slice();
        while left.len() > 1 {
            let (front, back) = left.split_at_checked(left.len() / 2)?;
            left = if is_of(front) { front } else { back };
        }
        left.first().filter(|_| is_of(left)).cloned()
    }

    /// What the template writes for words in the place of all data.
    fn with_words(&self) -> Option<String> {
        let words = Words::foreign_to(&[self.text, self.template.text()]);
        let mut number = 0;
        let harmless =
            replaced(self.asked, self.template.capabilities(), &mut |_, usage, piece| {
                let core = piece.trim();
                if usage != Use::Text || core.is_empty() || self.template.engine().has_word(core) {
                    return None;
                }
                number += 1;
                Some(piece.replacen(core, &words.word(number), 1))
            });
        (self.write)(&harmless).ok().map(|written| words.out_of(&written))
    }

    fn tokens<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let places = self.markup.places(text);
        places.into_iter().filter_map(|place| text.get(place)).collect()
    }
}

fn touches(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Characters that stand for others.
struct Disguise {
    /// In the order of the characters that are disguised.
    pairs: Vec<(char, char)>,
}

impl Disguise {
    /// One for these characters, of characters that a text does not hold.
    fn of(characters: &[char], text: &str) -> Self {
        let free = (FIRST..).map_while(char::from_u32).filter(|it| !text.contains(*it));
        let mut characters = characters.to_vec();
        characters.sort_unstable();
        // Both rise, so that either can be searched for.
        Self { pairs: characters.into_iter().zip(free).collect() }
    }

    fn put_on(&self, text: &str) -> String {
        let place = |it: char| self.pairs.binary_search_by_key(&it, |(own, _)| *own).ok();
        let other = |it: char| self.pairs.get(place(it)?).map(|(_, other)| *other);
        text.chars().map(|it| other(it).unwrap_or(it)).collect()
    }

    fn taken_off(&self, text: &str) -> String {
        let place = |it: char| self.pairs.binary_search_by_key(&it, |(_, other)| *other).ok();
        let own = |it: char| self.pairs.get(place(it)?).map(|(own, _)| *own);
        text.chars().map(|it| own(it).unwrap_or(it)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Disguise;

    #[test]
    fn a_disguise_is_of_characters_that_a_text_does_not_hold() {
        let text = "<|a|>\u{F0000}";
        let disguise = Disguise::of(&['<', '|'], text);
        assert_eq!(disguise.put_on(text), "\u{F0001}\u{F0002}a\u{F0002}>\u{F0000}");
        assert_eq!(disguise.taken_off(&disguise.put_on(text)), text);
    }
}
