//! Texts of the host that must not appear in errors and logs, and their replacement.
//!
//! Such a text is recognised wherever it occurs, whatever its origin there, because an error may
//! quote a value that a template has processed.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::REDACTED;
use crate::diagnostic::Diagnostic;
use crate::error::Error;
use crate::value::{Map, Value};

/// Shorter texts are hidden only alone or in quotes, because elsewhere they are parts of words.
const SHORTEST: usize = 4;

/// A message may quote only the beginning of a text, so this many characters are searched for.
const BEGINNING: usize = 8;

/// A longer message is replaced completely.
const LONGEST_MESSAGE: usize = 1 << 14;

/// Texts that came from the host. Clones share them.
#[doc(hidden)]
#[derive(Clone, Default)]
pub struct HiddenTexts {
    texts: Option<Arc<HashSet<Arc<str>>>>,
}

/// Always equal: hidden texts are not part of a value's identity.
impl PartialEq for HiddenTexts {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for HiddenTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HiddenTexts")
    }
}

impl FromIterator<Arc<str>> for HiddenTexts {
    fn from_iter<I: IntoIterator<Item = Arc<str>>>(texts: I) -> Self {
        let texts: HashSet<Arc<str>> =
            texts.into_iter().filter(|text| !text.trim().is_empty()).collect();
        Self { texts: (!texts.is_empty()).then(|| Arc::new(texts)) }
    }
}

impl HiddenTexts {
    /// Whether there are hidden texts.
    pub fn any(&self) -> bool {
        self.texts.is_some()
    }

    /// The same texts without those that the prompt's author wrote.
    #[must_use]
    pub fn without<'t>(&self, written: impl IntoIterator<Item = &'t str>) -> Self {
        let Some(texts) = &self.texts else { return Self::default() };
        let mut texts = HashSet::clone(texts);
        for text in written {
            texts.remove(text);
        }
        texts.into_iter().collect()
    }

    /// Whether a complete text is hidden.
    pub fn hides(&self, text: &str) -> bool {
        self.texts.as_ref().is_some_and(|texts| texts.contains(text))
    }

    /// The text, or [`REDACTED`] if it is hidden.
    pub fn shown<'t>(&self, text: &'t str) -> &'t str {
        if self.hides(text) { REDACTED } else { text }
    }

    /// Replaces all quotations of hidden texts in a text.
    #[expect(clippy::string_slice, reason = "`find` returns boundaries of characters")]
    pub fn hide<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let Some(texts) = &self.texts else { return Cow::Borrowed(text) };
        if text.len() > LONGEST_MESSAGE {
            return Cow::Borrowed(REDACTED);
        }
        let index = PrefixIndex::new(text);
        // For each offset at which a quotation starts, its end; otherwise 0.
        let mut ends = vec![0; text.len()];
        // A message may quote a single line of a hidden text, or a line without its indentation.
        for hidden in texts.iter() {
            for line in std::iter::once(&**hidden).chain(hidden.lines()) {
                index.mark_quotations(line.trim(), &mut ends);
            }
        }
        let (mut shown, mut end) = (String::new(), 0);
        for (start, range_end) in ends.into_iter().enumerate().filter(|(_, end)| *end > 0) {
            // A quotation that begins inside of another one only moves its end.
            if start >= end {
                shown.push_str(&text[end..start]);
                shown.push_str(REDACTED);
            }
            end = end.max(range_end);
        }
        if end == 0 {
            return Cow::Borrowed(text);
        }
        shown.push_str(&text[end..]);
        Cow::Owned(shown)
    }

    /// Replaces hidden texts in a value.
    pub fn hide_value(&self, value: &Value) -> Value {
        match value {
            _ if self.texts.is_none() => value.clone(),
            Value::Null | Value::Bool(_) => value.clone(),
            Value::Integer(_) | Value::Float(_) => {
                let text = value.to_string();
                if self.shown(&text) == text { value.clone() } else { Value::from(REDACTED) }
            }
            Value::String(text) => Value::from(self.shown(text)),
            Value::Array(items) => items.iter().map(|item| self.hide_value(item)).collect(),
            Value::Object(map) => Value::Object(self.hide_map(map)),
        }
    }

    /// Replaces hidden texts in a map, in keys and in values.
    pub fn hide_map(&self, map: &Map) -> Map {
        if self.texts.is_none() {
            return map.clone();
        }
        map.iter().map(|(name, value)| (self.shown(name), self.hide_value(value))).collect()
    }

    /// Replaces hidden texts in an error.
    #[must_use]
    pub fn hide_error(&self, error: Error) -> Error {
        if self.texts.is_none() {
            return error;
        }
        let mut is_changed = false;
        let error = error.map_texts(|text| match self.hide(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(shown) => {
                is_changed = true;
                shown
            }
        });
        match is_changed && error.help().is_none() {
            true => error.with_help(format!(
                "{REDACTED} replaces text that came from a variable or a file of the host"
            )),
            false => error,
        }
    }

    /// Replaces hidden texts in a diagnostic.
    #[must_use]
    pub fn hide_diagnostic(&self, mut finding: Diagnostic) -> Diagnostic {
        if self.texts.is_none() {
            return finding;
        }
        let texts = std::iter::once(&mut finding.message).chain(&mut finding.label);
        for text in texts.chain(&mut finding.help).chain(&mut finding.notes) {
            if let Cow::Owned(shown) = self.hide(text) {
                *text = shown;
            }
        }
        finding
    }
}

