//! Finds markup that a template assembles from data which contains none.
//!
//! A template may split, join, cut or reverse a text, or iterate over its characters. So the
//! request is rendered again with substitutes for all characters that appear in markup. If the two
//! outputs are equal except for the substitutes, the origin of each character is known.
//!
//! The outputs differ more if the template tests these characters. Then the request is rendered
//! with placeholders for all data. Markup that is missing in that output counts as data.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::align::Placeholders;
use super::data::{Usage, replace_texts, stripped};
use super::markup::{Markup, markup_at};
use super::prompt_text::{DataSource, LocatedData, MessageField, overlaps_any};
use super::substitution::{Substitution, with_other_cases};
use super::suffixes::Suffixes;
use crate::rendering::{RenderedText, Renderer};
use crate::request::Request;
use prompty_core::text::CharacterSet;

/// Markup that a template assembled from data.
#[derive(Debug)]
pub(super) struct AssembledMarkup {
    pub(super) token: String,
    /// The source of the data, if it is known.
    pub(super) source: Option<DataSource>,
}

/// The result of comparing a text with an output with substitutes, for some places of markup.
enum SubstitutionResult {
    /// Unknown: the output differs from the text in more than the substitutes.
    Unknown,
    /// The template wrote all of the markup.
    TemplateOnly,
    /// The first place that contains data.
    Data(Range<usize>),
}

/// Searches a rendered text for markup that the template assembled from data.
pub(super) struct AssembledSearch<'s> {
    pub(super) renderer: Renderer<'s>,
    pub(super) markup: &'s Markup,
    pub(super) request: &'s Request<'s>,
    pub(super) text: &'s str,
    /// Whether the places of data with markup are known, so that such data is not substituted.
    pub(super) is_markup_located: bool,
}

