//! Whose the markup in a text is, where the template took texts apart to write it.
//!
//! What is no markup in the data can become some: a template may split and join, cut, turn round or
//! go through letter by letter. So the template is run again with its data in disguise: each
//! character that markup is made of has another in its place. Where the two texts are the same but
//! for that, each letter of the first is known to be the data's or the template's own.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::align::Words;
use super::data::{Asked, Use, core, replaced};
use super::disguise::{Disguise, recased};
use super::markup::Markup;
use super::ranges::{DataRange, DataSource, MessageField, touches};
use crate::chat::source::ChatTemplate;
use prompty_core::error::Error;

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
        places.retain(|place| !touches(ranges, |it| &it.bytes, place));
        if places.is_empty() {
            return None;
        }
        let token = |place: &Range<usize>| self.text.get(place.clone()).unwrap_or_default();
        let all = recased(self.markup.characters());
        let words = self.looked_for(&places);
        // A template may look for words in its data, and does the same where it finds them.
        let whole = [].as_slice();
        let kept = std::iter::once(whole).chain((!words.is_empty()).then_some(words.as_slice()));
        for kept in kept {
            let disguise = Disguise::of(&all, self.text, kept);
            if let Some(seen) = self.seen(&disguise, &places, &|_| true) {
                let place = seen?;
                let source = self.whose(&disguise, &place);
                return Some(Made { token: token(&place).to_owned(), source });
            }
        }
        // It looks at the very characters. With fewer of them replaced it is more often the same.
        let pivots = Disguise::of(&self.markup.pivots(), self.text, &[]);
        if let Some(Some(place)) = self.seen(&pivots, &places, &|_| true) {
            let source = self.whose(&pivots, &place);
            return Some(Made { token: token(&place).to_owned(), source });
        }
        // What that does not show is the template's own if it writes the same markup for words.
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

    /// The words of the template that it may look for in its data, such as `/no_think`, and that say
    /// nothing in some places. A word of letters alone could name something.
    fn looked_for(&self, places: &[Range<usize>]) -> Vec<&str> {
        let pivots = self.markup.pivots();
        let tokens = places.iter().filter_map(|place| self.text.get(place.clone()));
        let tokens: HashSet<String> = tokens.map(str::to_ascii_lowercase).collect();
        let constants = self.template.engine().string_constants().iter().map(|it| core(it));
        let is_switch = |it: &&str| {
            let word = it.to_ascii_lowercase();
            word.len() > 2
                && !word.contains(&*pivots)
                && !word.chars().all(char::is_alphanumeric)
                && !tokens.iter().any(|token| token.contains(&word))
        };
        constants.filter(is_switch).collect()
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
        let is_short_id = |source: &DataSource, piece: &str| {
            let is_id = matches!(source, DataSource::Message { field: MessageField::CallId, .. });
            can.short_ids && is_id && piece.chars().all(|it| it.is_ascii_alphanumeric())
        };
        let disguised = replaced(self.asked, can, &mut |source, usage, piece| {
            // The words of schemas and the like are asked for by name.
            let is_asked_for = usage != Use::Text && self.template.engine().has_word(piece);
            if is_asked_for
                || is_short_id(source, piece)
                || !chosen(source)
                || (self.is_followed)(piece)
            {
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
    fn whose(&self, disguise: &Disguise, place: &Range<usize>) -> Option<DataSource> {
        let mut sources: Vec<DataSource> = Vec::new();
        let mut known: HashSet<DataSource> = HashSet::new();
        replaced(self.asked, self.template.capabilities(), &mut |source, _, _| {
            if known.insert(source.clone()) {
                sources.push(source.clone());
            }
            None
        });
        let is_of = |sources: &[DataSource]| {
            let sources: HashSet<&DataSource> = sources.iter().collect();
            let place = std::slice::from_ref(place);
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
        let mut known: HashMap<String, usize> = HashMap::new();
        let harmless = replaced(self.asked, self.template.capabilities(), &mut |_, _, piece| {
            let core = core(piece);
            if core.is_empty() || self.template.engine().has_word(core) {
                return None;
            }
            // A template may look for data that says the same.
            let number = known.len();
            let number = *known.entry(core.to_owned()).or_insert(number);
            let word = words.word(number);
            Some(piece.replacen(core, &word, 1))
        });
        (self.write)(&harmless).ok().map(|written| words.out_of(&written))
    }

    fn tokens<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let places = self.markup.places(text);
        places.into_iter().filter_map(|place| text.get(place)).collect()
    }
}
