//! The markup of a template as a set of strings, and the search for them in other texts. The work
//! grows almost linearly with the length of the texts, even if many strings have a common start.

use std::collections::HashSet;
use std::ops::Range;

use super::candidates::Candidates;
use super::data::stripped;
use super::suffixes::{SuffixMatch, Suffixes};
use super::text_set::{TextSet, TextState};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::work::add_steps;

/// The maximum length of markup, in bytes. Longer markup is not searched for.
const LONGEST_MARKUP: usize = 160;

/// The maximum number of bytes of all markup: a hundred thousand tokens of a tokenizer, a hundred
/// times as many as known models have. The search needs about a hundred times that memory.
const MOST_BYTES: usize = 2 << 20;

/// Punctuation that is common in words and between them.
const COMMON_PUNCTUATION: &str = "/_-.,:;'\"";

/// All strings that have a special meaning for a template or its tokenizer.
#[derive(Debug)]
pub(crate) struct Markup {
    /// The strings, sorted.
    tokens: Vec<String>,
    /// The strings in lower case, to find markup in any case, and the start of markup at the end of
    /// a text.
    forwards: TextSet,
    /// The positions at which a search with `forwards` begins.
    candidates: Candidates,
    /// The strings in lower case, reversed, to find the end of markup at the start of a text.
    backwards: TextSet,
    /// The strings in their own case, reversed, to find the places of markup.
    exact: TextSet,
    /// The suffixes of the strings, to find texts that are a part of markup.
    suffixes: Suffixes,
    /// The length of the longest string, in bytes.
    longest: usize,
    /// The rests of markup whose start the template writes itself, in lower case.
    completions: Suffixes,
}

/// The markup in a piece of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Threat {
    /// The data contains complete markup.
    Complete,
    /// The data contains markup with other upper and lower case, or a part of markup that its
    /// neighbours may complete.
    Partial,
}

impl Markup {
    /// Creates the markup of a template from tokens and from the strings in the template. Data that
    /// the template writes after one of its strings may complete markup that the string ends with.
    ///
    /// # Errors
    ///
    /// Returns an error of kind [`ErrorKind::Limit`] if there is too much markup.
    pub(super) fn new(
        tokens: impl IntoIterator<Item = String>,
        texts: &[String],
    ) -> Result<Self, Error> {
        // A single character cannot be distinguished from data.
        let is_distinguishable =
            |token: &String| token.chars().count() > 1 && !token.trim().is_empty();
        let is_markup = |token: &String| is_distinguishable(token) && token.len() <= LONGEST_MARKUP;
        let mut tokens: Vec<String> = tokens.into_iter().filter(is_markup).collect();
        tokens.sort();
        tokens.dedup();
        let bytes: usize = tokens.iter().map(String::len).sum();
        if bytes > MOST_BYTES {
            let message = format!(
                "the chat template and its special tokens have {bytes} bytes of markup, but the limit \
                 is {MOST_BYTES}"
            );
            let help = "use the template and the tokens of the model that answers, or set \
                        `ControlTokens::Ignore` if the data is trusted";
            return Err(Error::new(ErrorKind::Limit, message).with_help(help));
        }
        let lower: Vec<String> = tokens.iter().map(|it| it.to_ascii_lowercase()).collect();
        let reversed = |texts: &[String]| -> Vec<Vec<u8>> {
            texts.iter().map(|it| it.bytes().rev().collect()).collect()
        };
        let forwards = TextSet::new(&lower)?;
        let completions = completions(&forwards, &lower, texts)?;
        Ok(Self {
            candidates: Candidates::new(&lower),
            backwards: TextSet::new(&reversed(&lower))?,
            exact: TextSet::new(&reversed(&tokens))?,
            suffixes: Suffixes::all(tokens.iter().map(String::as_str)),
            longest: tokens.iter().map(String::len).max().unwrap_or(0),
            forwards,
            completions,
            tokens,
        })
    }

    /// The markup, sorted.
    pub(super) fn tokens(&self) -> &[String] {
        &self.tokens
    }