impl AssembledSearch<'_> {
    /// The first markup outside of located data that contains characters of the data.
    pub(super) fn run(&self, located: &[LocatedData<'_>]) -> Option<AssembledMarkup> {
        let mut places = self.markup.places(self.text);
        places.retain(|place| !overlaps_any(located, |it| &it.bytes, place));
        if places.is_empty() {
            return None;
        }
        let characters = with_other_cases(self.markup.characters());
        // A template may search its data for words, and handle data without them differently. So
        // there is a second attempt that keeps such words.
        let words = self.searched_words(&places);
        let kept_words: &[&[&str]] = if words.is_empty() { &[&[]] } else { &[&[], &words] };
        for kept in kept_words {
            let substitution = Substitution::new(&characters, self.text, kept);
            match self.compare(&substitution, &places, &|_| true) {
                SubstitutionResult::Unknown => {}
                SubstitutionResult::TemplateOnly => return None,
                SubstitutionResult::Data(place) => {
                    return Some(self.assembled_markup(&substitution, place));
                }
            }
        }
        // The template tests single characters. With fewer substitutes, fewer tests change.
        let characters = self.markup.essential_characters();
        let substitution = Substitution::new(&characters, self.text, &[]);
        if let SubstitutionResult::Data(place) = self.compare(&substitution, &places, &|_| true) {
            return Some(self.assembled_markup(&substitution, place));
        }
        self.first_absent_with_placeholders(&places)
    }

    fn assembled_markup(
        &self,
        substitution: &Substitution,
        place: Range<usize>,
    ) -> AssembledMarkup {
        let source = self.source(substitution, &place);
        AssembledMarkup { token: markup_at(self.text, place).to_owned(), source }
    }

    /// The first markup that is missing if all data is replaced by placeholders. The other markup
    /// is the template's own.
    fn first_absent_with_placeholders(&self, places: &[Range<usize>]) -> Option<AssembledMarkup> {
        let expected = self.render_with_placeholders();
        let expected: Vec<&str> =
            expected.iter().flat_map(|text| self.markup.all_in(text)).collect();
        let token = |place: &Range<usize>| markup_at(self.text, place.clone());
        let differs = |(index, place): &(usize, &Range<usize>)| {
            expected.get(*index).is_none_or(|expected| *expected != token(place))
        };
        let first = places.iter().enumerate().find(differs).map(|(_, place)| place);
        // If all are equal, but data kept the template from writing more markup, the last place is
        // reported for it.
        let last = places.last().filter(|_| expected.len() > places.len());
        let token = token(first.or(last)?).to_owned();
        Some(AssembledMarkup { token, source: None })
    }

    /// The words that the template may search its data for, such as `/no_think`, unless they are
    /// part of the markup in some places. A word of letters only could be a name.
    fn searched_words(&self, places: &[Range<usize>]) -> Vec<&str> {
        let essential: String = self.markup.essential_characters().into_iter().collect();
        let essential = CharacterSet::new(&essential);
        let tokens: HashSet<String> = places
            .iter()
            .map(|place| markup_at(self.text, place.clone()).to_ascii_lowercase())
            .collect();
        let parts_of_tokens = Suffixes::all(tokens.iter().map(String::as_str));
        let constants = self.renderer.template.engine.string_constants();
        let is_searched = |word: &&str| {
            word.len() > 2
                && !word.contains(|it| essential.contains(it))
                && !word.chars().all(char::is_alphanumeric)
                && !parts_of_tokens.contains_prefix(&word.to_ascii_lowercase())
        };
        constants.iter().map(|it| stripped(it)).filter(is_searched).collect()
    }

    /// Renders with substitutes in the data of selected sources, and compares the output.
    fn compare(
        &self,
        substitution: &Substitution,
        places: &[Range<usize>],
        is_chosen: &dyn Fn(&DataSource) -> bool,
    ) -> SubstitutionResult {
        let template = self.renderer.template;
        let is_short_id = |source: &DataSource, piece: &str| {
            let is_id = matches!(source, DataSource::Message { field: MessageField::CallId, .. });
            let is_alphanumeric = piece.chars().all(|it| it.is_ascii_alphanumeric());
            template.capabilities.short_ids && is_id && is_alphanumeric
        };
        let request =
            replace_texts(self.request, template.capabilities, &mut |source, usage, piece| {
                // A template reads keywords of schemas by name.
                let is_read = usage != Usage::Text && template.engine.has_word(piece);
                let is_located = self.is_markup_located && self.markup.threat(piece).is_some();
                if is_read || is_short_id(source, piece) || !is_chosen(source) || is_located {
                    return None;
                }
                let substituted = substitution.apply(piece);
                (substituted != piece).then_some(substituted)
            });
        let Ok(RenderedText { text: output, .. }) = self.renderer.render(&request) else {
            return SubstitutionResult::Unknown;
        };
        if substitution.undo(&output) != self.text {
            return SubstitutionResult::Unknown;
        }
        let characters = self.text.char_indices().zip(output.chars());
        let data: Vec<usize> =
            characters.filter_map(|((at, own), other)| (own != other).then_some(at)).collect();
        let contains_data = |place: &&Range<usize>| {
            let next = data.partition_point(|at| *at < place.start);
            data.get(next).is_some_and(|at| *at < place.end)
        };
        let first = places.iter().find(contains_data).cloned();
        first.map_or(SubstitutionResult::TemplateOnly, SubstitutionResult::Data)
    }

    /// The source of the data in a place. It is found by bisection: each step substitutes the data
    /// of half of the remaining sources.
    fn source(&self, substitution: &Substitution, place: &Range<usize>) -> Option<DataSource> {
        let mut sources: Vec<DataSource> = Vec::new();
        let mut known: HashSet<DataSource> = HashSet::new();
        let capabilities = self.renderer.template.capabilities;
        replace_texts(self.request, capabilities, &mut |source, _, _| {
            if known.insert(source.clone()) {
                sources.push(source.clone());
            }
            None
        });
        let is_from = |sources: &[DataSource]| {
            let sources: HashSet<&DataSource> = sources.iter().collect();
            let place = std::slice::from_ref(place);
            let result = self.compare(substitution, place, &|source| sources.contains(source));
            matches!(result, SubstitutionResult::Data(_))
        };
        let mut left = sources.as_slice();
        while left.len() > 1 {
            let (front, back) = left.split_at_checked(left.len() / 2)?;
            left = if is_from(front) { front } else { back };
        }
        left.first().filter(|_| is_from(left)).cloned()
    }

    /// The output with placeholders for all data, each replaced by a zero byte.
    fn render_with_placeholders(&self) -> Option<String> {
        let template = self.renderer.template;
        let placeholders = Placeholders::absent_from(&[self.text, template.engine.text()]);
        let mut known: HashMap<String, usize> = HashMap::new();
        let request = replace_texts(self.request, template.capabilities, &mut |_, _, piece| {
            let core = stripped(piece);
            if core.is_empty() || template.engine.has_word(core) {
                return None;
            }
            // A template may compare data, so equal pieces get the same placeholder.
            let number = known.len();
            let number = *known.entry(core.to_owned()).or_insert(number);
            Some(piece.replacen(core, &placeholders.get(number), 1))
        });
        let output = self.renderer.render(&request).ok()?.text;
        Some(placeholders.erase(&output))
    }
}
