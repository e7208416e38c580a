//! Reads words without quotes.
//!
//! A word may contain blanks. It ends at a delimiter, or at a blank if the text after the blank
//! shows that something else begins. In `{city: Bonn am Rhein, n: 2 m: 3}`, the words are:
//!
//! | word | role | ends before | reason |
//! |---|---|---|---|
//! | `city` | `Key` | `:` | a colon ends a key |
//! | `Bonn am Rhein` | `Entry` | `,` | a comma ends text; no quote follows the blanks |
//! | `n` | `Key` | `:` | |
//! | `2` | `Entry` | the blank | it is a number, and the key `m:` follows |
//! | `m` | `Key` | `:` | |
//! | `3` | `Entry` | `}` | an object is open |
//!
//! [`JsonMachine::read_word`] collects the characters of a word up to its end, which
//! [`JsonMachine::ends_word`] finds. Then [`JsonMachine::end_word`] interprets the word.

use prompty_core::value::Value;
use prompty_core::work::add_steps;

use super::super::characters::{WIDE_CLOSING_BRACE, WIDE_CLOSING_BRACKET, WIDE_COLON, WIDE_COMMA};
use super::super::lookahead::{self, Lookahead, is_blank};
use super::super::open_string::ValueRole;
use super::super::quote::{IncompleteInput, JsonResult, Quote, is_fence, opening_quote};
use super::super::word;
use super::{
    ContainerKind, JsonEvent, JsonMachine, MachineState, MachineStatus, OpenWord, first_length,
};
use crate::output::repair::RepairKind;
use crate::output::written_form::WrittenForm;

impl JsonMachine {
    /// Reads the open word as far as it has arrived, and ends it if its end has arrived. Otherwise
    /// it stays open.
    pub(super) fn step_in_word(&mut self, mut open: OpenWord, text: &str) -> JsonResult {
        match self.read_word(&mut open, text) {
            Ok(()) => {
                self.end_word(&open, text);
                Ok(())
            }
            Err(IncompleteInput) => {
                self.state = MachineState::Word(open);
                Err(IncompleteInput)
            }
        }
    }

    /// Reads to the end of a bare word, and adds what it reads to `open.text`. `Err` if the end has
    /// not arrived. Then `open` and `at` include all characters that are certainly in the word.
    fn read_word(&mut self, open: &mut OpenWord, text: &str) -> JsonResult {
        loop {
            add_steps(1);
            let rest = self.rest(text);
            let Some(character) = rest.chars().next() else {
                return if self.is_final { Ok(()) } else { Err(IncompleteInput) };
            };
            // `{"a": Bonn"}`: only the opening quote is missing. But a quote after a blank opens a
            // quotation, because `ends_at_blank` has decided that the word does not end there.
            if matches!(character, '"' | '\u{201c}' | '\u{201d}' | '\u{ff02}')
                && !open.text.ends_with(is_blank)
            {
                self.skip(RepairKind::MissingQuote, character.len_utf8());
                return Ok(());
            }
            let ends_in_prose = is_blank(character) && self.is_word_of_prose(open, character);
            if !ends_in_prose && self.ends_word(open, character, rest)? {
                return Ok(());
            }
            let group =
                if character == '(' { group_in_parentheses(rest, self.is_final)? } else { None };
            if ends_in_prose || group.is_none() && self.is_word_of_prose(open, character) {
                self.status = MachineStatus::Rejected;
                return Err(IncompleteInput);
            }
            match group {
                Some(group) => open.text.push_str(group),
                None => open.text.push(character),
            }
            self.at += group.map_or(character.len_utf8(), str::len);
            // No more input is needed. The error only ends this step, so that `read` can reject
            // the value: it is too long for a value that still looks like prose.
            if self.is_too_uncertain() {
                return Err(IncompleteInput);
            }
        }
    }