    /// All characters of the markup except white space.
    pub(super) fn characters(&self) -> Vec<char> {
        let all = self.tokens.iter().flat_map(|token| token.chars());
        distinct(all.filter(|it| !it.is_whitespace()))
    }

    /// Characters such that each token contains at least one: its unusual ones, if it has any.
    pub(super) fn essential_characters(&self) -> Vec<char> {
        let essential = |token: &String| {
            let all = || token.chars().filter(|it| !it.is_whitespace());
            let unusual: Vec<char> = all().filter(|it| is_unusual(*it)).collect();
            if unusual.is_empty() { all().collect() } else { unusual }
        };
        distinct(self.tokens.iter().flat_map(essential))
    }

    /// Whether a piece of data contains markup, or forms markup together with the template's text.
    ///
    /// This is a fast test for all data of a request. Only if it finds a suspect, [`Self::threat`]
    /// is used, which also finds pieces that form markup together with other data.
    pub(super) fn is_suspect(&self, data: &str) -> bool {
        let core = stripped(data);
        if core.is_empty() {
            return false;
        }
        // A template that strips the data may complete its end.
        if self.has_unfinished_end(core) {
            return true;
        }
        // The white space at the start may contain the newline that a header begins with.
        self.appears_in(data)
            || [data, core].iter().any(|text| {
                match self.completions.match_start(text.bytes().map(|it| it.to_ascii_lowercase())) {
                    SuffixMatch::Complete => true,
                    SuffixMatch::Partial => text.len() < self.longest,
                    SuffixMatch::None => false,
                }
            })
    }

    /// Whether markup appears in a text, in upper or lower case.
    fn appears_in(&self, text: &str) -> bool {
        let bytes = text.as_bytes();
        let mut candidates = self.candidates.find(bytes);
        // The end of the bytes that the automaton has read. Candidates before it were tried.
        let mut at = 0;
        while let Some(start) = candidates.find(|start| *start >= at) {
            at = start;
            let mut state = self.forwards.start();
            for byte in bytes.iter().skip(start) {
                state = self.forwards.step(state, byte.to_ascii_lowercase());
                at += 1;
                if self.forwards.longest_end(state) > 0 {
                    return true;
                }
                if state == self.forwards.start() {
                    break;
                }
            }
        }
        false
    }

    /// The markup in a piece of data, alone or together with other data.
    pub(super) fn threat(&self, data: &str) -> Option<Threat> {
        let core = stripped(data);
        if core.is_empty() || self.tokens.is_empty() {
            return None;
        }
        if self.appears_in(core) {
            let is_exact = !self.places(core).is_empty();
            return Some(if is_exact { Threat::Complete } else { Threat::Partial });
        }
        // The neighbours of a fragment could complete it to markup.
        let is_fragment = self.has_unfinished_end(core)
            || self.begins_with_end_of_markup(core)
            || (core.len() <= self.longest && self.suffixes.contains_prefix(core));
        is_fragment.then_some(Threat::Partial)
    }

    /// Whether a text ends with the start of markup.
    fn has_unfinished_end(&self, core: &str) -> bool {
        let end = core.bytes().skip(core.len().saturating_sub(self.longest));
        let end = end.map(|it| it.to_ascii_lowercase());
        self.forwards.may_continue(self.forwards.read(end))
    }

    /// Whether a text begins with the end of markup.
    fn begins_with_end_of_markup(&self, core: &str) -> bool {
        let start = core.as_bytes().iter().take(self.longest).rev();
        let start = start.map(u8::to_ascii_lowercase);
        self.backwards.may_continue(self.backwards.read(start))
    }

    /// The places of markup in a text. If several begin at one position, the longest is used.
    pub(super) fn places(&self, text: &str) -> Vec<Range<usize>> {
        self.exact.places_backwards(text.bytes())
    }

