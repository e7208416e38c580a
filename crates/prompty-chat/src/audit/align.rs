//! Aligns two texts of one template, one with data and one with placeholders, to find the place of
//! each piece of data.
//!
//! Example: the text `["\u00e9"], é` is `["#0"], #0` with the data `é` in place of the placeholder
//! `#0`. A template may write data in several forms, so several forms may match at first. All
//! partial alignments are kept, in a layer for each placeholder:
//!
//! 1. The literal text `["` is at the start of the text.
//! 2. After it is a form of `é`, and then `"], `. Only the form of JSON matches.
//! 3. After that is a form of `é`, and then the end of the text.
//!
//! From the last layer, the alignments before it are followed back to the first.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use crate::engine;
use prompty_core::work::add_steps;

/// The maximum number of partial alignments that are kept. With more, the result is ambiguous.
const MOST_ALIGNMENTS: usize = 16;

/// The start of every placeholder.
const STEM: &str = "zqdata";

/// Placeholders for pieces of data. Each piece has a number.
#[derive(Debug)]
pub(super) struct Placeholders {
    stem: String,
}

impl Placeholders {
    /// Creates placeholders that do not appear in the given texts.
    pub(super) fn absent_from(texts: &[&str]) -> Self {
        add_steps(texts.iter().map(|text| text.len()).sum());
        if !texts.iter().any(|text| text.contains(STEM)) {
            return Self { stem: STEM.to_owned() };
        }
        // Use a number that never follows the stem: it is short, whatever the texts contain.
        let following = texts.iter().flat_map(|text| text.split(STEM).skip(1));
        let is_end = |it: char| !it.is_ascii_digit();
        let digits = following.filter_map(|text| text.split(is_end).next());
        let taken: HashSet<u64> = digits.filter_map(|digits| digits.parse().ok()).collect();
        let number = (0..).find(|number| !taken.contains(number)).unwrap_or_default();
        add_steps(taken.len());
        Self { stem: format!("{STEM}{number}xq") }
    }

    /// The placeholder with a number.
    pub(super) fn get(&self, index: usize) -> String {
        format!("{}{index:05}z", self.stem)
    }

    /// The ranges and numbers of the complete placeholders in a text. A placeholder that the
    /// template cut is text, even if the text after it would complete it. So no two overlap.
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

    /// The text with each placeholder replaced by a zero byte.
    #[expect(clippy::string_slice, reason = "`find` gives places in the text, in their order")]
    pub(super) fn erase(&self, text: &str) -> String {
        let mut erased = String::new();
        let mut at = 0;
        for (range, _) in self.find(text) {
            erased.push_str(&text[at..range.start]);
            erased.push('\0');
            at = range.end;
        }
        erased.push_str(&text[at..]);
        erased
    }
}

/// The place of a piece of data in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DataPlace {
    pub(super) range: Range<usize>,
    /// The number of the data.
    pub(super) data: usize,
}

/// One way to match the start of the text with the placeholders up to some index.
#[derive(Debug, Clone)]
struct PartialAlignment {
    /// The end of the matched start.
    end: usize,
    /// The range of the last piece of data.
    data: Range<usize>,
    /// The index of the partial alignment before that piece, in the previous layer.
    before: usize,
}

/// The alignments that continue these ones with a piece of data in one of its forms, and the text
/// `following`. `None` if there is none, or if they are ambiguous.
fn continued(
    alignments: &[PartialAlignment],
    text: &str,
    data: &str,
    following: &str,
) -> Option<Vec<PartialAlignment>> {
    let forms = escaped_forms(data);
    let mut found: Vec<PartialAlignment> = Vec::new();
    for (before, alignment) in alignments.iter().enumerate() {
        let rest = text.get(alignment.end..)?;
        for form in &forms {
            if !rest.strip_prefix(&**form).is_some_and(|it| it.starts_with(following)) {
                continue;
            }
            let data = alignment.end..alignment.end + form.len();
            let end = data.end + following.len();
            if found.iter().any(|other| other.end == end) || found.len() == MOST_ALIGNMENTS {
                return None;
            }
            found.push(PartialAlignment { end, data, before });
        }
    }
    (!found.is_empty()).then_some(found)
}

