//! The markup of a template as a set of texts, and what of it some text holds.

use std::collections::HashSet;
use std::ops::Range;

use super::data::core;
use super::trie::Trie;

/// Longer markup is not looked for.
const LONGEST: usize = 160;

/// Marks that stand in words and between them.
const USUAL: &str = "/_-.,:;'\"";

/// All texts that mean more to a template or its tokenizer than what they say.
#[derive(Debug, Default)]
pub(in crate::chat) struct Markup {
    tokens: Vec<String>,
    forward: Trie,
    /// The same texts from their ends on.
    backward: Trie,
    /// All texts one after another with a zero byte between, and where each of their ends begins,
    /// in the order of what stands there.
    joined: String,
    suffixes: Vec<usize>,
    longest: usize,
    /// What completes markup that the template begins.
    joints: Trie,
}

/// What a piece of data could do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Threat {
    /// It holds markup.
    Whole,
    /// It holds markup in other letters, or a part of some that its neighbours may complete.
    Part,
}

impl Markup {
    /// Markup, and the texts of the template: data that it writes behind one of them may complete
    /// what that ends with.
    pub(super) fn of(tokens: impl IntoIterator<Item = String>, texts: &[String]) -> Self {
        let mut distinct: Vec<String> = Vec::new();
        for token in tokens {
            // A character alone cannot be told from text.
            if token.chars().count() > 1 && token.len() <= LONGEST && !token.trim().is_empty() {
                distinct.push(token);
            }
        }
        distinct.sort();
        distinct.dedup();
        let tokens = distinct;
        let forward = Trie::of(tokens.iter().map(String::as_bytes));
        let reversed: Vec<Vec<u8>> = tokens.iter().map(|it| it.bytes().rev().collect()).collect();
        let backward = Trie::of(reversed.iter().map(Vec::as_slice));
        let joined = tokens.join("\0");
        let mut suffixes: Vec<usize> = (0..joined.len()).collect();
        suffixes.retain(|at| joined.is_char_boundary(*at));
        let from = |at: &usize| joined.get(*at..).unwrap_or_default();
        let upto = |at: &usize| from(at).split('\0').next().unwrap_or_default();
        suffixes.sort_by(|a, b| upto(a).cmp(upto(b)));
        let longest = tokens.iter().map(String::len).max().unwrap_or_default();
        let joints = joints(&tokens, texts, longest);
        let joints = Trie::of(joints.into_iter().map(str::as_bytes));
        Self { tokens, forward, backward, joined, suffixes, longest, joints }
    }

    /// The texts, in order.
    pub(super) fn tokens(&self) -> &[String] {
        &self.tokens
    }

    /// All characters that the texts are made of, but for white space.
    pub(super) fn characters(&self) -> Vec<char> {
        let all = self.tokens.iter().flat_map(|token| token.chars());
        distinct(all.filter(|it| !it.is_whitespace()))
    }

    /// Characters of which each of the texts holds one: the unusual ones, where it has any.
    pub(super) fn pivots(&self) -> Vec<char> {
        let of_token = |token: &String| {
            let all = || token.chars().filter(|it| !it.is_whitespace());
            let unusual: Vec<char> = all().filter(|it| is_unusual(*it)).collect();
            if unusual.is_empty() { all().collect() } else { unusual }
        };
        distinct(self.tokens.iter().flat_map(of_token))
    }

    /// Whether a piece of data could do anything, if no other can.
    pub(super) fn is_suspect(&self, data: &str) -> bool {
        let core = core(data);
        if core.is_empty() {
            return false;
        }
        // What goes on behind a piece may go on behind its core.
        if self.tail(core).is_some() {
            return true;
        }
        // The white space in front may hold the line end that a header begins with.
        let whole = data.as_bytes();
        let mut starts = self.forward.candidates(whole);
        starts.any(|start| self.forward.begins(whole.get(start..).unwrap_or_default()))
            || [whole, core.as_bytes()].iter().any(|bytes| {
                self.joints.begins(bytes)
                    || (bytes.len() < self.longest && self.joints.is_start(*bytes))
            })
    }

