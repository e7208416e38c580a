//! The state machine: its states and their transitions.
//!
//! [`JsonMachine::read`] gets all text so far, and takes steps until the value ends or a step needs
//! more input ([`IncompleteInput`]). A step reads one mark, such as a bracket or a comma, or an
//! open string or word as far as it has arrived. For `{"a": [1]}`, the steps are:
//!
//! | text | state before | role | events |
//! |---|---|---|---|
//! | `{` | `Root` | | `Object` |
//! | `"`, then `a"` | `Key`, `Text` | `Key` | |
//! | `:` | `Colon` | | |
//! | `[` | `Value` | | `Key("a")`, `List` |
//! | nothing, then `1` | `Item`, `Word` | `Item` | `Scalar(1)` |
//! | `]` | `Item` | | `End` |
//! | `}` | `Key` | | `End` |
//!
//! The module `strings` reads in the state `Text`, and the module `words` in the state `Word`. The
//! module `prose` rejects text that is not a value. A step that needs more input is repeated from
//! the byte `at`, so it keeps what it has read before `at`, and changes nothing for the text after
//! it.

mod prose;
mod strings;
mod words;

use prompty_core::value::{MAX_DEPTH, Value};
use prompty_core::work::add_steps;

use super::characters::{WIDE_CLOSING_BRACE, WIDE_CLOSING_BRACKET, WIDE_COLON, WIDE_COMMA};
use super::lookahead::{self, CommentStart, Lookahead, is_blank};
use super::open_string::{OpenString, ValueRole};
use super::quote::{IncompleteInput, JsonResult, is_fence, opening_quote};
use super::word;
use crate::output::repair::{Repair, RepairKind};
use crate::output::written_form::WrittenForm;

/// An event of the machine, in the order of the text. It is small, since a reply has many of them.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::output) enum JsonEvent {
    /// An object begins.
    Object,
    /// An array begins.
    List,
    /// The key of the next value.
    Key(String),
    /// A string begins.
    Text,
    /// A piece of the open string.
    Piece(String),
    /// The open string ends.
    TextEnd,
    /// A complete number, boolean or `null`.
    Scalar(Box<(Value, WrittenForm)>),
    /// A scalar in which the text ended, as far as it has arrived.
    CutScalar(Box<(Value, WrittenForm)>),
    /// The innermost object or array ends.
    End,
}

/// The status of the value that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::output) enum MachineStatus {
    /// It is not complete yet.
    Open,
    /// It is complete.
    Complete,
    /// The text ended inside of it.
    Truncated,
    /// It is prose that does not look like a value.
    Rejected,
    /// It cannot be read, because it is nested too deeply.
    TooDeep,
}

#[derive(Debug, Clone)]
pub(in crate::output) struct JsonMachine {
    /// The byte at which the value begins.
    start: usize,
    /// The byte of the next character.
    at: usize,
    stack: Vec<Container>,
    state: MachineState,
    /// Whether the text is complete.
    is_final: bool,
    /// The end delimiter of the open comment.
    comment: Option<&'static str>,
    /// The last key, until its value begins.
    key: Option<String>,
    /// Whether it may still be prose in brackets: prose precedes it, and nothing in it looks like a
    /// value so far.
    may_be_prose: bool,
    /// Whether prose precedes it.
    in_prose: bool,
    /// Whether it has a string or key in quotes.
    has_quotes: bool,
    /// The length in bytes of the first key, while the value may still be prose.
    first_key_length: usize,
    status: MachineStatus,
    events: Vec<JsonEvent>,
    repairs: Vec<Repair>,
    /// How many bytes of the reply were read again, by this machine and its predecessors.
    bytes_read_again: usize,
}

