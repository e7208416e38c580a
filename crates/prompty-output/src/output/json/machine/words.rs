//! What the machine does in a word without quotes.

use prompty_core::value::Value;
use prompty_core::work::add_steps;

use super::super::behind::{self, Next, is_blank};
use super::super::quote::{Early, Opening, Quote, is_fence, opening};
use super::super::text::Role;
use super::super::word;
use super::{Event, Fate, Kind, MAX_DOUBT, Machine, OpenWord, State, Step, first_length};
use crate::output::repair::RepairKind;

impl Machine {
    pub(super) fn in_word(&mut self, mut open: OpenWord, text: &str, is_all: bool) -> Step {
        match self.read_word(&mut open, text, is_all) {
            Ok(()) => {
                self.end_word(&open, text, is_all);
                Ok(())
            }
            Err(Early) => {
                self.state = State::Word(open);
                Err(Early)
            }
        }
    }

    /// Reads to the end of a bare word.
    fn read_word(&mut self, open: &mut OpenWord, text: &str, is_all: bool) -> Step {
        loop {
            add_steps(1);
            let rest = self.rest(text);
            let Some(character) = rest.chars().next() else {
                return if is_all { Ok(()) } else { Err(Early) };
            };
            if matches!(character, '"' | '\u{201c}' | '\u{201d}' | '\u{ff02}') {
                let is_behind_blank = open.text.ends_with(is_blank);
                if !is_behind_blank {
                    self.skip(RepairKind::MissingQuote, character.len_utf8());
                    return Ok(());
                }
            }
            if self.ends_word(open, character, rest, is_all)? {
                return Ok(());
            }
            let group = if character == '(' { group(rest, is_all)? } else { None };
            match group {
                Some(group) => open.text.push_str(group),
                None => open.text.push(character),
            }
            self.at += group.map_or(character.len_utf8(), str::len);
            if self.in_prose && self.at - self.start > MAX_DOUBT {
                return Err(Early);
            }
        }
    }

    fn ends_word(
        &self,
        open: &OpenWord,
        character: char,
        rest: &str,
        is_all: bool,
    ) -> Result<bool, Early> {
        let is_scalar = || word::is_scalar(open.text.trim_end());
        Ok(match character {
            ',' => !separates_digits(open, behind::after_first(rest), is_all)?,
            '\u{ff0c}' | '\u{ff3d}' | '\u{3011}' | '\u{ff5d}' => is_scalar(),
            '}' => open.text.is_empty() || self.holds(Kind::Object) || is_scalar(),
            ']' => open.text.is_empty() || self.holds(Kind::List) || is_scalar(),
            ':' | '\u{ff1a}' => open.role == Role::Key,
            '`' => is_fence(rest, is_all)?,
            ';' => open.role == Role::Root,
            '/' if rest.len() == 1 && !is_all => return Err(Early),
            '/' => rest.starts_with("/*") && is_scalar(),
            '\n' if open.role == Role::Item => true,
            '\n' if open.role == Role::Entry => is_scalar() || Self::ends_line(rest, is_all)?,
            it if is_blank(it) => self.ends_at_blank(open, rest, is_all)?,
            _ => false,
        })
    }

    /// Whether the value of an entry ends with its line: what follows is the next entry, or the end.
    fn ends_line(rest: &str, is_all: bool) -> Result<bool, Early> {
        Ok(match behind::next(rest, is_all)? {
            Next::End | Next::Far | Next::Character { character: '}' | ']' | ',' | '`', .. } => {
                true
            }
            Next::Character { rest, .. } => behind::is_key(rest, is_all)?,
        })
    }

