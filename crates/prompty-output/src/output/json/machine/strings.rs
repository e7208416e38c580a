//! Reads strings in quotes.

use prompty_core::value::internal::json::{Escape, read_escape};
use prompty_core::work::add_steps;

use super::super::lookahead::{self, is_blank};
use super::super::open_string::{OpenString, QuoteMeaning, ValueRole};
use super::super::quote::{IncompleteInput, Quote};
use super::{
    JsonEvent, JsonMachine, MAX_KEY_IN_PROSE, MAX_UNCERTAIN, MachineState, MachineStatus,
    StepResult,
};
use crate::output::repair::{Repair, RepairKind};

/// How often the end of a reply may be read again, for all its values together.
const MAX_READINGS: usize = 8;

impl JsonMachine {
    pub(super) fn open_text(
        &mut self,
        quote: Quote,
        role: ValueRole,
        length: usize,
    ) -> MachineState {
        let start = self.at;
        if quote != Quote::Double {
            self.repair(RepairKind::OtherQuotes, start, start + length);
        }
        self.at += length;
        MachineState::Text(OpenString::new(quote, role, start))
    }

    pub(super) fn in_text(
        &mut self,
        mut open: OpenString,
        text: &str,
        is_final: bool,
    ) -> StepResult {
        let ended = self.read_text(&mut open, text, is_final);
        match ended {
            Ok(true) => self.end_text(open),
            Ok(false) => self.cut_text(open, text),
            Err(IncompleteInput) => {
                self.emit_piece(open.take_certain());
                self.state = MachineState::Text(open);
                return Err(IncompleteInput);
            }
        }
        Ok(())
    }

    /// Reads to the end of an open string; `false` if the complete text ends inside of it.
    fn read_text(
        &mut self,
        open: &mut OpenString,
        text: &str,
        is_final: bool,
    ) -> Result<bool, IncompleteInput> {
        loop {
            add_steps(1);
            let rest = self.rest(text);
            let Some(character) = rest.chars().next() else {
                return if is_final { Ok(false) } else { Err(IncompleteInput) };
            };
            if let Some(after) = open.quote.after_closing(rest, is_final)? {
                if self.quote(open, rest, after, is_final)? {
                    return Ok(true);
                }
                continue;
            }
            let is_raw = open.quote == Quote::Fence;
            if character == '\\' && !is_raw {
                self.escape(open, rest, is_final)?;
                continue;
            }
            if character < ' ' && !is_raw {
                self.repair_once(RepairKind::ControlCharacter, open.start);
            }
            open.push(character, self.at);
            self.at += character.len_utf8();
            if self.in_prose && self.at - self.start > MAX_UNCERTAIN {
                return Err(IncompleteInput);
            }
        }
    }

    /// Decides the meaning of a quote; `true` if it ends the string.
    fn quote(
        &mut self,
        open: &mut OpenString,
        rest: &str,
        after: &str,
        is_final: bool,
    ) -> Result<bool, IncompleteInput> {
        if open.quote == Quote::Double
            && open.role != ValueRole::Key
            && open.unclear.is_none()
            && let Some(joined) = lookahead::joined(after, is_final)?
        {
            self.skip(RepairKind::JoinedTexts, rest.len() - joined.len());
            return Ok(false);
        }
        if open.is_inner_quote(after, is_final)? {
            self.data_quote(open, rest, after);
            return Ok(false);
        }
        match open.meaning_of_quote(after, is_final)? {
            QuoteMeaning::Closes => {
                self.at += rest.len() - after.len();
                return Ok(true);
            }
            QuoteMeaning::EndedAtComma => {
                if let Some(comma) = open.comma {
                    open.pending.truncate(comma.pending);
                    self.at = comma.at;
                    self.repair(RepairKind::MissingQuote, comma.at, comma.at);
                    return Ok(true);
                }
            }
            QuoteMeaning::Data => {}
        }
        self.data_quote(open, rest, after);
        Ok(false)
    }

