//! Reads strings in quotes.

use prompty_core::value::internal::json::{Escape, read_escape};
use prompty_core::work::add_steps;

use super::super::lookahead::{self, is_blank};
use super::super::open_string::{OpenString, QuoteMeaning, UnclearQuote, ValueRole};
use super::super::quote::{IncompleteInput, JsonResult, Quote};
use super::prose::{MAX_KEY_IN_PROSE, MAX_READINGS};
use super::{JsonEvent, JsonMachine, MachineState, MachineStatus};
use crate::output::repair::{Repair, RepairKind};

impl JsonMachine {
    /// Begins a string that is a value. Its opening quote has `length` bytes.
    pub(super) fn begin_text_value(&mut self, quote: Quote, role: ValueRole, length: usize) {
        self.may_be_prose = false;
        self.emit_key();
        self.events.push(JsonEvent::Text);
        self.open_text(quote, role, length);
    }

    /// Begins a key or a value whose opening quote has `length` bytes.
    pub(super) fn open_text(&mut self, quote: Quote, role: ValueRole, length: usize) {
        let start = self.at;
        self.has_quotes = true;
        if quote != Quote::Double {
            self.record_repair(RepairKind::OtherQuotes, start, start + length);
        }
        self.at += length;
        self.state = MachineState::Text(OpenString::new(quote, role, start));
    }

    pub(super) fn step_in_text(&mut self, mut open: OpenString, text: &str) -> JsonResult {
        match self.read_text(&mut open, text) {
            Ok(true) => self.end_text(open),
            Ok(false) => self.end_reply_in_text(open, text),
            Err(IncompleteInput) => {
                self.emit_piece(open.take_certain());
                self.state = MachineState::Text(open);
                return Err(IncompleteInput);
            }
        }
        Ok(())
    }

    /// Reads to the end of an open string; `false` if the complete text ends inside of it.
    fn read_text(&mut self, open: &mut OpenString, text: &str) -> JsonResult<bool> {
        loop {
            add_steps(1);
            let rest = self.rest(text);
            let Some(character) = rest.chars().next() else {
                return if self.is_final { Ok(false) } else { Err(IncompleteInput) };
            };
            if let Some(after) = open.quote.after_closing(rest, self.is_final)? {
                if self.read_quote(open, rest, after)? {
                    return Ok(true);
                }
                continue;
            }
            let is_raw = open.quote == Quote::Fence;
            if character == '\\' && !is_raw {
                self.read_backslash(open, rest)?;
                continue;
            }
            if character < ' ' && !is_raw && !std::mem::replace(&mut open.has_control, true) {
                self.record_repair(RepairKind::ControlCharacter, open.start, self.at + 1);
            }
            open.push(character, self.at);
            self.at += character.len_utf8();
            self.extend_first_key(open, character);
            if self.is_too_uncertain() || self.status == MachineStatus::Rejected {
                return Err(IncompleteInput);
            }
        }
    }

    /// Reads a quote between `rest` and `after`; `true` if the string is complete.
    fn read_quote(&mut self, open: &mut OpenString, rest: &str, after: &str) -> JsonResult<bool> {
        if open.quote == Quote::Double
            && open.role != ValueRole::Key
            && open.unclear.is_none()
            && let Some(inside) = lookahead::after_joining_quote(after, self.is_final)?
        {
            // `"first " + "second"` is one string.
            self.skip(RepairKind::JoinedTexts, rest.len() - inside.len());
            return Ok(false);
        }
        let meaning = match open.take_nested_quote(after, self.is_final)? {
            true => QuoteMeaning::Data,
            false => open.meaning_of_quote(after, self.is_final)?,
        };
        match meaning {
            QuoteMeaning::Closes => {
                self.at += rest.len() - after.len();
                return Ok(true);
            }
            QuoteMeaning::EndedAtComma => {
                if let Some(comma) = open.comma {
                    open.pending.truncate(comma.pending_at);
                    self.at = comma.reply_at;
                    self.record_repair(RepairKind::MissingQuote, self.at, self.at);
                    return Ok(true);
                }
            }
            QuoteMeaning::Data => {}
        }
        let quote = lookahead::without_end(rest, after);
        open.push_quote(quote, self.at, after);
        self.skip(RepairKind::QuoteInText, quote.len());
        Ok(false)
    }

    /// Opens a string between fences, after a colon. The line of the fence, which may have a
    /// language, is not part of it.
    pub(super) fn open_fence(&mut self, line: &str) -> JsonResult {
        let is_language = |it: char| it.is_alphanumeric() || "+#-_.".contains(it);
        let end = line.trim_start_matches(is_language);
        if end.is_empty() && !self.is_final && line.len() <= lookahead::MAX_LOOKAHEAD {
            return Err(IncompleteInput);
        }
        // Other text on the line is part of the string.
        let inside = end.strip_prefix('\n').or_else(|| end.strip_prefix("\r\n")).unwrap_or(line);
        let length = "```".len() + line.len() - inside.len();
        self.begin_text_value(Quote::Fence, ValueRole::Entry, length);
        Ok(())
    }