    /// Whether a word ends in front of a blank: always where it is a number or a literal and a value or
    /// a key follows, and in front of a key in quotes.
    fn ends_at_blank(&self, open: &OpenWord, rest: &str, is_all: bool) -> Result<bool, Early> {
        let is_scalar = word::is_scalar(&open.text);
        // In a text without quotes, a number sign is one: `Room # 5`.
        let first = rest.chars().take(behind::REACH).find(|it| !is_blank(*it));
        if first == Some('#') && !is_scalar {
            return Ok(false);
        }
        let Next::Character { character, skipped, rest, .. } = behind::next(rest, is_all)? else {
            return Ok(true);
        };
        let has_comment = !skipped.trim_start_matches(is_blank).is_empty();
        let is_quote = match opening(rest, is_all) {
            Opening::Quote(Quote::Single | Quote::Backtick, _) => is_scalar,
            Opening::Quote(..) => true,
            Opening::None => false,
            Opening::Wait => return Err(Early),
        };
        Ok(match character {
            ',' | '}' | ']' => true,
            '{' | '[' => is_scalar,
            _ if has_comment => true,
            _ if open.role == Role::Key => is_quote,
            _ if is_quote => is_scalar || open.role == Role::Item || behind::is_key(rest, is_all)?,
            _ if !is_scalar => false,
            _ => open.role == Role::Item || behind::is_key(rest, is_all)?,
        })
    }

    fn end_word(&mut self, open: &OpenWord, text: &str, is_all: bool) {
        let word = open.text.trim_end();
        let is_cut = is_all && self.at >= text.len();
        if open.role == Role::Key {
            if is_cut {
                self.fate = Fate::Truncated;
                return;
            }
            self.repair(RepairKind::BareKey, open.start, self.at);
            self.end_key(word.to_owned());
            return;
        }
        // Of an item or an entry, a sign alone is nothing.
        let is_sign = matches!(word, "-" | "+") && !self.stack.is_empty();
        if is_cut && (word.is_empty() || is_sign) {
            self.fate = Fate::Truncated;
            return;
        }
        if word.is_empty() {
            // A quote alone, or a bracket that closes nothing.
            self.key = None;
            self.skip_stray(text);
            return self.behind_value();
        }
        let meaning = if is_cut { word::meaning_at_the_end(word) } else { word::meaning(word) };
        if let Some(kind) = meaning.repair {
            if kind == RepairKind::BareText {
                self.refuse_in_prose();
            }
            self.repair(kind, open.start, open.start + word.len());
        }
        self.in_prose = false;
        self.tell_key();
        let is_truncated = is_cut && !self.stack.is_empty();
        self.tell_word(meaning.value, is_truncated);
        if is_truncated {
            self.fate = Fate::Truncated;
            return;
        }
        self.behind_value();
    }

    /// Tells what a word means: a text as one in quotes.
    fn tell_word(&mut self, value: Value, is_truncated: bool) {
        match value {
            Value::String(text) => {
                self.events.extend([Event::Text, Event::Piece(text.to_string())]);
                self.events.extend((!is_truncated).then_some(Event::TextEnd));
            }
            value if is_truncated => self.events.push(Event::CutScalar(value)),
            value => self.events.push(Event::Scalar(value)),
        }
    }

    fn skip_stray(&mut self, text: &str) {
        self.skip(RepairKind::StrayText, first_length(self.rest(text)));
    }
}

/// Whether a comma in a number separates its digits, as in `2,000.00`. In an object a key stands behind each
/// comma, so there it does if digits do; in a list it ends the item.
fn separates_digits(open: &OpenWord, behind: &str, is_all: bool) -> Result<bool, Early> {
    if open.role != Role::Entry || !open.text.ends_with(|it: char| it.is_ascii_digit()) {
        return Ok(false);
    }
    match behind.chars().next() {
        None if !is_all => Err(Early),
        next if !next.is_some_and(|it| it.is_ascii_digit()) => Ok(false),
        _ => Ok(!behind::is_key(behind, is_all)?),
    }
}

/// The group in parentheses at the start of a text, if it is short and plain: then its commas
/// separate nothing.
fn group(rest: &str, is_all: bool) -> Result<Option<&str>, Early> {
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
            return Ok(Some(behind::before(rest, characters.as_str())));
        }
        if at > behind::REACH {
            return Ok(None);
        }
    }
    if is_all { Ok(None) } else { Err(Early) }
}
