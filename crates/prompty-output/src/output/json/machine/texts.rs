//! What the machine does in a text between quotes.

use prompty_core::value::internal::json::{Escape, read_escape};
use prompty_core::work::add_steps;

use super::super::behind::{self, is_blank};
use super::super::quote::{Early, Quote};
use super::super::text::{OpenText, Role, Verdict};
use super::{Event, Fate, MAX_DOUBT, MAX_KEY_IN_PROSE, Machine, State, Step};
use crate::output::repair::{Repair, RepairKind};

/// How often the end of a reply may be read again, all its values together.
const MAX_READINGS: usize = 8;

impl Machine {
    pub(super) fn open_text(&mut self, quote: Quote, role: Role, length: usize) -> State {
        let start = self.at;
        if quote != Quote::Double {
            self.repair(RepairKind::OtherQuotes, start, start + length);
        }
        self.at += length;
        State::Text(OpenText::new(quote, role, start))
    }

    pub(super) fn in_text(&mut self, mut open: OpenText, text: &str, is_all: bool) -> Step {
        let ended = self.read_text(&mut open, text, is_all);
        match ended {
            Ok(true) => self.end_text(open),
            Ok(false) => self.cut_text(open, text),
            Err(Early) => {
                self.tell(open.certain());
                self.state = State::Text(open);
                return Err(Early);
            }
        }
        Ok(())
    }

    /// Reads to the end of an open text. `false` where the whole ends inside of it.
    fn read_text(&mut self, open: &mut OpenText, text: &str, is_all: bool) -> Result<bool, Early> {
        loop {
            add_steps(1);
            let rest = self.rest(text);
            let Some(character) = rest.chars().next() else {
                return if is_all { Ok(false) } else { Err(Early) };
            };
            if let Some(after) = open.quote.after_closing(rest, is_all)? {
                if self.quote(open, rest, after, is_all)? {
                    return Ok(true);
                }
                continue;
            }
            let is_raw = open.quote == Quote::Fence;
            if character == '\\' && !is_raw {
                self.escape(open, rest, is_all)?;
                continue;
            }
            if character < ' ' && !is_raw {
                self.repair_once(RepairKind::ControlCharacter, open.start);
            }
            open.push(character, self.at);
            self.at += character.len_utf8();
            if self.in_prose && self.at - self.start > MAX_DOUBT {
                return Err(Early);
            }
        }
    }

    /// Decides what a quote is; `true` if the text ends.
    fn quote(
        &mut self,
        open: &mut OpenText,
        rest: &str,
        after: &str,
        is_all: bool,
    ) -> Result<bool, Early> {
        if open.quote == Quote::Double
            && open.role != Role::Key
            && open.unclear.is_none()
            && let Some(joined) = behind::joined(after, is_all)?
        {
            self.skip(RepairKind::JoinedTexts, rest.len() - joined.len());
            return Ok(false);
        }
        if open.is_inner_quote(after, is_all)? {
            self.data_quote(open, rest, after);
            return Ok(false);
        }
        match open.verdict(after, is_all)? {
            Verdict::Closes => {
                self.at += rest.len() - after.len();
                return Ok(true);
            }
            Verdict::EndedAtComma => {
                if let Some(comma) = open.comma {
                    open.held.truncate(comma.held);
                    self.at = comma.at;
                    self.repair(RepairKind::MissingQuote, comma.at, comma.at);
                    return Ok(true);
                }
            }
            Verdict::Data => {}
        }
        self.data_quote(open, rest, after);
        Ok(false)
    }

    /// Takes a quote as a part of the text.
    fn data_quote(&mut self, open: &mut OpenText, rest: &str, after: &str) {
        let quote = behind::before(rest, after);
        self.repair(RepairKind::QuoteInText, self.at, self.at + quote.len());
        open.push_quote(quote, self.at, after);
        self.at += quote.len();
    }

    /// Opens a text between fences, behind a colon. The line of the fence, which may have a language, does
    /// not belong to it.
    pub(super) fn open_fence(&mut self, line: &str, is_all: bool) -> Step {
        let is_language = |it: char| it.is_alphanumeric() || "+#-_.".contains(it);
        let end = line.trim_start_matches(is_language);
        if end.is_empty() && !is_all && line.len() <= behind::REACH {
            return Err(Early);
        }
        let inside = end.strip_prefix('\n').or_else(|| end.strip_prefix("\r\n")).unwrap_or(line);
        self.in_prose = false;
        self.tell_key();
        self.events.push(Event::Text);
        let length = "```".len() + line.len() - inside.len();
        self.state = self.open_text(Quote::Fence, Role::Entry, length);
        Ok(())
    }