    /// Whether the word ends before a character, which is the first one of `rest`.
    fn ends_word(&self, open: &OpenWord, character: char, rest: &str) -> JsonResult<bool> {
        let is_scalar = || word::is_scalar(open.text.trim_end());
        Ok(match character {
            ',' => !is_digit_separator(open, lookahead::after_first(rest), self.is_final)?,
            // Wide punctuation ends a number or a literal. In text, it is part of the text. The
            // third character is the closing bracket `】`.
            WIDE_COMMA | WIDE_CLOSING_BRACKET | '\u{3011}' | WIDE_CLOSING_BRACE => is_scalar(),
            // In text, a bracket that closes nothing is part of the text. If it begins the word, it
            // is not: `end_word` skips it.
            '}' => open.text.is_empty() || self.is_inside(ContainerKind::Object) || is_scalar(),
            ']' => open.text.is_empty() || self.is_inside(ContainerKind::List) || is_scalar(),
            ':' | WIDE_COLON => open.role == ValueRole::Key,
            '`' => is_fence(rest, self.is_final)?,
            // As in JavaScript: `answer = true;`.
            ';' => open.role == ValueRole::Root,
            '/' if rest.len() == 1 && !self.is_final => return Err(IncompleteInput),
            '/' => rest.starts_with("/*") && is_scalar(),
            // An item ends with its line. The text of an entry may continue in the next line.
            '\n' if open.role == ValueRole::Item => true,
            '\n' if open.role == ValueRole::Entry => is_scalar() || self.ends_line(rest)?,
            it if is_blank(it) => self.ends_at_blank(open, rest)?,
            _ => false,
        })
    }

    /// Whether the value of an entry ends with its line. This is so if the next entry or the end
    /// follows.
    fn ends_line(&self, rest: &str) -> JsonResult<bool> {
        match lookahead::next_visible(rest, self.is_final)? {
            Lookahead::End
            | Lookahead::Far
            | Lookahead::Character { character: '}' | ']' | ',' | '`', .. } => Ok(true),
            Lookahead::Character { rest, .. } => lookahead::is_key(rest, self.is_final),
        }
    }

    /// Whether a word ends before a blank, which is the first character of `rest`. This depends on
    /// the next character after blanks and comments:
    ///
    /// | next | a number or literal | other text |
    /// |---|---|---|
    /// | none, `,`, `}`, `]` | ends | ends |
    /// | `{`, `[` | ends | continues |
    /// | other, after a comment | ends | ends |
    /// | a quote | ends | ends in a key or item, or if a key begins with the quote |
    /// | other | ends in an item, or in a value if a key follows | continues |
    ///
    /// After other text, a single quote, a backtick and `#` are like letters.
    fn ends_at_blank(&self, open: &OpenWord, rest: &str) -> JsonResult<bool> {
        let is_scalar = word::is_scalar(&open.text);
        // In a string without quotes, `#` is literal, as in `Room # 5`.
        let first = rest.chars().take(lookahead::MAX_LOOKAHEAD).find(|it| !is_blank(*it));
        if first == Some('#') && !is_scalar {
            return Ok(false);
        }
        let Lookahead::Character { character, skipped, rest: following, .. } =
            lookahead::next_visible(rest, self.is_final)?
        else {
            // Only blanks and comments follow, as far as the lookahead reaches.
            return Ok(true);
        };
        let has_comment = !skipped.trim_start_matches(is_blank).is_empty();
        let is_quote = match opening_quote(following, self.is_final)? {
            // In text, they are also apostrophes and marks of code.
            Some((Quote::Single | Quote::Backtick, _)) => is_scalar,
            quote => quote.is_some(),
        };
        Ok(match character {
            ',' | '}' | ']' => true,
            // Text may contain brackets. Then a comment before them is text, too.
            '{' | '[' => is_scalar,
            _ if has_comment => true,
            // `{a "b"}`: the colon is missing.
            _ if open.role == ValueRole::Key => is_quote,
            _ if is_quote && is_scalar => true,
            // `[a "b"]`, `[1 b]`, `{"x": a "b": 1}` and `{"x": 1 b: 1}`: the comma is missing.
            _ if is_quote || is_scalar => {
                open.role == ValueRole::Item || lookahead::is_key(following, self.is_final)?
            }
            _ => false,
        })
    }