/// An open object or array.
#[derive(Debug, Clone, Copy)]
struct Container {
    kind: ContainerKind,
    /// Whether it has an entry.
    has_entry: bool,
    /// The byte range of the comma after the last entry, if there is one.
    comma: Option<(usize, usize)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ContainerKind {
    Object,
    List,
}

#[derive(Debug, Clone)]
enum MachineState {
    /// Before the value.
    Root,
    /// In an object, before a key.
    Key,
    /// After a key.
    Colon,
    /// After a colon.
    Value,
    /// In an array.
    Item,
    /// In a string in quotes, which may be a key.
    Text(OpenString),
    /// In a word without quotes, which may be a key.
    Word(OpenWord),
    /// After the value.
    Done,
}

/// An open word without quotes.
#[derive(Debug, Clone)]
struct OpenWord {
    role: ValueRole,
    /// The byte in the reply at which it begins.
    start: usize,
    /// What was read of it. Blanks at the end may turn out not to be part of it.
    text: String,
}

impl JsonMachine {
    /// A machine for the value at the byte `at`. `in_prose` says that prose precedes it.
    pub(in crate::output) const fn new(at: usize, in_prose: bool) -> Self {
        Self {
            start: at,
            at,
            stack: Vec::new(),
            state: MachineState::Root,
            is_final: false,
            comment: None,
            key: None,
            may_be_prose: in_prose,
            in_prose,
            has_quotes: false,
            first_key_length: 0,
            status: MachineStatus::Open,
            events: Vec::new(),
            repairs: Vec::new(),
            bytes_read_again: 0,
        }
    }

    /// The position of the machine. It is the end of the value once the value is complete.
    pub(in crate::output) const fn at(&self) -> usize {
        self.at
    }

    pub(in crate::output) const fn status(&self) -> MachineStatus {
        self.status
    }

    /// Whether the text so far is certainly a value, and not prose in brackets.
    pub(in crate::output) const fn is_certain(&self) -> bool {
        !self.may_be_prose
    }

    /// The events since the last call.
    pub(in crate::output) fn take_events(&mut self) -> Vec<JsonEvent> {
        std::mem::take(&mut self.events)
    }

    pub(in crate::output) fn repairs(&self) -> &[Repair] {
        &self.repairs
    }

    /// The unfinished number at the end of the text, and its key if it has one.
    pub(in crate::output) fn number_so_far(&self) -> Option<(Option<&str>, Value)> {
        match &self.state {
            MachineState::Word(open) if open.role != ValueRole::Key => {
                Some((self.key.as_deref(), word::number_so_far(&open.text)?))
            }
            _ => None,
        }
    }

    /// Reads more input. `text` is all text so far; `is_final` says that it is complete.
    pub(in crate::output) fn read(&mut self, text: &str, is_final: bool) {
        self.is_final = is_final;
        while self.status == MachineStatus::Open {
            let is_waiting = self.step(text).is_err();
            self.reject_if_uncertain();
            if is_waiting {
                return;
            }
        }
    }