    /// Reads an escape sequence, or a backslash that does not begin one.
    fn read_backslash(&mut self, open: &mut OpenString, rest: &str) -> JsonResult {
        match read_escape(rest) {
            Escape::Character(character, length) => {
                open.push_escaped(character);
                self.at += length;
            }
            Escape::LoneSurrogate => {
                let length = "\\ud83d".len();
                rest.chars().take(length).for_each(|it| open.push_escaped(it));
                self.skip(RepairKind::LoneSurrogate, length);
            }
            Escape::Incomplete if !self.is_final => return Err(IncompleteInput),
            // The text was cut inside of the escape.
            Escape::Incomplete => self.at += rest.len(),
            Escape::Unknown => self.unknown_escape(open, rest),
        }
        Ok(())
    }

    /// An unnecessary backslash before a quote is removed. Before any other character the model
    /// meant a backslash, as in a regular expression or a path, and forgot to double it. JSON5
    /// would remove it.
    fn unknown_escape(&mut self, open: &mut OpenString, rest: &str) {
        self.skip(RepairKind::UnknownEscape, 1);
        let next = rest.chars().nth(1);
        let is_dropped = next.is_some_and(|it| {
            matches!(
                it,
                '\'' | '`' | '\n' | '\u{201e}' | '\u{201c}' | '\u{201d}' | '\u{2018}' | '\u{2019}'
            )
        });
        if !is_dropped {
            open.push_escaped('\\');
        }
        let Some(next) = next else { return };
        // The character after the backslash is data, even if it is a quote.
        open.push_escaped(next);
        self.at += next.len_utf8();
    }

    fn emit_piece(&mut self, piece: String) {
        if !piece.is_empty() {
            self.events.push(JsonEvent::Piece(piece));
        }
    }

    /// Ends a string: the text that is still pending is part of it.
    fn end_text(&mut self, open: OpenString) {
        if open.role == ValueRole::Key {
            self.end_key(open.pending);
            return;
        }
        let mut pending = open.pending;
        if open.quote == Quote::Fence && pending.ends_with('\n') {
            // The line break before the fence.
            pending.pop();
        }
        self.emit_piece(pending);
        self.events.push(JsonEvent::TextEnd);
        self.set_state_after_value();
    }

    pub(super) fn end_key(&mut self, key: String) {
        let is_prose = key.len() > MAX_KEY_IN_PROSE || key.contains(['\n', '{', '}']);
        if is_prose {
            self.reject_in_prose();
        }
        self.key = Some(key);
        self.state = MachineState::Colon;
    }

    /// The reply ends inside of a string. It may have ended earlier, at a quote that was treated as
    /// data or before closing brackets. Otherwise it is truncated.
    fn end_reply_in_text(&mut self, mut open: OpenString, text: &str) {
        if open.role == ValueRole::Key {
            self.status = MachineStatus::Truncated;
            return;
        }
        if let Some(UnclearQuote { pending_at, reply_end }) = open.unclear
            && self.bytes_read_again <= text.len().saturating_mul(MAX_READINGS)
            && text.get(reply_end..).is_some_and(|rest| self.closes_all(rest))
        {
            open.pending.truncate(pending_at);
            self.read_again_from(reply_end, text);
            return self.end_text(open);
        }
        if let Some(closers_at) = open.closers_at
            && let Some(closers) = open.pending.get(closers_at..)
            && self.are_closers(closers)
        {
            self.at = text.len() - closers.len();
            open.pending.truncate(closers_at);
            self.record_repair(RepairKind::MissingQuote, self.at, self.at);
            return self.end_text(open);
        }
        self.emit_piece(open.pending);
        self.status = MachineStatus::Truncated;
    }

    /// Moves back to the byte `at`, and removes the repairs of the text after it.
    fn read_again_from(&mut self, at: usize, text: &str) {
        self.bytes_read_again += text.len() - at;
        self.at = at;
        let is_after = |it: &Repair| it.range().is_some_and(|it| it.end >= at);
        while self.repairs.pop_if(|it| is_after(it)).is_some() {}
    }

    /// Whether a text ends with the brackets that close all open containers.
    fn closes_all(&self, text: &str) -> bool {
        let mut characters = text.chars().rev().filter(|it| !is_blank(*it));
        self.stack.iter().all(|it| characters.next() == Some(it.kind.closer()))
    }

    /// Whether the line breaks and brackets at the end of a string close all open containers. Then
    /// they are not part of the string.
    fn are_closers(&self, closers: &str) -> bool {
        let brackets = closers.chars().filter(|it| !is_blank(*it)).count();
        closers.contains('\n') && brackets == self.stack.len() && self.closes_all(closers)
    }
}
