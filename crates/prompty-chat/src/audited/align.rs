//! Two texts of one template side by side, one with data and one with placeholders for the data: where
//! does each piece of data stand?

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use crate::engine;
use prompty_core::work::add_steps;

/// The most ways to read a text that are kept at once. With more of them the result is not certain.
const MOST_WAYS: usize = 16;

/// The start of every placeholder.
const STEM: &str = "zqdata";

/// Placeholders that stand for pieces of data, which have numbers.
#[derive(Debug)]
pub(super) struct Placeholders {
    stem: String,
}

impl Placeholders {
    /// Placeholders that none of some texts contains.
    pub(super) fn absent_from(texts: &[&str]) -> Self {
        add_steps(texts.iter().map(|text| text.len()).sum());
        if !texts.iter().any(|text| text.contains(STEM)) {
            return Self { stem: STEM.to_owned() };
        }
        // A number that never follows the stem: it is short, whatever the texts contain.
        let behind = texts.iter().flat_map(|text| text.split(STEM).skip(1));
        let is_end = |it: char| !it.is_ascii_digit();
        let digits = behind.filter_map(|text| text.split(is_end).next());
        let taken: HashSet<u64> = digits.filter_map(|digits| digits.parse().ok()).collect();
        let number = (0..).find(|number| !taken.contains(number)).unwrap_or_default();
        add_steps(taken.len());
        Self { stem: format!("{STEM}{number}xq") }
    }

    /// The placeholder with a number.
    pub(super) fn get(&self, index: usize) -> String {
        format!("{}{index:05}z", self.stem)
    }

    /// The whole placeholders in a text: where each stands, and its number. One that the template cut
    /// is text like any other, also where what follows would complete it. So none overlaps another.
    fn find(&self, text: &str) -> Vec<(Range<usize>, usize)> {
        let mut starts = text.match_indices(&self.stem).map(|(at, _)| at).peekable();
        let mut found = Vec::new();
        while let Some(start) = starts.next() {
            let end = starts.peek().copied().unwrap_or(text.len());
            let numbered = text.get(start..end).and_then(|it| it.strip_prefix(&*self.stem));
            let Some((digits, _)) = numbered.and_then(|it| it.split_once('z')) else { continue };
            if let Some(number) = digits.parse().ok().filter(|_| digits.len() >= 5) {
                found.push((start..start + self.stem.len() + digits.len() + 1, number));
            }
        }
        found
    }