/// An index of a message: the offsets of each substring of up to [`BEGINNING`] characters. It makes
/// a search for many lines fast, because the message is not read again for each of them.
struct PrefixIndex<'t> {
    text: &'t str,
    offsets: HashMap<&'t str, Vec<usize>>,
}

#[expect(clippy::string_slice, reason = "`char_indices` returns boundaries of characters")]
impl<'t> PrefixIndex<'t> {
    fn new(text: &'t str) -> Self {
        let mut offsets: HashMap<&str, Vec<usize>> = HashMap::new();
        for (start, _) in text.char_indices() {
            let rest = &text[start..];
            for (offset, character) in rest.char_indices().take(BEGINNING) {
                let prefix = &rest[..offset + character.len_utf8()];
                offsets.entry(prefix).or_default().push(start);
            }
        }
        Self { text, offsets }
    }

    /// Finds where the message quotes a hidden text, with or without escapes. It writes the end of
    /// each quotation to `ends`, at the index of its start. A quotation has at least the first
    /// [`BEGINNING`] characters, and ends where the message differs from the hidden text.
    fn mark_quotations(&self, hidden: &str, ends: &mut [usize]) {
        self.mark_characters(&hidden.chars(), ends);
        let escaped = hidden.chars().flat_map(char::escape_debug);
        // A quotation is not longer than the message, so the rest of the text does not matter.
        if hidden.chars().take(self.text.len()).any(|it| it.escape_debug().len() > 1) {
            self.mark_characters(&escaped, ends);
        }
    }

    /// Like [`mark_quotations`](Self::mark_quotations), for one spelling of the hidden text.
    fn mark_characters(&self, hidden: &(impl Iterator<Item = char> + Clone), ends: &mut [usize]) {
        let beginning: String = hidden.clone().take(BEGINNING).collect();
        let is_short = beginning.chars().count() < SHORTEST;
        for start in self.offsets.get(beginning.as_str()).into_iter().flatten() {
            let rest = &self.text[*start..];
            let common = rest.chars().zip(hidden.clone()).take_while(|(left, right)| left == right);
            let end = start + common.map(|(character, _)| character.len_utf8()).sum::<usize>();
            if !is_short || is_quoted(self.text, *start..end) {
                ends.iter_mut().skip(*start).take(1).for_each(|it| *it = end.max(*it));
            }
        }
    }
}

/// Whether a quote is directly before and after a range.
fn is_quoted(text: &str, range: Range<usize>) -> bool {
    let is_quote = |character: Option<char>| matches!(character, Some('`' | '\'' | '"'));
    let before = text.get(..range.start).and_then(|before| before.chars().next_back());
    let after = text.get(range.end..).and_then(|after| after.chars().next());
    is_quote(before) && is_quote(after)
}

#[cfg(test)]
mod tests {
    use super::HiddenTexts;
    use crate::error::{Error, ErrorKind};
    use crate::value::{Map, Value};

    fn hidden(texts: &[&str]) -> HiddenTexts {
        texts.iter().map(|text| (*text).into()).collect()
    }

    #[test]
    fn hidden_texts_are_replaced_wherever_they_are_quoted() {
        let hidden = hidden(&["hunter2", "two\nlines \"x\"", "abc", "very long secret text"]);
        for (text, shown) in [
            ("no `hunter2` here", "no `[REDACTED]` here"),
            ("hunter2hunter2", "[REDACTED][REDACTED]"),
            ("hunter", "hunter"),
            ("cut: very long se…", "cut: [REDACTED]…"),
            (r#"a "two\nlines \"x\"" b"#, r#"a "[REDACTED]" b"#),
            ("the line `lines \"x\"`", "the line `[REDACTED]`"),
            ("an `abc` in abcde", "an `[REDACTED]` in abcde"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(hidden.hide(text), shown);
        }
        assert_eq!((hidden.shown("abc"), hidden.shown("abcd")), ("[REDACTED]", "abcd"));
    }

    #[test]
    fn an_error_explains_its_replaced_texts() {
        let error = Error::new(ErrorKind::Render, "bad `hunter2`").with_source("hunter2");
        let error = hidden(&["hunter2"]).hide_error(error);
        assert_eq!(error.to_string(), "bad `[REDACTED]`");
        assert!(error.help().unwrap().starts_with("[REDACTED] replaces"));
        assert!(std::error::Error::source(&error).is_none());
    }

    #[test]
    fn values_are_hidden_with_the_names_of_their_entries() {
        let value = Value::from(Map::from([("hunter2", Value::from(1)), ("x", Value::from(1234))]));
        let shown = hidden(&["hunter2", "1234"]).hide_value(&value).to_string();
        assert_eq!(shown, r#"{"[REDACTED]": 1, "x": "[REDACTED]"}"#);
    }
}