    /// The part of the text that was not read yet.
    #[expect(clippy::string_slice, reason = "`at` is a character boundary of the same text")]
    fn rest<'text>(&self, text: &'text str) -> &'text str {
        &text[self.at..]
    }

    /// Reads the next mark, or the open string or word as far as it has arrived.
    fn step(&mut self, text: &str) -> JsonResult {
        add_steps(1);
        match std::mem::replace(&mut self.state, MachineState::Done) {
            MachineState::Text(open) => return self.step_in_text(open, text),
            MachineState::Word(open) => return self.step_in_word(open, text),
            state => self.state = state,
        }
        self.skip_blanks(text)?;
        let rest = self.rest(text);
        let Some(character) = rest.chars().next() else {
            if !self.is_final {
                return Err(IncompleteInput);
            }
            self.status = MachineStatus::Truncated;
            return Ok(());
        };
        if character == '`' && !self.stack.is_empty() && is_fence(rest, self.is_final)? {
            return self.step_at_fence(text);
        }
        let character = self.normalize_punctuation(character);
        match self.state {
            MachineState::Root => self.begin_value(character, rest, ValueRole::Root),
            MachineState::Key => self.step_before_key(character, rest),
            MachineState::Colon => self.step_after_key(character, rest),
            MachineState::Value => self.step_after_colon(character, rest),
            MachineState::Item => self.step_in_array(character, rest),
            MachineState::Text(_) | MachineState::Word(_) | MachineState::Done => Ok(()),
        }
    }

    /// Reads a fence inside of an object or array.
    fn step_at_fence(&mut self, text: &str) -> JsonResult {
        let rest = self.rest(text);
        if self.is_after_colon(lookahead::without_end(text, rest))
            && let Some(line) = rest.strip_prefix("```")
            && lookahead::next_visible(line, self.is_final)? != Lookahead::End
        {
            return self.open_fence(line);
        }
        // The fence around the value ends, or it begins inside of a stray bracket.
        let is_empty = self.stack.iter().all(|it| !it.has_entry);
        let is_stray = self.may_be_prose || is_empty;
        self.status = if is_stray { MachineStatus::Rejected } else { MachineStatus::Truncated };
        Ok(())
    }

    /// Whether a value is expected on the line of its colon. A fence there does not end the value
    /// around it.
    fn is_after_colon(&self, before: &str) -> bool {
        let line = before.trim_end_matches([' ', '\t']);
        matches!(self.state, MachineState::Value) && line.ends_with([':', WIDE_COLON])
    }

    /// The ASCII punctuation that a character of another script means. It is a repair.
    fn normalize_punctuation(&mut self, character: char) -> char {
        let plain = match character {
            '\u{ff5b}' => '{',
            WIDE_CLOSING_BRACE => '}',
            '\u{ff3b}' | '\u{3010}' => '[',
            WIDE_CLOSING_BRACKET | '\u{3011}' => ']',
            WIDE_COLON => ':',
            WIDE_COMMA => ',',
            _ => return character,
        };
        self.record_repair(RepairKind::OtherPunctuation, self.at, self.at + character.len_utf8());
        plain
    }

    /// Skips blanks and comments.
    fn skip_blanks(&mut self, text: &str) -> JsonResult {
        loop {
            if let Some(end) = self.comment {
                let rest = self.rest(text);
                let near = self.before_limit(rest);
                let Some((comment, _)) = near.split_once(end) else {
                    add_steps(near.len());
                    if near.len() < rest.len() {
                        self.at += near.len();
                        return Err(IncompleteInput);
                    }
                    // The end delimiter may be split.
                    let kept = usize::from(end.len() == 2 && rest.ends_with('*'));
                    self.at = text.len() - kept;
                    return if self.is_final { Ok(()) } else { Err(IncompleteInput) };
                };
                add_steps(comment.len());
                self.at += comment.len() + end.len();
                self.comment = None;
            }
            let rest = self.rest(text);
            let Some(character) = rest.chars().next() else { return Ok(()) };
            if is_blank(character) {
                self.at += character.len_utf8();
                continue;
            }
            let Some(CommentStart { opener, end, .. }) =
                lookahead::comment_start(rest, self.is_final)?
            else {
                return Ok(());
            };
            self.comment = Some(end);
            self.skip(RepairKind::Comment, opener.len());
        }
    }

    fn record_repair(&mut self, kind: RepairKind, start: usize, end: usize) {
        self.repairs.push(Repair::new(kind, start..end));
    }

    /// Skips `length` bytes, and records them as a repair.
    fn skip(&mut self, kind: RepairKind, length: usize) {
        self.record_repair(kind, self.at, self.at + length);
        self.at += length;
    }

    /// Whether an object or an array is open.
    fn is_inside(&self, kind: ContainerKind) -> bool {
        self.stack.iter().any(|it| it.kind == kind)
    }

    // In an object.

    fn step_before_key(&mut self, character: char, rest: &str) -> JsonResult {
        match character {
            '}' => self.close_container(first_length(rest)),
            ']' if self.is_inside(ContainerKind::List)
                && !self.closes_other_bracket(rest, ContainerKind::Object)? =>
            {
                // `[{"a": 1]`: the brace is missing.
                self.close_with_wrong_bracket(0);
            }
            // `{"a": 1]`: it replaces the brace.
            ']' => self.close_with_wrong_bracket(first_length(rest)),
            ',' => self.take_comma(rest),
            '.' | '\u{2026}' => return self.take_ellipsis(ValueRole::Key, rest),
            '{' | '[' | ':' | ')' | ';' => {
                self.reject_in_prose();
                self.skip(RepairKind::StrayText, first_length(rest));
            }
            _ => return self.begin_key(rest),
        }
        Ok(())
    }

    fn begin_key(&mut self, rest: &str) -> JsonResult {
        let quote = opening_quote(rest, self.is_final)?;
        self.begin_entry();
        match quote {
            Some((quote, inside)) => {
                self.open_text(quote, ValueRole::Key, rest.len() - inside.len());
            }
            None => self.open_word(ValueRole::Key),
        }
        Ok(())
    }

    fn step_after_key(&mut self, character: char, rest: &str) -> JsonResult {
        match character {
            ':' => {
                self.at += first_length(rest);
                self.may_be_prose = false;
                self.state = MachineState::Value;
            }
            // It may be the first character of `=>`.
            '=' if rest.len() == 1 && !self.is_final => return Err(IncompleteInput),
            '}' | ',' | ']' => {
                self.reject_in_prose();
                self.drop_key();
            }
            _ => {
                self.reject_in_prose();
                let length = if rest.starts_with("=>") { 2 } else { usize::from(character == '=') };
                self.skip(RepairKind::MissingColon, length);
                self.state = MachineState::Value;
            }
        }
        Ok(())
    }

    /// Removes a key without a value.
    fn drop_key(&mut self) {
        self.key = None;
        self.record_repair(RepairKind::MissingValue, self.at, self.at);
        self.state = MachineState::Key;
    }

    fn step_after_colon(&mut self, character: char, rest: &str) -> JsonResult {
        match character {
            '}' | ',' | ']' => self.drop_key(),
            ':' => self.skip(RepairKind::StrayText, first_length(rest)),
            _ => return self.begin_value(character, rest, ValueRole::Entry),
        }
        Ok(())
    }

    // In an array.

    fn step_in_array(&mut self, character: char, rest: &str) -> JsonResult {
        match character {
            ']' => self.close_container(first_length(rest)),
            // `{"a": [1}, "b": 2}`: it replaces the bracket.
            '}' if self.closes_other_bracket(rest, ContainerKind::List)? => {
                self.close_with_wrong_bracket(first_length(rest));
            }
            // `{"a": [1}`: the bracket is missing.
            '}' if self.is_inside(ContainerKind::Object) => self.close_with_wrong_bracket(0),
            ',' => self.take_comma(rest),
            '.' | '\u{2026}' if !is_decimal(rest) => {
                return self.take_ellipsis(ValueRole::Item, rest);
            }
            '}' | ':' | ')' | ';' => {
                self.reject_list_in_prose();
                self.skip(RepairKind::StrayText, first_length(rest));
            }
            _ => {
                // If more input is needed, the entry must not be counted yet.
                opening_quote(rest, self.is_final)?;
                self.begin_entry();
                return self.begin_value(character, rest, ValueRole::Item);
            }
        }
        Ok(())
    }

    /// Skips `...` or `…` at the start of `rest`. Other points begin a word.
    fn take_ellipsis(&mut self, role: ValueRole, rest: &str) -> JsonResult {
        if matches!(rest, "." | "..") && !self.is_final {
            return Err(IncompleteInput);
        }
        if !rest.starts_with("...") && !rest.starts_with('\u{2026}') {
            self.begin_entry();
            self.open_word(role);
            return Ok(());
        }
        // Both forms have three bytes.
        self.skip(RepairKind::Ellipsis, "...".len());
        // An ellipsis replaces entries, so the commas around it are not counted.
        if let Some(container) = self.stack.last_mut() {
            container.comma = None;
            container.has_entry = false;
        }
        Ok(())
    }

    // Commas and brackets.

    fn take_comma(&mut self, rest: &str) {
        let (at, length) = (self.at, first_length(rest));
        let Some(container) = self.stack.last_mut() else { return };
        let is_extra = container.comma.is_some() || !container.has_entry;
        if !is_extra {
            container.comma = Some((at, at + length));
        }
        // After an ellipsis, a comma is correct.
        let is_after_ellipsis =
            self.repairs.last().is_some_and(|it| it.kind() == RepairKind::Ellipsis);
        if is_extra && !is_after_ellipsis {
            self.record_repair(RepairKind::ExtraComma, at, at + length);
        }
        self.at += length;
    }

    /// Counts a new entry or item. If it is not the first one, a comma must precede it.
    fn begin_entry(&mut self) {
        let at = self.at;
        let Some(container) = self.stack.last_mut() else { return };
        let is_missing = container.has_entry && container.comma.is_none();
        container.comma = None;
        container.has_entry = true;
        if is_missing {
            self.record_repair(RepairKind::MissingComma, at, at);
        }
    }

    fn close_with_wrong_bracket(&mut self, length: usize) {
        self.record_repair(RepairKind::WrongBracket, self.at, self.at + length);
        self.close_container(length);
    }

    /// Whether a bracket of the other kind was written instead of the one that closes the innermost
    /// container, and does not close two levels. This is so if the following text is only valid
    /// after the inner level. In `{"a": [1}, "b": 2}`, the key `b` would otherwise be outside of
    /// all objects.
    fn closes_other_bracket(&self, rest: &str, innermost: ContainerKind) -> JsonResult<bool> {
        let [outer @ .., parent, _] = self.stack.as_slice() else { return Ok(false) };
        if parent.kind == innermost || outer.last().is_some_and(|it| it.kind == parent.kind) {
            return Ok(false);
        }
        let after_bracket = lookahead::after_first(rest);
        let Lookahead::Character { character: ',' | WIDE_COMMA, after, .. } =
            lookahead::next_visible(after_bracket, self.is_final)?
        else {
            return Ok(false);
        };
        let Lookahead::Character { character, rest, .. } =
            lookahead::next_visible(after, self.is_final)?
        else {
            return Ok(false);
        };
        match parent.kind {
            ContainerKind::Object => lookahead::is_key(rest, self.is_final),
            ContainerKind::List => Ok(matches!(character, '{' | '\u{ff5b}')),
        }
    }

    /// Closes the innermost object or array with a bracket of `length` bytes, or 0 if it is
    /// missing.
    fn close_container(&mut self, length: usize) {
        self.may_be_prose = false;
        if let Some(Container { comma: Some((start, end)), .. }) = self.stack.pop() {
            self.record_repair(RepairKind::ExtraComma, start, end);
        }
        self.at += length;
        self.events.push(JsonEvent::End);
        self.set_state_after_value();
    }

    /// Sets the state after a complete value.
    fn set_state_after_value(&mut self) {
        self.state = match self.stack.last() {
            Some(Container { kind: ContainerKind::Object, .. }) => MachineState::Key,
            Some(Container { kind: ContainerKind::List, .. }) => MachineState::Item,
            None => {
                self.status = MachineStatus::Complete;
                MachineState::Done
            }
        };
    }

    // Values.

    fn begin_value(&mut self, character: char, rest: &str, role: ValueRole) -> JsonResult {
        match character {
            '{' => self.open_container(ContainerKind::Object, first_length(rest)),
            '[' => self.open_container(ContainerKind::List, first_length(rest)),
            _ => match opening_quote(rest, self.is_final)? {
                Some((quote, inside)) => {
                    self.begin_text_value(quote, role, rest.len() - inside.len());
                }
                None => self.open_word(role),
            },
        }
        Ok(())
    }

    fn open_word(&mut self, role: ValueRole) {
        self.state = MachineState::Word(OpenWord { role, start: self.at, text: String::new() });
    }

    fn open_container(&mut self, kind: ContainerKind, length: usize) {
        if self.stack.len() >= MAX_DEPTH {
            self.status = MachineStatus::TooDeep;
            return;
        }
        self.emit_key();
        self.at += length;
        let (event, state) = match kind {
            ContainerKind::Object => (JsonEvent::Object, MachineState::Key),
            ContainerKind::List => (JsonEvent::List, MachineState::Item),
        };
        self.events.push(event);
        self.stack.push(Container { kind, has_entry: false, comma: None });
        self.state = state;
    }

    /// Emits the key of the value that begins, if it is the value of an entry.
    fn emit_key(&mut self) {
        if let Some(key) = self.key.take() {
            self.events.push(JsonEvent::Key(key));
        }
    }
}

impl ContainerKind {
    const fn closer(self) -> char {
        match self {
            Self::Object => '}',
            Self::List => ']',
        }
    }
}

/// The length in bytes of the first character of a text.
fn first_length(rest: &str) -> usize {
    rest.chars().next().map_or(0, char::len_utf8)
}

/// Whether a point begins a number, such as `.5`.
fn is_decimal(rest: &str) -> bool {
    rest.chars().nth(1).is_some_and(|it| it.is_ascii_digit())
}