    /// The text with a zero byte in the place of each placeholder.
    #[expect(clippy::string_slice, reason = "`find` gives places in the text, in their order")]
    pub(super) fn erase(&self, text: &str) -> String {
        let mut rest = String::new();
        let mut at = 0;
        for (range, _) in self.find(text) {
            rest.push_str(&text[at..range.start]);
            rest.push('\0');
            at = range.end;
        }
        rest.push_str(&text[at..]);
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

/// A way to read the text so far.
#[derive(Debug, Clone, Copy)]
struct Way {
    /// Where the reading has arrived.
    at: usize,
    /// Where the last piece of data begins and ends.
    data: (usize, usize),
    /// The index of the way up to that piece.
    before: usize,
}

/// Where the data stands in `text`, if `text` is `harmless` with data for its placeholders.
///
/// # Errors
///
/// The number of the data at which the two texts start to differ, if there is any.
pub(super) fn align(
    placeholders: &Placeholders,
    harmless: &str,
    text: &str,
    data: &[&str],
) -> Result<Vec<Placed>, Option<usize>> {
    let places = placeholders.find(harmless);
    #[expect(clippy::string_slice, reason = "`find` gave the places in this text, in their order")]
    let literal = |from: usize, to: usize| &harmless[from..to];
    let first_end = places.first().map_or(harmless.len(), |(range, _)| range.start);
    if !text.starts_with(literal(0, first_end)) {
        return Err(places.first().map(|(_, number)| *number));
    }
    // For each placeholder, the ways to read the text up to what follows it.
    let mut layers = vec![vec![Way { at: first_end, data: (0, 0), before: 0 }]];
    for (index, (range, number)) in places.iter().enumerate() {
        let end = places.get(index + 1).map_or(harmless.len(), |(next, _)| next.start);
        let behind = literal(range.end, end);
        let data = data.get(*number).ok_or(Some(*number))?;
        let forms = escaped_forms(data);
        let mut ways: Vec<Way> = Vec::new();
        for (before, way) in layers.last().into_iter().flatten().enumerate() {
            for form in &forms {
                let read = text.get(way.at..).and_then(|it| it.strip_prefix(&**form));
                if !read.is_some_and(|it| it.starts_with(behind)) {
                    continue;
                }
                let data = (way.at, way.at + form.len());
                let at = data.1 + behind.len();
                if ways.iter().any(|other| other.at == at) || ways.len() == MOST_WAYS {
                    return Err(Some(*number));
                }
                ways.push(Way { at, data, before });
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
    for (index, (_, number)) in places.iter().enumerate().rev() {
        let way = layers.get(index + 1).and_then(|ways| ways.get(at)).ok_or(Some(*number))?;
        placed.push(Placed { range: way.data.0..way.data.1, data: *number });
        at = way.before;
    }
    placed.reverse();
    Ok(placed)
}

/// Whether a text is some data in one of the forms in which a template may write it.
pub(super) fn is_form_of(written: &str, data: &str) -> bool {
    written == data || escaped_forms(data).iter().any(|form| *form == written)
}

/// The forms in which a template may write a text: as it is, and escaped for JSON, Python and HTML; each
/// form once.
fn escaped_forms(text: &str) -> Vec<Cow<'_, str>> {
    let mut forms = vec![Cow::Borrowed(text)];
    let is_never_escaped = |letter: char| {
        letter.is_ascii()
            && !letter.is_ascii_control()
            && !matches!(letter, '"' | '\'' | '\\' | '&' | '<' | '>')
    };
    if text.chars().all(is_never_escaped) {
        return forms;
    }
    let mut add = |form: String| {
        if !forms.iter().any(|known| **known == *form) {
            forms.push(Cow::Owned(form));
        }
    };
    for ascii in [false, true] {
        let once = engine::json_text(text, ascii);
        // JSON text in JSON, as for arguments that are a text.
        for twice in [false, true] {
            add(engine::json_text(&once, twice));
        }
        add(once);
    }
    add(engine::python_text(text));
    add(engine::html_text(text));
    forms
}

#[cfg(test)]
#[allow(clippy::string_slice, reason = "in a test, a panic is a failure")]
mod tests {
    use work_counting::{assert_linear, count_work};

    use super::{Placed, Placeholders, align, escaped_forms};

    fn aligned(harmless: &str, text: &str, data: &[&str]) -> Result<Vec<Placed>, Option<usize>> {
        let placeholders = Placeholders::absent_from(&[text]);
        let mut with_placeholders = harmless.to_owned();
        for index in 0..data.len() {
            with_placeholders =
                with_placeholders.replace(&format!("#{index}"), &placeholders.get(index));
        }
        align(&placeholders, &with_placeholders, text, data)
    }

    #[test]
    fn words_are_short_whatever_a_text_holds() {
        for text in ["zqdata".to_owned() + &"xq".repeat(50_000), "zqdata0xq zqdata2xq".to_owned()] {
            let placeholders = Placeholders::absent_from(&["", &text]);
            assert!(
                placeholders.get(0).len() < 20 && !text.contains(&placeholders.stem),
                "{placeholders:?}"
            );
        }
    }

    #[test]
    fn placeholders_are_found_in_work_that_grows_with_the_text() {
        let numbered = |size: usize| (0..size).map(|it| format!("zqdata{it}xq ")).collect();
        let one = |size: usize| "zqdata".to_owned() + &"xq".repeat(size);
        let texts: [&dyn Fn(usize) -> String; 2] = [&numbered, &one];
        for text in texts {
            assert_linear("placeholders", 1_000, |size| {
                let text = text(size);
                count_work(|| Placeholders::absent_from(&["", &text])).1
            });
        }
    }

    #[test]
    fn data_is_found_whole_and_more_than_once() {
        let found = aligned("a#0b#1#0.", "a<x>byy<x>.", &["<x>", "yy"]).unwrap();
        let ranges: Vec<_> = found.iter().map(|it| (it.range.clone(), it.data)).collect();
        assert_eq!(ranges, [(1..4, 0), (5..7, 1), (7..10, 0)]);
    }

    #[test]
    fn a_placeholder_that_is_cut_stands_for_nothing() {
        let placeholders = Placeholders::absent_from(&[]);
        let (first, second) = (placeholders.get(0), placeholders.get(1));
        let cut = |length: usize| format!("{}{second}", &first[..length]);
        for length in 1..first.len() {
            assert_eq!(placeholders.find(&cut(length)), [(length..length + second.len(), 1)]);
            assert_eq!(placeholders.erase(&cut(length)).strip_suffix('\0'), Some(&first[..length]));
            let text = "<|e|>é<x>";
            assert!(align(&placeholders, &cut(length), text, &["<|e|>é", "<x>"]).is_err());
        }
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

    #[test]
    fn each_form_is_there_once() {
        assert_eq!(escaped_forms("plain text"), ["plain text"]);
        let found = escaped_forms("<\"é\n");
        for form in
            ["<\"é\n", "<\\\"é\\n", "<\\\"\\u00e9\\n", "<\\\\\\\"é\\\\n", "<\"é\\n", "&lt;&#34;é\n"]
        {
            assert!(found.iter().any(|it| it == form), "{form:?} in {found:?}");
        }
    }
}
