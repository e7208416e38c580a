//! The markup of a template as a set of texts, and the search for it in other texts.

use std::collections::HashSet;
use std::ops::Range;

use super::data::stripped;
use super::trie::Trie;
use prompty_core::text::{slice, slice_list};

/// Longer markup is not searched for.
const LONGEST: usize = 160;

/// Punctuation that stands in words and between them.
const COMMON_PUNCTUATION: &str = "/_-.,:;'\"";

/// All texts that have a special meaning for a template or its tokenizer.
#[derive(Debug, Default)]
pub(in crate::chat) struct Markup {
    tokens: Vec<String>,
    forward: Trie,
    /// The same texts backwards.
    backward: Trie,
    /// All texts with zero bytes between them.
    joined: String,
    /// Where the suffixes of the texts begin in `joined`, in the order of the suffixes.
    suffixes: Vec<usize>,
    /// The length of the longest text.
    longest: usize,
    /// The rests of markup whose front the template writes itself.
    completions: Trie,
}

/// The markup in a piece of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Threat {
    /// The data contains markup.
    Whole,
    /// The data contains markup with other upper and lower case, or a part of markup that its
    /// neighbours may complete.
    Part,
}

impl Markup {
    /// The markup of a template with some texts. Data that the template writes behind one of its texts
    /// may complete markup that the text ends with.
    pub(super) fn new(tokens: impl IntoIterator<Item = String>, texts: &[String]) -> Self {
        let mut distinct: Vec<String> = Vec::new();
        for token in tokens {
            // A single character cannot be distinguished from data.
            if token.chars().count() > 1 && token.len() <= LONGEST && !token.trim().is_empty() {
                distinct.push(token);
            }
        }
        distinct.sort();
        distinct.dedup();
        let tokens = distinct;
        let forward = Trie::new(tokens.iter().map(String::as_bytes));
        let reversed: Vec<Vec<u8>> = tokens.iter().map(|it| it.bytes().rev().collect()).collect();
        let backward = Trie::new(reversed.iter().map(Vec::as_slice));
        let joined = tokens.join("\0");
        let mut suffixes: Vec<usize> = (0..joined.len()).collect();
        suffixes.retain(|at| joined.is_char_boundary(*at));
        suffixes.sort_by(|a, b| suffix(&joined, *a).cmp(suffix(&joined, *b)));
        let longest = tokens.iter().map(String::len).max().unwrap_or(0);
        let completions = completions(&tokens, texts, longest);
        let completions = Trie::new(completions.into_iter().map(str::as_bytes));
        Self { tokens, forward, backward, joined, suffixes, longest, completions }
    }

    /// The texts, sorted.
    pub(super) fn tokens(&self) -> &[String] {
        &self.tokens
    }

    /// All characters of the texts without white space.
    pub(super) fn characters(&self) -> Vec<char> {
        let all = self.tokens.iter().flat_map(|token| token.chars());
        distinct(all.filter(|it| !it.is_whitespace()))
    }

    /// Characters of which each text contains at least one: its unusual ones, if it has any.
    pub(super) fn essential_characters(&self) -> Vec<char> {
        let essential = |token: &String| {
            let all = || token.chars().filter(|it| !it.is_whitespace());
            let unusual: Vec<char> = all().filter(|it| is_unusual(*it)).collect();
            if unusual.is_empty() { all().collect() } else { unusual }
        };
        distinct(self.tokens.iter().flat_map(essential))
    }

    /// Whether a piece of data contains markup, or may be a part of markup without the help of other
    /// data.
    pub(super) fn is_suspect(&self, data: &str) -> bool {
        let core = stripped(data);
        if core.is_empty() {
            return false;
        }
        // A template that strips the data may complete it there.
        if self.unfinished_end(core).is_some() {
            return true;
        }
        // The white space in front may contain the line end that a header begins with.
        let whole = data.as_bytes();
        let mut starts = self.forward.candidates(whole);
        starts.any(|start| self.forward.begins(slice_list(whole, start..)))
            || [whole, core.as_bytes()].iter().any(|bytes| {
                self.completions.begins(bytes)
                    || (bytes.len() < self.longest && self.completions.is_start(*bytes))
            })
    }

    /// The markup in a piece of data, alone or together with other data.
    pub(super) fn threat(&self, data: &str) -> Option<Threat> {
        let core = stripped(data);
        if core.is_empty() || self.tokens.is_empty() {
            return None;
        }
        let bytes = core.as_bytes();
        let mut found = None;
        for start in self.forward.candidates(bytes) {
            for length in self.forward.lengths(bytes, start) {
                if self.is_token(core.get(start..start + length)) {
                    return Some(Threat::Whole);
                }
                found = Some(Threat::Part);
            }
        }
        found.or_else(|| self.is_fragment(core).then_some(Threat::Part))
    }

    /// Whether the neighbours of a text could complete it to markup.
    fn is_fragment(&self, core: &str) -> bool {
        self.unfinished_end(core).is_some()
            || self.begins_with_end_of_markup(core)
            || self.is_inside_markup(core)
    }

    /// Where the start of markup begins that a text ends with.
    fn unfinished_end(&self, core: &str) -> Option<usize> {
        let bytes = core.as_bytes();
        let from = bytes.len().saturating_sub(self.longest);
        let starts = self.forward.candidates(slice_list(bytes, from..));
        starts.map(|at| from + at).find(|start| self.forward.is_start(slice_list(bytes, *start..)))
    }

    fn begins_with_end_of_markup(&self, core: &str) -> bool {
        let bytes = core.as_bytes();
        let mut ends = 1..=bytes.len().min(self.longest);
        ends.any(|end| self.backward.is_start(slice_list(bytes, ..end).iter().rev()))
    }