    /// What a piece of data could do, together with others if need be.
    pub(super) fn threat(&self, data: &str) -> Option<Threat> {
        let core = core(data);
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

    /// Whether a text could be made markup by what stands beside it.
    fn is_fragment(&self, core: &str) -> bool {
        self.tail(core).is_some() || self.is_head(core) || self.is_inner(core)
    }

    /// Where the end of a text begins that is the start of markup.
    pub(super) fn tail(&self, core: &str) -> Option<usize> {
        let bytes = core.as_bytes();
        let from = bytes.len().saturating_sub(self.longest);
        let end = bytes.get(from..).unwrap_or_default();
        let starts = self.forward.candidates(end);
        starts.map(|at| from + at).find(|start| {
            let rest = bytes.get(*start..).unwrap_or_default();
            self.forward.is_start(rest)
        })
    }

    /// Whether a text begins with the end of markup.
    pub(super) fn is_head(&self, core: &str) -> bool {
        let bytes = core.as_bytes();
        let bytes = bytes.get(..bytes.len().min(self.longest)).unwrap_or_default();
        (1..=bytes.len()).any(|end| {
            let head = bytes.get(..end).unwrap_or_default();
            self.backward.is_start(head.iter().rev())
        })
    }

    /// Whether a text stands within markup.
    fn is_inner(&self, core: &str) -> bool {
        if core.len() > self.longest {
            return false;
        }
        let from = |at: &usize| self.joined.get(*at..).unwrap_or_default();
        let upto = |at: &usize| from(at).split('\0').next().unwrap_or_default();
        let place = self.suffixes.partition_point(|at| upto(at) < core);
        self.suffixes.get(place).is_some_and(|at| upto(at).starts_with(core))
    }

    fn is_token(&self, text: Option<&str>) -> bool {
        let Some(text) = text else { return false };
        self.tokens.binary_search_by(|token| token.as_str().cmp(text)).is_ok()
    }

    /// Where markup stands in a text: at each place where some begins, the longest.
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

    /// The first markup in a text, in whatever letters.
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
    !character.is_alphanumeric() && !character.is_whitespace() && !USUAL.contains(character)
}

fn distinct(characters: impl Iterator<Item = char>) -> Vec<char> {
    let mut seen = HashSet::new();
    characters.filter(|it| seen.insert(*it)).collect()
}

/// The rest of each text of which the template writes the front.
fn joints<'t>(tokens: &'t [String], texts: &[String], longest: usize) -> HashSet<&'t str> {
    // In lower case, as a template may change that.
    let mut ends: HashSet<String> = HashSet::new();
    // Texts are put together line by line before a template sees them.
    let texts = || texts.iter().map(String::as_str).chain(["\n"]);
    for text in texts() {
        // Where a text is a form, what it is filled with stands behind its parts, too.
        let parts = text.match_indices(['{', '%']).map(|(at, _)| at).chain([text.len()]);
        for end in parts {
            let part = text.get(..end).unwrap_or_default();
            for part in [part, part.trim_end()] {
                let from = part.len().saturating_sub(longest);
                let ends_of_part = (from..part.len()).filter_map(|at| part.get(at..));
                ends.extend(ends_of_part.map(str::to_ascii_lowercase));
            }
        }
    }
    let mut joints = HashSet::new();
    for token in tokens {
        let cuts = token.char_indices().map(|(at, _)| token.split_at_checked(at));
        for (front, rest) in cuts.flatten() {
            let front = front.to_ascii_lowercase();
            let ends_as = |text: &str| {
                let text = text.trim();
                let is_telling = text.len() > 1 || text.contains(is_unusual);
                is_telling && front.ends_with(&*text.to_ascii_lowercase())
            };
            if ends.contains(&front) || (!front.is_empty() && texts().any(ends_as)) {
                joints.insert(rest);
            }
        }
    }
    joints
}

#[cfg(test)]
mod tests {
    use super::{Markup, Threat};

    fn markup() -> Markup {
        let tokens = ["<|im_start|>", "<|im_end|>", "[INST]", "\nUser:", "x"];
        Markup::of(tokens.map(str::to_owned), &["a<|im_".to_owned()])
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