    fn escape(&mut self, open: &mut OpenText, rest: &str, is_all: bool) -> Step {
        match read_escape(rest) {
            Escape::Character(character, length) => {
                open.push_escaped(character);
                self.at += length;
            }
            Escape::LoneSurrogate => {
                open.push_escaped(char::REPLACEMENT_CHARACTER);
                self.at += 6;
            }
            Escape::Incomplete if !is_all => return Err(Early),
            // The text was cut inside of the escape.
            Escape::Incomplete => self.at += rest.len(),
            Escape::Unknown => self.unknown_escape(open, rest),
        }
        Ok(())
    }

    /// A quote that needs no backslash loses it; in front of anything else the model meant a backslash,
    /// as in a regular expression or a path.
    fn unknown_escape(&mut self, open: &mut OpenText, rest: &str) {
        self.skip(RepairKind::UnknownEscape, 1);
        let behind = rest.chars().nth(1);
        let is_dropped = behind.is_some_and(|it| {
            matches!(
                it,
                '\'' | '`' | '\n' | '\u{201e}' | '\u{201c}' | '\u{201d}' | '\u{2018}' | '\u{2019}'
            )
        });
        if !is_dropped {
            open.push_escaped('\\');
        }
        let Some(behind) = behind else { return };
        // What stands behind is data, a quote too.
        open.push_escaped(behind);
        self.at += behind.len_utf8();
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

    fn tell(&mut self, piece: Option<String>) {
        if let Some(piece) = piece {
            self.events.push(Event::Piece(piece));
        }
    }

    fn end_text(&mut self, open: OpenText) {
        if open.role == Role::Key {
            self.end_key(open.held);
            return;
        }
        let mut held = open.held;
        if open.quote == Quote::Fence && held.ends_with('\n') {
            // The line break in front of the fence.
            held.pop();
        }
        self.tell(Some(held).filter(|held| !held.is_empty()));
        self.events.push(Event::TextEnd);
        self.behind_value();
    }

    pub(super) fn end_key(&mut self, key: String) {
        let is_prose = key.len() > MAX_KEY_IN_PROSE || key.contains(['\n', '{', '}']);
        if is_prose {
            self.refuse_in_prose();
        }
        self.key = Some(key);
        self.state = State::Colon;
    }

    /// The reply ends inside of a text. A quote that was taken for a part of it may have been its end.
    fn cut_text(&mut self, mut open: OpenText, text: &str) {
        if open.role != Role::Key
            && let Some(unclear) = open.unclear
            && self.read_again <= text.len().saturating_mul(MAX_READINGS)
            && text.get(unclear.behind..).is_some_and(|end| self.closes_all(end))
        {
            open.held.truncate(unclear.held);
            self.read_again += text.len() - unclear.behind;
            self.at = unclear.behind;
            // What was mended behind the quote, and in it, is read again.
            let is_behind = |it: &Repair| it.range().is_some_and(|it| it.end >= unclear.behind);
            while self.repairs.pop_if(|it| is_behind(it)).is_some() {}
            return self.end_text(open);
        }
        if open.role != Role::Key
            && let Some(start) = open.closers
            && let Some(closers) = open.held.get(start..)
            && self.are_closers(closers)
        {
            self.at = text.len() - closers.len();
            open.held.truncate(start);
            self.repair(RepairKind::MissingQuote, self.at, self.at);
            return self.end_text(open);
        }
        if open.role != Role::Key {
            self.tell(Some(open.held).filter(|held| !held.is_empty()));
        }
        self.fate = Fate::Truncated;
    }

    /// Whether a text ends with the brackets that close all that is open.
    fn closes_all(&self, text: &str) -> bool {
        let mut characters = text.chars().rev().filter(|it| !is_blank(*it));
        self.stack.iter().all(|it| characters.next() == Some(it.kind.closer()))
    }

    /// Whether the line breaks and brackets at the end of a text close all that is open: then they are
    /// no part of the text.
    fn are_closers(&self, closers: &str) -> bool {
        let brackets = closers.chars().filter(|it| !is_blank(*it)).count();
        closers.contains('\n') && brackets == self.stack.len() && self.closes_all(closers)
    }
}
