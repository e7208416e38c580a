//! The machine: its states, and what each does with the next character.

mod texts;
mod words;

use prompty_core::value::{MAX_DEPTH, Value};
use prompty_core::work::add_steps;

use super::behind::{self, Comment, Next, is_blank};
use super::quote::{Early, Opening, is_fence, opening};
use super::text::{OpenText, Role};
use super::word;
use crate::output::repair::{Repair, RepairKind};

/// What the machine found, in the order of the text.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::output) enum Event {
    /// An object begins.
    Object,
    /// A list begins.
    List,
    /// The key of the next value.
    Key(String),
    /// A text begins.
    Text,
    /// A piece of the open text.
    Piece(String),
    /// The open text ends.
    TextEnd,
    /// A number, a truth value or `null`, which is whole at once.
    Scalar(Value),
    /// The same where the text ended inside of it, as far as it came.
    CutScalar(Value),
    /// The innermost object or list ends.
    End,
}

/// What became of the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::output) enum Fate {
    /// More of it may come.
    Open,
    /// It is whole.
    Whole,
    /// The text ended inside of it.
    Truncated,
    /// It is no value: it stands in prose and looks like none.
    Refused,
    /// It is no value that can be read: something in it lies too deep.
    TooDeep,
}

/// The longest key of an object that stands in prose, in bytes. A longer one is prose in quotes.
const MAX_KEY_IN_PROSE: usize = 100;

/// How far a value in prose is read, in bytes, before it must look like one: what is refused is read
/// again behind its bracket.
const MAX_DOUBT: usize = 512;

#[derive(Debug, Clone)]
pub(in crate::output) struct Machine {
    /// Where the value begins.
    start: usize,
    /// Where the next character stands.
    at: usize,
    stack: Vec<Container>,
    state: State,
    /// The end that an open comment waits for.
    comment: Option<&'static str>,
    /// The last key, until its value begins.
    key: Option<String>,
    /// Whether prose stands in front, so that what does not look like a value is none.
    in_prose: bool,
    fate: Fate,
    events: Vec<Event>,
    repairs: Vec<Repair>,
    /// How many bytes of the reply were read again, by this machine and those before it.
    read_again: usize,
}

/// An object or a list that is open.
#[derive(Debug, Clone, Copy)]
struct Container {
    kind: Kind,
    /// Whether it holds something.
    has_entry: bool,
    /// Whether a comma stands behind the last entry, and where it begins and ends.
    comma: Option<(usize, usize)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Object,
    List,
}

#[derive(Debug, Clone)]
enum State {
    /// In front of the whole value.
    Root,
    /// In an object, in front of a key.
    Key,
    /// Behind a key.
    Colon,
    /// Behind a colon.
    Value,
    /// In a list.
    Item,
    Text(OpenText),
    Word(OpenWord),
    Done,
}

/// A word without quotes that is open.
#[derive(Debug, Clone)]
struct OpenWord {
    role: Role,
    start: usize,
    text: String,
}

type Step = Result<(), Early>;

impl Machine {
    /// A machine for the value at `at`.
    pub(in crate::output) const fn new(at: usize, in_prose: bool) -> Self {
        Self {
            start: at,
            at,
            stack: Vec::new(),
            state: State::Root,
            comment: None,
            key: None,
            in_prose,
            fate: Fate::Open,
            events: Vec::new(),
            repairs: Vec::new(),
            read_again: 0,
        }
    }

    /// The same machine, behind others that have read so many bytes again.
    pub(in crate::output) const fn behind(mut self, read_again: usize) -> Self {
        self.read_again = read_again;
        self
    }

    /// How many bytes of the reply were read again, by this machine and those before it.
    pub(in crate::output) const fn read_again(&self) -> usize {
        self.read_again
    }

    /// Where the machine stands: behind the value, once it is whole.
    pub(in crate::output) const fn at(&self) -> usize {
        self.at
    }

    pub(in crate::output) const fn fate(&self) -> Fate {
        self.fate
    }

    /// Whether what came so far looks like a value, and is no prose in brackets.
    pub(in crate::output) const fn is_certain(&self) -> bool {
        !self.in_prose
    }

    /// What was found since the last call.
    pub(in crate::output) fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    pub(in crate::output) fn repairs(&self) -> &[Repair] {
        &self.repairs
    }

    /// The number at the end of what has come, which may grow, and its key if it has one.
    pub(in crate::output) fn number_so_far(&self) -> Option<(Option<&str>, Value)> {
        match &self.state {
            State::Word(open) if open.role != Role::Key => {
                Some((self.key.as_deref(), word::number_so_far(&open.text)?))
            }
            _ => None,
        }
    }