/// The places of the data in `text`, if it is `harmless` with its placeholders replaced.
///
/// # Errors
///
/// Returns the number of the data at which the two texts start to differ, if there is any.
pub(super) fn align(
    placeholders: &Placeholders,
    harmless: &str,
    text: &str,
    data: &[&str],
) -> Result<Vec<DataPlace>, Option<usize>> {
    let places = placeholders.find(harmless);
    #[expect(clippy::string_slice, reason = "`find` gave the places in this text, in their order")]
    let literal = |from: usize, to: usize| &harmless[from..to];
    let first_end = places.first().map_or(harmless.len(), |(range, _)| range.start);
    if !text.starts_with(literal(0, first_end)) {
        return Err(places.first().map(|(_, number)| *number));
    }
    // The first layer, and for each placeholder the alignments up to the literal text after it.
    let mut layers = vec![vec![PartialAlignment { end: first_end, data: 0..0, before: 0 }]];
    for (index, (range, number)) in places.iter().enumerate() {
        let end = places.get(index + 1).map_or(harmless.len(), |(next, _)| next.start);
        let following = literal(range.end, end);
        let data = data.get(*number).ok_or(Some(*number))?;
        let layer = layers.last().and_then(|last| continued(last, text, data, following));
        layers.push(layer.ok_or(Some(*number))?);
    }
    let last_number = places.last().map(|(_, number)| *number);
    let complete = layers.last().and_then(|last| last.iter().position(|it| it.end == text.len()));
    let mut alignment_index = complete.ok_or(last_number)?;
    let mut placed = Vec::with_capacity(places.len());
    for ((_, number), layer) in places.iter().zip(layers.iter().skip(1)).rev() {
        let alignment = layer.get(alignment_index).ok_or(Some(*number))?;
        placed.push(DataPlace { range: alignment.data.clone(), data: *number });
        alignment_index = alignment.before;
    }
    placed.reverse();
    Ok(placed)
}

/// Whether `written` is `data` in one of the forms in which a template may write it.
pub(super) fn is_form_of(written: &str, data: &str) -> bool {
    written == data || escaped_forms(data).iter().any(|form| *form == written)
}

/// The forms in which a template may write a string, without duplicates: unchanged, and escaped for
/// JSON, Python and HTML.
fn escaped_forms(text: &str) -> Vec<Cow<'_, str>> {
    let mut forms = vec![Cow::Borrowed(text)];
    // Most data is of such characters, and has one form.
    let is_never_escaped = |character: char| {
        character.is_ascii()
            && !character.is_ascii_control()
            && !matches!(character, '"' | '\'' | '\\' | '&' | '<' | '>')
    };
    if text.chars().all(is_never_escaped) {
        return forms;
    }
    let mut add = |form: String| {
        if !forms.iter().any(|known| **known == *form) {
            forms.push(Cow::Owned(form));
        }
    };
    for ensure_ascii in [false, true] {
        let once = engine::json_text(text, ensure_ascii);
        // JSON in a JSON string, as for arguments that are a string.
        for ensure_ascii in [false, true] {
            add(engine::json_text(&once, ensure_ascii));
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

    use super::{DataPlace, Placeholders, align, escaped_forms};

    fn aligned(harmless: &str, text: &str, data: &[&str]) -> Result<Vec<DataPlace>, Option<usize>> {
        let placeholders = Placeholders::absent_from(&[text]);
        let mut with_placeholders = harmless.to_owned();
        for index in 0..data.len() {
            with_placeholders =
                with_placeholders.replace(&format!("#{index}"), &placeholders.get(index));
        }
        align(&placeholders, &with_placeholders, text, data)
    }

    #[test]
    fn placeholders_are_short_for_every_text() {
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
    fn data_is_found_at_all_its_places() {
        let found = aligned("a#0b#1#0.", "a<x>byy<x>.", &["<x>", "yy"]).unwrap();
        let ranges: Vec<_> = found.iter().map(|it| (it.range.clone(), it.data)).collect();
        assert_eq!(ranges, [(1..4, 0), (5..7, 1), (7..10, 0)]);
    }

    #[test]
    fn a_cut_placeholder_is_not_found() {
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
    fn data_is_found_in_json_notation() {
        let found = aligned("[\"#0\"]", "[\"say \\\"é\\\"\\n<x>\"]", &["say \"é\"\n<x>"]).unwrap();
        assert_eq!(found.first().unwrap().range, 2..17);
    }

    #[test]
    fn texts_that_differ_have_no_places() {
        assert_eq!(aligned("a#0b", "a<x>c", &["<x>"]), Err(Some(0)));
        assert_eq!(aligned("a#0b", "ab", &["<x>"]), Err(Some(0)));
        assert_eq!(aligned("a#0b#1", "a<x>b<y>.", &["<x>", "<y>"]), Err(Some(1)));
        assert_eq!(aligned("ab", "ac", &[]), Err(None));
    }

    #[test]
    fn each_form_is_unique() {
        assert_eq!(escaped_forms("plain text"), ["plain text"]);
        let found = escaped_forms("<\"é\n");
        for form in
            ["<\"é\n", "<\\\"é\\n", "<\\\"\\u00e9\\n", "<\\\\\\\"é\\\\n", "<\"é\\n", "&lt;&#34;é\n"]
        {
            assert!(found.iter().any(|it| it == form), "{form:?} in {found:?}");
        }
    }
}
