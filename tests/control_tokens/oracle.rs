//! Checks a prompt with hostile data. It only compares it with a prompt with harmless data.

use std::ops::Range;

use typed_prompty::Value;
use typed_prompty::chat::{ChatTemplate, ChatTurn, ControlTokens, DataRange, PromptOptions};

use super::conversation::{Shape, Texts};

pub(crate) struct Oracle<'a> {
    pub(crate) template: &'a ChatTemplate,
    pub(crate) shape: &'a Shape,
    pub(crate) texts: &'a Texts,
    pub(crate) markers: &'a [String],
}

impl Oracle<'_> {
    /// The same conversation without an attack.
    fn harmless(&self, options: &PromptOptions) -> Result<ChatTurn, String> {
        let options = options.clone().with_control_tokens(ControlTokens::Ignore);
        let turn = self.shape.apply(self.template, &self.texts.harmless(), &options);
        turn.map_err(|error| format!("harmless data is refused: {error:?}"))
    }

    pub(crate) fn check(&self, turn: &ChatTurn, options: &PromptOptions) -> Result<(), String> {
        let text = &turn.prompt;
        self.check_ranges(text, &turn.data_ranges)?;
        let ranges: Vec<_> = turn.data_ranges.iter().map(|it| it.bytes.clone()).collect();
        self.check_markup_outside(text, &ranges, options)?;
        let harmless = self.harmless(options)?;
        if turn.stops != harmless.stops {
            return Err(format!("the stops differ: {:?} {:?}", turn.stops, harmless.stops));
        }
        if turn.parser.starts_in_reasoning() != harmless.parser.starts_in_reasoning() {
            return Err("the parser starts in another state".to_owned());
        }
        // The text around marked data must be the same as around harmless data.
        if !ranges.is_empty() {
            let is_same = self.is_harmless_with_attacks(&harmless.prompt, text);
            let hostile = self.texts.hostile.len();
            if !is_same && hostile == 1 {
                return Err(format!(
                    "the text around the data differs:\n{text:?}\n{:?}",
                    harmless.prompt
                ));
            }
        }
        Ok(())
    }

    /// Checks that each range contains one of the attacks, as the template writes it.
    fn check_ranges(&self, text: &str, ranges: &[DataRange]) -> Result<(), String> {
        let mut end = 0;
        for range in ranges {
            let held =
                text.get(range.bytes.clone()).ok_or(format!("{range:?} cuts a character"))?;
            if range.bytes.start < end || held.is_empty() {
                return Err(format!("{range:?} is out of order"));
            }
            end = range.bytes.end;
            // If arguments are a string, the complete string is one piece of data.
            let arguments = self.texts.arguments();
            let attacks = self.texts.hostile.iter().map(|slot| self.texts.texts[*slot].trim());
            let mut attacks = attacks.chain([arguments.as_str()]);
            if !attacks.any(|attack| escaped_forms(attack).iter().any(|it| it == held)) {
                return Err(format!("{range:?} holds {held:?}"));
            }
        }
        Ok(())
    }

    /// Checks that the markup outside of some ranges is the same as with harmless data.
    pub(crate) fn check_markup_outside(
        &self,
        text: &str,
        ranges: &[Range<usize>],
        options: &PromptOptions,
    ) -> Result<(), String> {
        let harmless = self.harmless(options)?.prompt;
        let found = self.markup(text, ranges);
        let expected = self.markup(&harmless, &[]);
        if found == expected {
            return Ok(());
        }
        Err(format!("markup is {found:?},\n not {expected:?}\n in {text:?}\nnot {harmless:?}"))
    }

    /// The markers in a text that overlap no range. At each position, the longest marker counts.
    fn markup(&self, text: &str, ranges: &[Range<usize>]) -> Vec<&str> {
        let mut found = Vec::new();
        for (at, _) in text.char_indices() {
            let here = self.markers.iter().filter(|marker| text[at..].starts_with(&***marker));
            let Some(marker) = here.max_by_key(|it| it.len()) else { continue };
            let end = at + marker.len();
            if !ranges.iter().any(|range| range.start < end && at < range.end) {
                found.push(&**marker);
            }
        }
        found
    }

    /// Whether `text` is `harmless` with each harmless word replaced by its attack.
    fn is_harmless_with_attacks(&self, harmless: &str, text: &str) -> bool {
        let words = self.texts.hostile.iter().map(|slot| (*slot, Texts::word(*slot)));
        let next = words.filter_map(|(slot, word)| Some((harmless.find(&word)?, slot, word))).min();
        let Some((at, slot, word)) = next else { return harmless == text };
        let (front, rest) = (&harmless[..at], &harmless[at + word.len()..]);
        let Some(text) = text.strip_prefix(front) else { return false };
        let forms = escaped_forms(self.texts.texts[slot].trim());
        forms.iter().any(|form| {
            text.strip_prefix(&**form).is_some_and(|text| self.is_harmless_with_attacks(rest, text))
        })
    }
}

/// The forms in which templates write a string: unchanged, as JSON, as JSON in JSON or in Python,
/// as Python.
fn escaped_forms(text: &str) -> Vec<String> {
    let json = |text: &str| {
        let quoted = Value::from(text).to_json();
        quoted[1..quoted.len() - 1].to_owned()
    };
    let ascii = |text: &str| {
        let mut ascii = String::new();
        for unit in text.encode_utf16() {
            match u8::try_from(unit) {
                Ok(byte) if byte.is_ascii() => ascii.push(byte.into()),
                _ => ascii.push_str(&format!("\\u{unit:04x}")),
            }
        }
        ascii
    };
    let python = |text: &str, quote: char| {
        let mut python = text.replace('\\', "\\\\").replace(quote, &format!("\\{quote}"));
        for (character, escape) in [("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")] {
            python = python.replace(character, escape);
        }
        python
    };
    let once = json(text);
    let mut forms = vec![text.to_owned(), ascii(&once), json(&ascii(&once)), ascii(&json(&once))];
    forms.extend([python(&once, '\''), json(&once), once, python(text, '\''), python(text, '"')]);
    forms.sort();
    forms.dedup();
    forms
}