    /// Reads on. `text` is all that has come; `is_all` says that no more will come.
    pub(in crate::output) fn read(&mut self, text: &str, is_all: bool) {
        while self.fate == Fate::Open {
            let is_waiting = self.step(text, is_all).is_err();
            self.refuse_if_doubtful();
            if is_waiting {
                return;
            }
        }
    }

    /// What was not read yet of all that has come.
    #[expect(clippy::string_slice, reason = "`at` moves over what was found in the same text")]
    fn rest<'text>(&self, text: &'text str) -> &'text str {
        &text[self.at..]
    }

    fn step(&mut self, text: &str, is_all: bool) -> Step {
        add_steps(1);
        match std::mem::replace(&mut self.state, State::Done) {
            State::Text(open) => return self.in_text(open, text, is_all),
            State::Word(open) => return self.in_word(open, text, is_all),
            state => self.state = state,
        }
        self.skip_blanks(text, is_all)?;
        let rest = self.rest(text);
        let Some(character) = rest.chars().next() else {
            if is_all {
                self.fate = Fate::Truncated;
                return Ok(());
            }
            return Err(Early);
        };
        if character == '`' && !self.stack.is_empty() && is_fence(rest, is_all)? {
            if self.is_behind_colon(behind::before(text, rest))
                && let Some(line) = rest.strip_prefix("```")
                && behind::next(line, is_all)? != Next::End
            {
                return self.open_fence(line, is_all);
            }
            // The fence around the value ends; or it begins inside of a stray bracket.
            let is_empty = self.stack.iter().all(|it| !it.has_entry);
            let is_stray = self.in_prose || is_empty;
            self.fate = if is_stray { Fate::Refused } else { Fate::Truncated };
            return Ok(());
        }
        let character = self.plain(character);
        match self.state {
            State::Root => self.value(character, rest, Role::Root, is_all),
            State::Key => self.key(character, rest, is_all),
            State::Colon => self.colon(character, rest, is_all),
            State::Value => self.entry(character, rest, is_all),
            State::Item => self.item(character, rest, is_all),
            State::Text(_) | State::Word(_) | State::Done => Ok(()),
        }
    }

    /// Whether a value is expected in the line of its colon: a fence there does not end the value around it.
    fn is_behind_colon(&self, front: &str) -> bool {
        let line = front.trim_end_matches([' ', '\t']);
        matches!(self.state, State::Value) && line.ends_with([':', '\u{ff1a}'])
    }

    /// The punctuation that a character of another script stands for.
    fn plain(&mut self, character: char) -> char {
        let plain = match character {
            '\u{ff5b}' => '{',
            '\u{ff5d}' => '}',
            '\u{ff3b}' | '\u{3010}' => '[',
            '\u{ff3d}' | '\u{3011}' => ']',
            '\u{ff1a}' => ':',
            '\u{ff0c}' => ',',
            _ => return character,
        };
        self.repair(RepairKind::OtherPunctuation, self.at, self.at + character.len_utf8());
        plain
    }

    fn skip_blanks(&mut self, text: &str, is_all: bool) -> Step {
        loop {
            if let Some(end) = self.comment {
                let rest = self.rest(text);
                let Some((_, after)) = rest.split_once(end) else {
                    // The end may come in two pieces.
                    let kept = usize::from(end.len() == 2 && rest.ends_with('*'));
                    self.at = text.len() - kept;
                    return if is_all { Ok(()) } else { Err(Early) };
                };
                self.at = text.len() - after.len();
                self.comment = None;
            }
            let rest = self.rest(text);
            let Some(character) = rest.chars().next() else { return Ok(()) };
            if is_blank(character) {
                self.at += character.len_utf8();
                continue;
            }
            let Some(Comment { opener, end, .. }) = behind::comment(rest, is_all)? else {
                return Ok(());
            };
            self.comment = Some(end);
            self.skip(RepairKind::Comment, opener.len());
        }
    }

    fn repair(&mut self, kind: RepairKind, start: usize, end: usize) {
        self.repairs.push(Repair::new(kind, start..end));
    }

    fn skip(&mut self, kind: RepairKind, length: usize) {
        self.repair(kind, self.at, self.at + length);
        self.at += length;
    }

    fn holds(&self, kind: Kind) -> bool {
        self.stack.iter().any(|it| it.kind == kind)
    }

    // In an object.

    fn key(&mut self, character: char, rest: &str, is_all: bool) -> Step {
        match character {
            '}' => self.close(first_length(rest)),
            ']' if self.holds(Kind::List)
                && !self.stands_for_other(rest, Kind::Object, is_all)? =>
            {
                self.close_wrongly(0);
            }
            ']' => self.close_wrongly(first_length(rest)),
            ',' => self.comma(rest),
            '.' | '\u{2026}' => return self.ellipsis(character, rest, is_all),
            '{' | '[' | ':' | ')' | ';' => {
                self.refuse_in_prose();
                self.skip(RepairKind::StrayText, first_length(rest));
            }
            _ => return self.begin_key(rest, is_all),
        }
        Ok(())
    }

    fn begin_key(&mut self, rest: &str, is_all: bool) -> Step {
        let quote = opening(rest, is_all);
        if matches!(quote, Opening::Wait) {
            return Err(Early);
        }
        self.expect_comma();
        self.state = match quote {
            Opening::Quote(quote, inside) => {
                self.open_text(quote, Role::Key, rest.len() - inside.len())
            }
            _ => State::Word(OpenWord { role: Role::Key, start: self.at, text: String::new() }),
        };
        Ok(())
    }

    fn colon(&mut self, character: char, rest: &str, is_all: bool) -> Step {
        match character {
            ':' => {
                self.at += first_length(rest);
                self.in_prose = false;
                self.state = State::Value;
            }
            // It may be the first of `=>`.
            '=' if rest.len() == 1 && !is_all => return Err(Early),
            '}' | ',' | ']' => {
                self.refuse_in_prose();
                self.drop_key();
            }
            _ => {
                self.refuse_in_prose();
                let length = if rest.starts_with("=>") { 2 } else { usize::from(character == '=') };
                self.skip(RepairKind::MissingColon, length);
                self.state = State::Value;
            }
        }
        Ok(())
    }

    /// Leaves a key without a value out.
    fn drop_key(&mut self) {
        self.key = None;
        self.repair(RepairKind::MissingValue, self.at, self.at);
        self.state = State::Key;
    }

    fn entry(&mut self, character: char, rest: &str, is_all: bool) -> Step {
        match character {
            '}' | ',' | ']' => self.drop_key(),
            ':' => self.skip(RepairKind::StrayText, first_length(rest)),
            _ => return self.value(character, rest, Role::Entry, is_all),
        }
        Ok(())
    }

    // In a list.

    fn item(&mut self, character: char, rest: &str, is_all: bool) -> Step {
        match character {
            ']' => self.close(first_length(rest)),
            '}' if self.stands_for_other(rest, Kind::List, is_all)? => {
                self.close_wrongly(first_length(rest));
            }
            '}' if self.holds(Kind::Object) => self.close_wrongly(0),
            ',' => self.comma(rest),
            '.' | '\u{2026}' if !is_decimal(rest) => {
                return self.ellipsis(character, rest, is_all);
            }
            '}' | ':' | ')' | ';' => {
                self.refuse_in_prose();
                self.skip(RepairKind::StrayText, first_length(rest));
            }
            _ => {
                if matches!(opening(rest, is_all), Opening::Wait) {
                    return Err(Early);
                }
                self.expect_comma();
                return self.value(character, rest, Role::Item, is_all);
            }
        }
        Ok(())
    }

    fn ellipsis(&mut self, character: char, rest: &str, is_all: bool) -> Step {
        if character == '.' && "...".starts_with(rest) && rest.len() < 3 && !is_all {
            return Err(Early);
        }
        if character == '.' && !rest.starts_with("...") {
            let role = self.role_here();
            self.expect_comma();
            self.state = State::Word(OpenWord { role, start: self.at, text: String::new() });
            return Ok(());
        }
        self.skip(RepairKind::Ellipsis, 3);
        // What was left out stands for an entry: no comma is missing, and none is too many.
        if let Some(container) = self.stack.last_mut() {
            container.comma = None;
            container.has_entry = false;
        }
        Ok(())
    }

    fn role_here(&self) -> Role {
        match self.state {
            State::Key | State::Colon => Role::Key,
            State::Value => Role::Entry,
            State::Item => Role::Item,
            _ => Role::Root,
        }
    }

    // Commas and brackets.

    fn comma(&mut self, rest: &str) {
        let (at, length) = (self.at, first_length(rest));
        let Some(container) = self.stack.last_mut() else { return };
        let is_extra = container.comma.is_some() || !container.has_entry;
        if !is_extra {
            container.comma = Some((at, at + length));
        }
        // Behind an ellipsis, a comma is in its place.
        let is_behind_ellipsis =
            self.repairs.last().is_some_and(|it| it.kind() == RepairKind::Ellipsis);
        if is_extra && !is_behind_ellipsis {
            self.repair(RepairKind::ExtraComma, at, at + length);
        }
        self.at += length;
    }

    fn expect_comma(&mut self) {
        let at = self.at;
        let Some(container) = self.stack.last_mut() else { return };
        let is_missing = container.has_entry && container.comma.is_none();
        container.comma = None;
        container.has_entry = true;
        if is_missing {
            self.repair(RepairKind::MissingComma, at, at);
        }
    }

    fn close_wrongly(&mut self, length: usize) {
        self.repair(RepairKind::WrongBracket, self.at, self.at + length);
        self.close(length);
    }

    /// Whether a bracket of the other kind stands for the one that closes what is innermost, instead of
    /// closing two levels. It does where what follows can stand behind the inner level alone: in
    /// `{"a": [1}, "b": 2}` the key `b` would else be outside of all objects.
    fn stands_for_other(&self, rest: &str, innermost: Kind, is_all: bool) -> Result<bool, Early> {
        let [outer @ .., around, _] = self.stack.as_slice() else { return Ok(false) };
        if around.kind == innermost || outer.last().is_some_and(|it| it.kind == around.kind) {
            return Ok(false);
        }
        let after_bracket = behind::after_first(rest);
        let Next::Character { character: ',' | '\u{ff0c}', after, .. } =
            behind::next(after_bracket, is_all)?
        else {
            return Ok(false);
        };
        let Next::Character { character, rest, .. } = behind::next(after, is_all)? else {
            return Ok(false);
        };
        match around.kind {
            Kind::Object => behind::is_key(rest, is_all),
            Kind::List => Ok(matches!(character, '{' | '\u{ff5b}')),
        }
    }

    /// Closes the innermost object or list with a bracket of `length` bytes.
    fn close(&mut self, length: usize) {
        self.in_prose = false;
        if let Some(Container { comma: Some((start, end)), .. }) = self.stack.pop() {
            self.repair(RepairKind::ExtraComma, start, end);
        }
        self.at += length;
        self.events.push(Event::End);
        self.behind_value();
    }

    fn behind_value(&mut self) {
        self.state = match self.stack.last() {
            Some(Container { kind: Kind::Object, .. }) => State::Key,
            Some(Container { kind: Kind::List, .. }) => State::Item,
            None => {
                self.fate = Fate::Whole;
                State::Done
            }
        };
    }

    // Values.

    fn value(&mut self, character: char, rest: &str, role: Role, is_all: bool) -> Step {
        match character {
            '{' => self.open(Kind::Object, first_length(rest)),
            '[' => self.open(Kind::List, first_length(rest)),
            _ => match opening(rest, is_all) {
                Opening::Wait => return Err(Early),
                Opening::Quote(quote, inside) => {
                    self.in_prose = false;
                    self.tell_key();
                    self.events.push(Event::Text);
                    self.state = self.open_text(quote, role, rest.len() - inside.len());
                }
                Opening::None => {
                    self.state =
                        State::Word(OpenWord { role, start: self.at, text: String::new() });
                }
            },
        }
        Ok(())
    }

    fn open(&mut self, kind: Kind, length: usize) {
        if self.stack.len() >= MAX_DEPTH {
            self.fate = Fate::TooDeep;
            return;
        }
        self.tell_key();
        self.at += length;
        self.events.push(if kind == Kind::Object { Event::Object } else { Event::List });
        self.stack.push(Container { kind, has_entry: false, comma: None });
        self.state = if kind == Kind::Object { State::Key } else { State::Item };
    }

    fn tell_key(&mut self) {
        if let Some(key) = self.key.take() {
            self.events.push(Event::Key(key));
        }
    }

    /// Refuses what was read for long and still does not look like a value.
    const fn refuse_if_doubtful(&mut self) {
        if self.in_prose && self.at - self.start > MAX_DOUBT {
            self.fate = Fate::Refused;
        }
    }

    /// Refuses what prose has in brackets and no value has.
    const fn refuse_in_prose(&mut self) {
        if self.in_prose {
            self.fate = Fate::Refused;
        }
    }
}

impl Kind {
    const fn closer(self) -> char {
        match self {
            Self::Object => '}',
            Self::List => ']',
        }
    }
}

/// How many bytes the first character of a text has.
fn first_length(rest: &str) -> usize {
    rest.chars().next().map_or(0, char::len_utf8)
}

/// Whether a point begins a number: `.5`.
fn is_decimal(rest: &str) -> bool {
    rest.chars().nth(1).is_some_and(|it| it.is_ascii_digit())
}