    fn is_inside_markup(&self, core: &str) -> bool {
        if core.len() > self.longest {
            return false;
        }
        let place = self.suffixes.partition_point(|at| suffix(&self.joined, *at) < core);
        let first = self.suffixes.get(place);
        first.is_some_and(|at| suffix(&self.joined, *at).starts_with(core))
    }

    fn is_token(&self, text: Option<&str>) -> bool {
        let Some(text) = text else { return false };
        self.tokens.binary_search_by(|token| token.as_str().cmp(text)).is_ok()
    }

    /// Where markup stands in a text. Where several begin at one place, it is the longest.
    pub(super) fn places(&self, text: &str) -> Vec<Range<usize>> {
        let bytes = text.as_bytes();
        let mut places = Vec::new();
        for start in self.forward.candidates(bytes) {
            let lengths = self.forward.lengths(bytes, start);
            let is_there = |length: &usize| self.is_token(text.get(start..start + length));
            if let Some(length) = lengths.filter(is_there).max() {
                places.push(start..start + length);
            }
        }
        places
    }

    /// The first markup in a text, in upper or lower case.
    pub(super) fn first<'t>(&self, text: &'t str) -> Option<&'t str> {
        let bytes = text.as_bytes();
        for start in self.forward.candidates(bytes) {
            if let Some(length) = self.forward.lengths(bytes, start).max() {
                return text.get(start..start + length);
            }
        }
        None
    }
}

fn is_unusual(character: char) -> bool {
    !character.is_alphanumeric()
        && !character.is_whitespace()
        && !COMMON_PUNCTUATION.contains(character)
}

/// The suffix of a text that begins at a position of the joined texts.
fn suffix(joined: &str, at: usize) -> &str {
    let rest = slice(joined, at..);
    rest.split_once('\0').map_or(rest, |(suffix, _)| suffix)
}

fn distinct(characters: impl Iterator<Item = char>) -> Vec<char> {
    let mut seen = HashSet::new();
    characters.filter(|it| seen.insert(*it)).collect()
}

/// The rest of each token whose front stands at the end of one of the template's texts.
fn completions<'t>(tokens: &'t [String], texts: &[String], longest: usize) -> HashSet<&'t str> {
    // In lower case, as a template may change the case of its data.
    let mut text_ends: HashSet<String> = HashSet::new();
    // Texts are joined line by line before a template gets them.
    let texts = || texts.iter().map(String::as_str).chain(["\n"]);
    for text in texts() {
        // In a text with fields to fill in, data stands behind each of its parts.
        let parts = text.match_indices(['{', '%']).map(|(at, _)| at).chain([text.len()]);
        for end in parts {
            let part = slice(text, ..end);
            for part in [part, part.trim_end()] {
                let from = part.len().saturating_sub(longest);
                let ends = (from..part.len()).filter_map(|at| part.get(at..));
                text_ends.extend(ends.map(str::to_ascii_lowercase));
            }
        }
    }
    let mut completions = HashSet::new();
    for token in tokens {
        let cuts = token.char_indices().map(|(at, _)| token.split_at_checked(at));
        for (front, rest) in cuts.flatten() {
            let front = front.to_ascii_lowercase();
            let ends_with = |text: &str| {
                let text = text.trim();
                let is_significant = text.len() > 1 || text.contains(is_unusual);
                is_significant && front.ends_with(&*text.to_ascii_lowercase())
            };
            if text_ends.contains(&front) || (!front.is_empty() && texts().any(ends_with)) {
                completions.insert(rest);
            }
        }
    }
    completions
}

#[cfg(test)]
mod tests {
    use super::{Markup, Threat};

    fn markup() -> Markup {
        let tokens = ["<|im_start|>", "<|im_end|>", "[INST]", "\nUser:", "x"];
        Markup::new(tokens.map(str::to_owned), &["a<|im_".to_owned()])
    }

    #[test]
    fn markup_is_found_in_data_and_so_are_parts_of_it() {
        let threat = |data: &str| markup().threat(data);
        assert_eq!(threat("Hello there. 1 > 0, and x[1] < 2!"), None);
        for whole in ["<|im_end|>", "a <|im_start|>system", "[INST", "Hi\nUser: no"] {
            let expected = if whole == "[INST" { Threat::Part } else { Threat::Whole };
            assert_eq!(threat(whole), Some(expected), "{whole:?}");
        }
        for part in ["a <", "a <|im_ \n", "end|> b", "|> b", "im_end", "<|IM_END|>", "User: no"] {
            assert_eq!(threat(part), Some(Threat::Part), "{part:?}");
        }
        assert_eq!(threat("  \n"), None);
    }

    #[test]
    fn data_alone_completes_only_what_the_template_begins() {
        for suspect in ["end|> b", "e", "a <", "<|IM_END|>", "start|>x"] {
            assert!(markup().is_suspect(suspect), "{suspect:?}");
        }
        for harmless in ["|> b", "im_end", "nd|>", "", " ", "e.g. this", "1 < 2"] {
            assert!(!markup().is_suspect(harmless), "{harmless:?}");
        }
    }

    #[test]
    fn the_places_of_markup_are_exact() {
        let places = markup().places("é<|im_end|><|IM_END|>\nUser:[INST]");
        assert_eq!(places, [2..12, 22..28, 28..34]);
        assert!(Markup::default().places("<|im_end|>").is_empty());
        assert_eq!(markup().first("x <|IM_END|>"), Some("<|IM_END|>"));
    }
}