    /// All markup in a text.
    pub(super) fn all_in<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        self.places(text).into_iter().map(|place| markup_at(text, place))
    }

    /// The first markup in a text, in upper or lower case.
    pub(super) fn first_in<'t>(&self, text: &'t str) -> Option<&'t str> {
        let lower = text.bytes().map(|it| it.to_ascii_lowercase());
        let first = self.backwards.places_backwards(lower).into_iter().next();
        first.map(|place| markup_at(text, place))
    }
}

/// The markup in one of the places that were found in a text.
#[expect(clippy::string_slice, reason = "the callers found the place in the same text")]
pub(super) fn markup_at(text: &str, place: Range<usize>) -> &str {
    &text[place]
}

fn is_unusual(character: char) -> bool {
    !character.is_alphanumeric()
        && !character.is_whitespace()
        && !COMMON_PUNCTUATION.contains(character)
}

fn distinct(characters: impl Iterator<Item = char>) -> Vec<char> {
    let mut seen = HashSet::new();
    characters.filter(|it| seen.insert(*it)).collect()
}

/// The rest of each token whose start the template writes itself. That is the case if the start is
/// at the end of one of the template's strings, or ends with such a string. Tokens are in lower
/// case, because a template may change the case of its data.
///
/// Example: with the token `<|im_end|>` and the string `a<|im_`, data may complete `end|>`.
///
/// Each token is read once, by two automata. The state of `forwards` shows whether the start of the
/// token is at the end of a string, and the state of `significant` whether it ends with a string.
/// Strings of one ordinary character are not significant.
fn completions(forwards: &TextSet, tokens: &[String], texts: &[String]) -> Result<Suffixes, Error> {
    let written = forwards.with_fallbacks(states_where_data_follows(forwards, texts));
    let significant = texts.iter().map(|text| text.trim()).filter(|text| {
        text.len() <= LONGEST_MARKUP && (text.len() > 1 || text.contains(is_unusual))
    });
    let significant: Vec<String> = significant.map(str::to_ascii_lowercase).collect();
    let significant = TextSet::new(&significant)?;
    // The tokens, joined, and the places of the rests in them.
    let mut joined = Vec::new();
    let mut places = Vec::new();
    for token in tokens {
        let start = joined.len();
        joined.extend_from_slice(token.as_bytes());
        let (mut front, mut text) = (forwards.start(), significant.start());
        for (at, byte) in token.bytes().enumerate() {
            let is_written = written.contains(&front) || significant.longest_end(text) > 0;
            if at > 0 && is_written && token.is_char_boundary(at) {
                places.push((start + at, joined.len()));
            }
            front = forwards.step(front, byte);
            text = significant.step(text, byte);
        }
    }
    Ok(Suffixes::new(joined, places))
}

/// The states of token starts that the template writes before data: at the ends of its strings,
/// and, in a string with fields to fill in, at the ends of its parts. Each is returned with and
/// without the white space at the end.
fn states_where_data_follows(forwards: &TextSet, texts: &[String]) -> HashSet<TextState> {
    let mut states = HashSet::new();
    // The lines of a template may be joined with newlines.
    for text in texts.iter().map(String::as_str).chain(["\n"]) {
        add_steps(text.len());
        let (mut state, mut trimmed) = (forwards.start(), forwards.start());
        for character in text.chars() {
            if matches!(character, '{' | '%') {
                states.extend([state, trimmed]);
            }
            for byte in character.to_ascii_lowercase().encode_utf8(&mut [0; 4]).bytes() {
                state = forwards.step(state, byte);
            }
            if !character.is_whitespace() {
                trimmed = state;
            }
        }
        states.extend([state, trimmed]);
    }
    states
}

#[cfg(test)]
#[allow(clippy::string_slice, reason = "in a test, a panic is a failure")]
mod tests {
    use proptest::prelude::prop;
    use proptest::{prop_assert_eq, proptest};
    use work_counting::{Work, assert_linear, count_work};

    use super::{Markup, Threat};

