//! Two texts of one template side by side: one with data, one with words in the place of the data.

use std::collections::HashSet;
use std::ops::Range;

use super::written::forms;

/// So many ways to read a text may be open at once; more say nothing for sure.
const MOST_WAYS: usize = 16;

/// What the words that stand for data begin with.
const STEM: &str = "zqdata";

/// The words that stand for data.
#[derive(Debug)]
pub(super) struct Words {
    stem: String,
}

impl Words {
    /// Words that none of some texts holds.
    pub(super) fn foreign_to(texts: &[&str]) -> Self {
        if !texts.iter().any(|text| text.contains(STEM)) {
            return Self { stem: STEM.to_owned() };
        }
        // A number that none has behind it: short, however much a text holds of such words.
        let behind = texts.iter().flat_map(|text| text.split(STEM).skip(1));
        let is_end = |it: char| !it.is_ascii_digit();
        let digits = behind.filter_map(|text| text.split(is_end).next());
        let taken: HashSet<u64> = digits.filter_map(|digits| digits.parse().ok()).collect();
        let number = (0..).find(|number| !taken.contains(number)).unwrap_or_default();
        Self { stem: format!("{STEM}{number}xq") }
    }

    /// The word of a number.
    pub(super) fn word(&self, index: usize) -> String {
        format!("{}{index:05}z", self.stem)
    }

    /// The words in a text: where each stands, and its number.
    fn find(&self, text: &str) -> Vec<(Range<usize>, usize)> {
        let places = text.match_indices(&self.stem).filter_map(|(at, _)| {
            let behind = text.get(at + self.stem.len()..)?;
            let (digits, _) = behind.split_once('z')?;
            let number = digits.parse().ok().filter(|_| digits.len() >= 5)?;
            Some((at..at + self.stem.len() + digits.len() + 1, number))
        });
        places.collect()
    }

    /// The text without its words.
    pub(super) fn out_of(&self, text: &str) -> String {
        let mut rest = String::new();
        let mut at = 0;
        for (range, _) in self.find(text) {
            rest.push_str(text.get(at..range.start).unwrap_or_default());
            rest.push('\0');
            at = range.end;
        }
        rest.push_str(text.get(at..).unwrap_or_default());
        rest
    }
}

/// Where a piece of data stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) range: Range<usize>,
    /// The number of the data.
    pub(super) data: usize,
}

/// A way to read the text so far: where it has come to, and how.
#[derive(Debug, Clone, Copy)]
struct Way {
    at: usize,
    /// Where the last piece of data begins, and the way in front of it.
    start: usize,
    before: usize,
}

/// Where the data stands in `text`, if it is `harmless` with data for words.
///
/// # Errors
///
/// The number of the data at which the two part ways, where one is there.
pub(super) fn align(
    words: &Words,
    harmless: &str,
    text: &str,
    data: &[&str],
) -> Result<Vec<Placed>, Option<usize>> {
    let places = words.find(harmless);
    let literal = |from: usize, to: usize| harmless.get(from..to).unwrap_or_default();
    let first_end = places.first().map_or(harmless.len(), |(range, _)| range.start);
    if !text.starts_with(literal(0, first_end)) {
        return Err(places.first().map(|(_, number)| *number));
    }
    // For each word, the ways to have read it.
    let mut layers = vec![vec![Way { at: first_end, start: 0, before: 0 }]];
    for (index, (range, number)) in places.iter().enumerate() {
        let end = places.get(index + 1).map_or(harmless.len(), |(next, _)| next.start);
        let behind = literal(range.end, end);
        let forms = forms(data.get(*number).copied().unwrap_or_default());
        let mut ways: Vec<Way> = Vec::new();
        for (before, way) in layers.last().into_iter().flatten().enumerate() {
            for form in &forms {
                let read = text.get(way.at..).and_then(|it| it.strip_prefix(&**form));
                if !read.is_some_and(|it| it.starts_with(behind)) {
                    continue;
                }
                let at = way.at + form.len() + behind.len();
                if ways.iter().any(|other| other.at == at) || ways.len() == MOST_WAYS {
                    return Err(Some(*number));
                }
                ways.push(Way { at, start: way.at, before });
            }
        }
        if ways.is_empty() {
            return Err(Some(*number));
        }
        layers.push(ways);
    }
    let last_number = places.last().map(|(_, number)| *number);
    let last = layers.last().and_then(|ways| ways.iter().position(|way| way.at == text.len()));
    let mut at = last.ok_or(last_number)?;
    let mut placed = Vec::with_capacity(places.len());
    for (index, (range, number)) in places.iter().enumerate().rev() {
        let end = places.get(index + 1).map_or(harmless.len(), |(next, _)| next.start);
        let way = layers.get(index + 1).and_then(|ways| ways.get(at)).ok_or(Some(*number))?;
        placed.push(Placed { range: way.start..way.at - (end - range.end), data: *number });
        at = way.before;
    }
    placed.reverse();
    Ok(placed)
}

#[cfg(test)]
mod tests {
    use super::{Placed, Words, align};

    fn aligned(harmless: &str, text: &str, data: &[&str]) -> Result<Vec<Placed>, Option<usize>> {
        let words = Words::foreign_to(&[text]);
        let mut with_words = harmless.to_owned();
        for index in 0..data.len() {
            with_words = with_words.replace(&format!("#{index}"), &words.word(index));
        }
        align(&words, &with_words, text, data)
    }

    #[test]
    fn words_are_short_whatever_a_text_holds() {
        for text in ["zqdata".to_owned() + &"xq".repeat(50_000), "zqdata0xq zqdata2xq".to_owned()] {
            let start = std::time::Instant::now();
            let words = Words::foreign_to(&["", &text]);
            assert!(start.elapsed().as_secs() < 1, "{:?}", start.elapsed());
            assert!(words.word(0).len() < 20 && !text.contains(&words.stem), "{words:?}");
        }
    }

    #[test]
    fn data_is_found_whole_and_more_than_once() {
        let found = aligned("a#0b#1#0.", "a<x>byy<x>.", &["<x>", "yy"]).unwrap();
        let ranges: Vec<_> = found.iter().map(|it| (it.range.clone(), it.data)).collect();
        assert_eq!(ranges, [(1..4, 0), (5..7, 1), (7..10, 0)]);
    }

    #[test]
    fn data_is_found_as_json_has_it() {
        let found = aligned("[\"#0\"]", "[\"say \\\"é\\\"\\n<x>\"]", &["say \"é\"\n<x>"]).unwrap();
        assert_eq!(found.first().unwrap().range, 2..17);
    }

    #[test]
    fn what_does_not_fit_has_no_places() {
        assert_eq!(aligned("a#0b", "a<x>c", &["<x>"]), Err(Some(0)));
        assert_eq!(aligned("a#0b", "ab", &["<x>"]), Err(Some(0)));
        assert_eq!(aligned("a#0b#1", "a<x>b<y>.", &["<x>", "<y>"]), Err(Some(1)));
        assert_eq!(aligned("ab", "ac", &[]), Err(None));
    }
}