    /// Ends a word, and emits its value or keeps it as the next key.
    fn end_word(&mut self, open: &OpenWord, text: &str) {
        let word = open.text.trim_end();
        let is_cut = self.is_final && self.at >= text.len();
        if open.role == ValueRole::Key {
            if is_cut {
                self.status = MachineStatus::Truncated;
                return;
            }
            self.record_repair(RepairKind::BareKey, open.start, self.at);
            self.end_key(word.to_owned());
            return;
        }
        // A sign at the end of the reply is a number that was cut, so it has no value yet. At the
        // root, it is read as a word.
        let is_sign = matches!(word, "-" | "+") && !self.stack.is_empty();
        if is_cut && (word.is_empty() || is_sign) {
            self.status = MachineStatus::Truncated;
            return;
        }
        if word.is_empty() {
            // This occurs only at the root, for a reply such as `], 5` or `;`. Elsewhere, no word
            // begins with a character that ends it. The value is complete, and has no events.
            self.skip(RepairKind::StrayText, first_length(self.rest(text)));
            return self.set_state_after_value();
        }
        // At the root, a word that may be complete is complete.
        let cut = if is_cut { word::meaning_of_cut(word) } else { None };
        let is_truncated = is_cut && (cut.is_some() || !self.stack.is_empty());
        let meaning = cut.unwrap_or_else(|| word::meaning(word));
        if let Some(kind) = meaning.repair {
            if kind == RepairKind::BareText && (self.may_be_prose || self.is_stray_word(open)) {
                self.status = MachineStatus::Rejected;
                return;
            }
            self.record_repair(kind, open.start, open.start + word.len());
        }
        self.may_be_prose = false;
        self.emit_key();
        self.emit_word(meaning.value, word, is_truncated);
        if is_truncated {
            self.status = MachineStatus::Truncated;
            return;
        }
        self.set_state_after_value();
    }

    /// Emits the value of a word: a string as if it had quotes.
    fn emit_word(&mut self, value: Value, word: &str, is_truncated: bool) {
        let form = WrittenForm::of_word(&value, word);
        match value {
            Value::String(text) => {
                self.events.extend([JsonEvent::Text, JsonEvent::Piece(text.to_string())]);
                self.events.extend((!is_truncated).then_some(JsonEvent::TextEnd));
            }
            value if is_truncated => {
                self.events.push(JsonEvent::CutScalar(Box::new((value, form))));
            }
            value => self.events.push(JsonEvent::Scalar(Box::new((value, form)))),
        }
    }
}

/// Whether a comma in a number separates its digits, as in `2,000.00`. In an object a key follows
/// each comma that ends an entry, so a comma with digits but no key after it belongs to the number.
/// In an array it ends the item.
fn is_digit_separator(open: &OpenWord, after: &str, is_final: bool) -> JsonResult<bool> {
    if open.role != ValueRole::Entry || !open.text.ends_with(|it: char| it.is_ascii_digit()) {
        return Ok(false);
    }
    match after.chars().next() {
        None if !is_final => Err(IncompleteInput),
        next if !next.is_some_and(|it| it.is_ascii_digit()) => Ok(false),
        _ => Ok(!lookahead::is_key(after, is_final)?),
    }
}

/// The group in parentheses at the start of a text that begins with `(`, if it is short and plain.
/// Commas inside of it do not separate values. JSON has no parentheses, and the meaning of `(1, 2)`
/// or `ObjectId("1")` is unknown, so the group is kept as text.
///
/// In `{"a": f(1, (2), "x)"), "b": 3}`, the group is `(1, (2), "x)")`, and the comma after it ends
/// the word.
fn group_in_parentheses(rest: &str, is_final: bool) -> JsonResult<Option<&str>> {
    let mut depth = 0_usize;
    let mut in_quotes = false;
    let mut characters = rest.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => in_quotes = !in_quotes,
            '\n' => return Ok(None),
            _ if in_quotes => {}
            '(' => depth += 1,
            ')' => depth -= 1,
            '{' | '}' | '[' | ']' => return Ok(None),
            _ => {}
        }
        if depth == 0 {
            return Ok(Some(lookahead::without_end(rest, characters.as_str())));
        }
        if at > lookahead::MAX_LOOKAHEAD {
            return Ok(None);
        }
    }
    if is_final { Ok(None) } else { Err(IncompleteInput) }
}