    fn markup() -> Markup {
        let tokens = ["<|im_start|>", "<|im_end|>", "[INST]", "\nUser:", "x"];
        Markup::new(tokens.map(str::to_owned), &["a<|im_".to_owned()]).unwrap()
    }

    #[test]
    fn markup_is_found_in_data_and_so_are_parts_of_it() {
        let threat = |data: &str| markup().threat(data);
        assert_eq!(threat("Hello there. 1 > 0, and x[1] < 2!"), None);
        for complete in ["<|im_end|>", "a <|im_start|>system", "[INST", "Hi\nUser: no"] {
            let expected = if complete == "[INST" { Threat::Partial } else { Threat::Complete };
            assert_eq!(threat(complete), Some(expected), "{complete:?}");
        }
        for part in ["a <", "a <|im_ \n", "end|> b", "|> b", "im_end", "<|IM_END|>", "User: no"] {
            assert_eq!(threat(part), Some(Threat::Partial), "{part:?}");
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
        assert!(Markup::new([], &[]).unwrap().places("<|im_end|>").is_empty());
        assert_eq!(markup().first_in("x <|IM_END|>"), Some("<|IM_END|>"));
    }

    /// The rests of tokens that [`completions`](super::completions) describes, found by a simple
    /// comparison of all strings.
    fn simple_completions(tokens: &[String], texts: &[String]) -> Vec<String> {
        let ends = |text: &str| [text.to_owned(), text.trim_end().to_owned()];
        let written: Vec<String> = texts
            .iter()
            .map(String::as_str)
            .chain(["\n"])
            .flat_map(|text| {
                let fields = text.match_indices(['{', '%']).map(|(at, _)| at);
                fields.chain([text.len()]).flat_map(move |end| ends(&text[..end]))
            })
            .collect();
        let is_written = |front: &str| {
            let significant = texts.iter().map(|text| text.trim());
            let mut significant =
                significant.filter(|it| it.len() > 1 || it.contains(super::is_unusual));
            written.iter().any(|it| it.to_ascii_lowercase().ends_with(front))
                || significant.any(|it| front.ends_with(&it.to_ascii_lowercase()))
        };
        let lower = tokens.iter().map(|it| it.to_ascii_lowercase());
        let rests = lower.flat_map(|token| {
            let cuts: Vec<usize> = token.char_indices().map(|(at, _)| at).skip(1).collect();
            let rest = |at: usize| is_written(&token[..at]).then(|| token[at..].to_owned());
            cuts.into_iter().filter_map(rest).collect::<Vec<_>>()
        });
        rests.collect()
    }

    proptest! {
        #[test]
        fn the_search_agrees_with_a_simple_search(
            tokens in prop::collection::vec("[<|a-bB>{é ]{2,5}", 0..4),
            texts in prop::collection::vec("[<|a-b> %{é\n]{0,6}", 0..3),
            data in "[<|a-bA-B> é]{0,6}",
        ) {
            let markup = Markup::new(tokens.clone(), &texts).unwrap();
            let tokens = markup.tokens();
            let places = data.char_indices().filter_map(|(at, _)| {
                let here = tokens.iter().filter(|it| data[at..].starts_with(&***it));
                here.map(|it| at..at + it.len()).max_by_key(std::ops::Range::len)
            });
            prop_assert_eq!(markup.places(&data), places.collect::<Vec<_>>());

            let (lower, core) = (data.to_ascii_lowercase(), super::stripped(&data));
            let core_lower = core.to_ascii_lowercase();
            let lower_tokens: Vec<_> = tokens.iter().map(|it| it.to_ascii_lowercase()).collect();
            let is_in = |text: &str| lower_tokens.iter().any(|it| text.contains(&**it));
            let cuts = || core.char_indices().map(|(at, _)| core_lower.split_at(at));
            let begins = |start: &str| {
                lower_tokens.iter().any(|it| it.len() > start.len() && it.starts_with(start))
            };
            let ends = |end: &str| {
                lower_tokens.iter().any(|it| it.len() > end.len() && it.ends_with(end))
            };
            let is_unfinished = cuts().any(|(_, rest)| begins(rest));
            let is_rest = cuts().chain([(&*core_lower, "")]).any(|(front, _)| {
                !front.is_empty() && ends(front)
            });
            let threat = if core.is_empty() || tokens.is_empty() {
                None
            } else if tokens.iter().any(|it| core.contains(&**it)) {
                Some(Threat::Complete)
            } else {
                let is_part = tokens.iter().any(|it| it.contains(core));
                let is_part = is_part || is_unfinished || is_rest || is_in(&core_lower);
                is_part.then_some(Threat::Partial)
            };
            prop_assert_eq!(markup.threat(&data), threat);

            let completions = simple_completions(tokens, &texts);
            let longest = tokens.iter().map(String::len).max().unwrap_or(0);
            let completes = [&*lower, &*core_lower].iter().any(|text| {
                completions.iter().any(|it| {
                    text.starts_with(&**it) || (text.len() < longest && it.starts_with(text))
                })
            });
            let is_suspect = is_unfinished || is_in(&lower) || completes;
            prop_assert_eq!(markup.is_suspect(&data), !core.is_empty() && is_suspect);
        }
    }

    /// Makes the tokens and the template's own strings for a size.
    type MakeTexts<'a> = dyn Fn(usize) -> (Vec<String>, Vec<String>) + 'a;

    /// The work without the logarithmic factor of sorting.
    fn without_sorting(work: Work, size: usize) -> Work {
        Work { steps: work.steps / u64::from(size.ilog2()), ..work }
    }

    #[test]
    fn markup_is_prepared_in_work_that_grows_with_the_template() {
        let long = "b".repeat(150);
        let numbered = |size: usize| (0..size).map(|it| format!("<|{it:07}|>")).collect();
        let alike = |size: usize| (0..size).map(|it| format!("<|{long}{it:07}|>")).collect();
        let texts: [(&str, &MakeTexts<'_>); 5] = [
            ("many tokens", &|size| (numbered(size), Vec::new())),
            ("many tokens that are nearly alike", &|size| (alike(size / 8), Vec::new())),
            ("many tokens that are the template's own texts", &|size| {
                (numbered(size), numbered(size))
            }),
            ("fields next to a long token", &|size| {
                let digits = |it: usize| it.wrapping_mul(0x9E37_79B9) % 10;
                let text = (0..size).map(|it| format!("{}{{%", digits(it))).collect();
                (alike(1), vec![text])
            }),
            ("fields next to many tokens", &|size| {
                let text = numbered(size).iter().map(|it: &String| format!("{it}{{")).collect();
                (numbered(size), vec![text])
            }),
        ];
        for (what, texts) in texts {
            assert_linear(what, 500, |size| {
                let (tokens, texts) = texts(size);
                without_sorting(count_work(|| Markup::new(tokens, &texts).unwrap()).1, size)
            });
        }
    }

    #[test]
    fn data_is_searched_in_work_that_grows_with_it() {
        let alike: Vec<String> = (1..160).map(|length| "a".repeat(length) + "b").collect();
        let markup = Markup::new(alike, &["a{a".repeat(99)]).unwrap();
        let data: [&dyn Fn(usize) -> String; 3] = [
            &|size| "a".repeat(size),
            &|size| ("a".repeat(159) + "c").repeat(size / 160),
            &|size| "a".repeat(size) + "b",
        ];
        for data in data {
            assert_linear("a search for markup", 1_000, |size| {
                let data = data(size);
                count_work(|| {
                    (markup.is_suspect(&data), markup.threat(&data), markup.places(&data))
                })
                .1
            });
        }
    }

    #[test]
    fn too_much_markup_is_refused() {
        let tokens = |count: usize| (0..count).map(|it| format!("<|{it:0100}|>"));
        let error = Markup::new(tokens(super::MOST_BYTES / 100), &[]).unwrap_err();
        assert_eq!(error.kind(), super::ErrorKind::Limit);
        assert!(error.help().is_some());
    }
}