    /// Adds a quote to the string.
    fn data_quote(&mut self, open: &mut OpenString, rest: &str, after: &str) {
        let quote = lookahead::before(rest, after);
        self.repair(RepairKind::QuoteInText, self.at, self.at + quote.len());
        open.push_quote(quote, self.at, after);
        self.at += quote.len();
    }

    /// Opens a string between fences, after a colon. The line of the fence, which may have a
    /// language, is not part of it.
    pub(super) fn open_fence(&mut self, line: &str, is_final: bool) -> StepResult {
        let is_language = |it: char| it.is_alphanumeric() || "+#-_.".contains(it);
        let end = line.trim_start_matches(is_language);
        if end.is_empty() && !is_final && line.len() <= lookahead::MAX_LOOKAHEAD {
            return Err(IncompleteInput);
        }
        let inside = end.strip_prefix('\n').or_else(|| end.strip_prefix("\r\n")).unwrap_or(line);
        self.in_prose = false;
        self.emit_key();
        self.events.push(JsonEvent::Text);
        let length = "```".len() + line.len() - inside.len();
        self.state = self.open_text(Quote::Fence, ValueRole::Entry, length);
        Ok(())
    }

    fn escape(&mut self, open: &mut OpenString, rest: &str, is_final: bool) -> StepResult {
        match read_escape(rest) {
            Escape::Character(character, length) => {
                open.push_escaped(character);
                self.at += length;
            }
            Escape::LoneSurrogate => {
                open.push_escaped(char::REPLACEMENT_CHARACTER);
                self.at += 6;
            }
            Escape::Incomplete if !is_final => return Err(IncompleteInput),
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

    fn repair_once(&mut self, kind: RepairKind, start: usize) {
        let is_known = self
            .repairs
            .iter()
            .rev()
            .take_while(|it| it.range().is_some_and(|it| it.start >= start));
        if !is_known.into_iter().any(|it| it.kind() == kind) {
            self.repair(kind, start, self.at + 1);
        }
    }

    fn emit_piece(&mut self, piece: Option<String>) {
        if let Some(piece) = piece {
            self.events.push(JsonEvent::Piece(piece));
        }
    }

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
        self.emit_piece(Some(pending).filter(|pending| !pending.is_empty()));
        self.events.push(JsonEvent::TextEnd);
        self.after_value();
    }

    pub(super) fn end_key(&mut self, key: String) {
        let is_prose = key.len() > MAX_KEY_IN_PROSE || key.contains(['\n', '{', '}']);
        if is_prose {
            self.reject_in_prose();
        }
        self.key = Some(key);
        self.state = MachineState::Colon;
    }

    /// The reply ends inside of a string. An earlier quote that was treated as data may have been
    /// its end.
    fn cut_text(&mut self, mut open: OpenString, text: &str) {
        if open.role != ValueRole::Key
            && let Some(unclear) = open.unclear
            && self.read_again <= text.len().saturating_mul(MAX_READINGS)
            && text.get(unclear.after..).is_some_and(|end| self.closes_all(end))
        {
            open.pending.truncate(unclear.pending);
            self.read_again += text.len() - unclear.after;
            self.at = unclear.after;
            // The text from the quote on is read again, so its repairs are removed.
            let is_after = |it: &Repair| it.range().is_some_and(|it| it.end >= unclear.after);
            while self.repairs.pop_if(|it| is_after(it)).is_some() {}
            return self.end_text(open);
        }
        if open.role != ValueRole::Key
            && let Some(start) = open.closers
            && let Some(closers) = open.pending.get(start..)
            && self.are_closers(closers)
        {
            self.at = text.len() - closers.len();
            open.pending.truncate(start);
            self.repair(RepairKind::MissingQuote, self.at, self.at);
            return self.end_text(open);
        }
        if open.role != ValueRole::Key {
            self.emit_piece(Some(open.pending).filter(|pending| !pending.is_empty()));
        }
        self.status = MachineStatus::Truncated;
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
