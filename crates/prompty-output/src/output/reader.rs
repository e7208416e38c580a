//! Finding the values in a reply: in prose, in fences, behind reasoning.

use std::ops::Range;

use prompty_core::value::Value;
use prompty_core::work::add_steps;

use super::growing::Growing;
use super::json::{Event, Fate, Machine};
use super::path::Step;
use super::repair::Repair;

/// A value that a reply holds.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) value: Value,
    /// Where it stands in the reply, in bytes.
    pub(super) range: Range<usize>,
    pub(super) repairs: Vec<Repair>,
    /// Whether the reply ended inside of the value.
    pub(super) truncated: bool,
    /// The way to the innermost value in which the reply ended, if it is truncated.
    pub(super) open: Option<Vec<Step>>,
    /// Whether nothing stands in front of it but a fence or a call.
    pub(super) is_leading: bool,
    /// Whether reasoning ends behind it, which then began in the prompt.
    pub(super) is_reasoning: bool,
}

impl Found {
    /// Whether it was mended, or the reply ended inside of it.
    pub(super) const fn is_damaged(&self) -> bool {
        self.truncated || !self.repairs.is_empty()
    }
}

/// The objects and lists of a whole reply, in their order.
pub(super) fn values(text: &str) -> Vec<Found> {
    let mut scanner = Scanner::default();
    scanner.push(text, &mut |_| {});
    scanner.finish(&mut |_| {});
    scanner.found
}

/// What a scanner tells, in the order of the text.
#[derive(Debug)]
pub(super) enum Scan<'event> {
    /// A value begins.
    Begin,
    /// A part of the value.
    Event(&'event Event),
    /// The number at the end of what has come.
    NumberSoFar { key: Option<&'event str>, value: Value },
    /// What began is no value.
    Refused,
    /// The value is whole, or the reply ended in it; it is the last one that was found.
    End,
    /// What came so far was reasoning, which began in the prompt.
    Reasoning,
}

/// Finds the values in a reply while it comes.
#[derive(Debug, Default)]
pub(super) struct Scanner {
    text: String,
    /// Where the next character stands that belongs to no value.
    at: usize,
    reasoning: Reasoning,
    /// Where the reply begins behind its reasoning, once that is known.
    begin: Option<usize>,
    /// Where the text begins that was not yet looked at for the end of reasoning.
    unsearched: usize,
    /// Where the last line begins that is not blank.
    line: usize,
    /// Where the line behind it begins, which is blank so far.
    next_line: Option<usize>,
    /// Whether prose stands in front of `at`.
    has_prose: bool,
    current: Option<Current>,
    /// Whether a value lies too deep. What is inside of it is no answer, and where it ends is not known, so
    /// nothing behind is looked at.
    is_too_deep: bool,
    /// How many bytes of the reply were read again.
    read_again: usize,
    pub(super) found: Vec<Found>,
}

/// A value that is being read.
#[derive(Debug)]
struct Current {
    machine: Machine,
    start: usize,
    is_leading: bool,
    growing: Growing,
    /// What was found before it was certain that it is a value.
    untold: Vec<Event>,
    has_begun: bool,
}

impl Scanner {
    /// Reads a piece of the reply.
    pub(super) fn push(&mut self, piece: &str, tell: &mut dyn FnMut(Scan<'_>)) {
        self.text.push_str(piece);
        self.read(false, tell);
        let number = self.current.as_ref().filter(|it| it.has_begun);
        if let Some((key, value)) = number.and_then(|it| it.machine.number_so_far()) {
            tell(Scan::NumberSoFar { key, value });
        }
    }

    /// Reads the reply to its end.
    pub(super) fn finish(&mut self, tell: &mut dyn FnMut(Scan<'_>)) {
        self.read(true, tell);
    }

    /// The last value, as it would be if the reply ended here.
    pub(super) fn so_far(&self) -> Option<Value> {
        let Some(current) = self.current.as_ref().filter(|it| it.has_begun) else {
            return self.found.last().map(|it| it.value.clone());
        };
        let mut machine = current.machine.clone();
        let mut growing = current.growing.clone();
        machine.read(&self.text, true);
        for event in machine.take_events() {
            growing.apply(event);
        }
        growing.finish()
    }

    /// All of the reply.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    fn read(&mut self, is_all: bool, tell: &mut dyn FnMut(Scan<'_>)) {
        if self.begin.is_none() {
            let Some(begin) = self.reasoning.behind(&self.text, is_all) else { return };
            self.begin = Some(begin);
            (self.at, self.line, self.unsearched) = (begin, begin, begin);
        }
        while !self.is_too_deep
            && let Some(mut current) = self.current.take().or_else(|| self.next_value(tell))
        {
            let fate = current.read(&self.text, is_all, tell);
            self.read_again = current.machine.read_again();
            if matches!(fate, Fate::Refused | Fate::TooDeep) && current.has_begun {
                tell(Scan::Refused);
            }
            match fate {
                Fate::Open => {
                    self.current = Some(current);
                    return;
                }
                Fate::TooDeep if current.has_begun => self.is_too_deep = true,
                // Brackets in prose are not read again: each would be the beginning of as much.
                Fate::TooDeep => self.at = current.machine.at(),
                Fate::Refused => {
                    let rest = self.text.get(current.start..);
                    let bracket = rest.and_then(|rest| rest.chars().next());
                    self.at = current.start + bracket.map_or(1, char::len_utf8);
                }
                fate @ (Fate::Whole | Fate::Truncated) => {
                    self.at = current.machine.at();
                    self.unsearched = self.at;
                    if let Some(found) = current.end(fate) {
                        self.found.push(found);
                        tell(Scan::End);
                    }
                }
            }
            self.has_prose = true;
        }
    }

    /// Goes to the next bracket that may begin a value.
    fn next_value(&mut self, tell: &mut dyn FnMut(Scan<'_>)) -> Option<Current> {
        let rest = self.text.get(self.at..)?;
        let passed = rest.split(['{', '[', '\u{ff5b}', '\u{ff3b}']).next()?;
        let is_at_bracket = passed.len() < rest.len();
        for (at, character) in passed.char_indices() {
            if character == '\n' {
                self.next_line = Some(self.at + at + 1);
            } else if !character.is_whitespace()
                && let Some(line) = self.next_line.take()
            {
                self.line = line;
            }
        }
        let start = self.at + passed.len();
        self.at = start;
        if self.leave_reasoning() {
            tell(Scan::Reasoning);
        }
        if !is_at_bracket {
            return None;
        }
        let front = self.text.get(self.begin.unwrap_or(start)..start)?;
        let is_leading = !self.has_prose && is_no_prose(front);
        let in_prose = !is_leading && !opens_fence(self.text.get(self.line..start)?);
        Some(Current {
            machine: Machine::new(start, in_prose).behind(self.read_again),
            start,
            is_leading,
            growing: Growing::default(),
            untold: Vec::new(),
            has_begun: false,
        })
    }
}

impl Scanner {
    /// Looks for the end of reasoning in the prose up to `at`, and leaves it. A prompt may end with the tag that
    /// opens it: then the values in front were thoughts.
    fn leave_reasoning(&mut self) -> bool {
        let Some(prose) = self.text.get(self.unsearched..self.at) else { return false };
        add_steps(prose.len());
        let ends = REASONING.iter().filter_map(|(_, end)| Some(prose.rfind(end)? + end.len()));
        let Some(end) = ends.max() else {
            // The tag may come in pieces.
            let kept = self.text.floor_char_boundary(self.at.saturating_sub(LONGEST_END - 1));
            self.unsearched = self.unsearched.max(kept);
            return false;
        };
        let begin = self.unsearched + end;
        (self.begin, self.unsearched) = (Some(begin), begin);
        self.has_prose = false;
        self.found.iter_mut().for_each(|it| it.is_reasoning = true);
        true
    }
}

impl Current {
    fn read(&mut self, text: &str, is_all: bool, tell: &mut dyn FnMut(Scan<'_>)) -> Fate {
        self.machine.read(text, is_all);
        let events = self.machine.take_events();
        if !self.machine.is_certain() {
            self.untold.extend(events);
            let fate = self.machine.fate();
            return if matches!(fate, Fate::Open | Fate::TooDeep) { fate } else { Fate::Refused };
        }
        if !self.has_begun {
            self.has_begun = true;
            tell(Scan::Begin);
        }
        for event in std::mem::take(&mut self.untold).into_iter().chain(events) {
            tell(Scan::Event(&event));
            self.growing.apply(event);
        }
        self.machine.fate()
    }

    fn end(self, fate: Fate) -> Option<Found> {
        Some(Found {
            open: self.growing.open(),
            value: self.growing.finish()?,
            range: self.start..self.machine.at(),
            repairs: self.machine.repairs().to_vec(),
            truncated: fate == Fate::Truncated,
            is_leading: self.is_leading,
            is_reasoning: false,
        })
    }
}

/// Reads the value at `start`, which is all of the text.
fn whole(text: &str, start: usize) -> Option<Found> {
    let mut current = Current {
        machine: Machine::new(start, false),
        start,
        is_leading: true,
        growing: Growing::default(),
        untold: Vec::new(),
        has_begun: false,
    };
    match current.read(text, true, &mut |_| {}) {
        Fate::Refused | Fate::TooDeep | Fate::Open => None,
        fate => current.end(fate),
    }
}

/// A reply that is one text, number or word, and nothing else.
pub(super) fn scalar(text: &str) -> Option<Found> {
    let inside = plain_text(text);
    let start = inside.as_ptr().addr() - text.as_ptr().addr();
    let text = text.get(..start + inside.len())?;
    let found =
        whole(text, start).filter(|it| !matches!(it.value, Value::Array(_) | Value::Object(_)))?;
    let is_end = |it: char| it.is_whitespace() || matches!(it, ',' | ';');
    text.get(found.range.end..)?.trim_matches(is_end).is_empty().then_some(found)
}

/// The one object or list that is a whole text.
pub(super) fn in_text(text: &str) -> Option<Value> {
    let text = text.trim();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let found = whole(text, 0)?;
    (!found.truncated && found.range.end == text.len()).then_some(found.value)
}

/// A reply as a text: without its reasoning, and without the fence that is all around it.
pub(super) fn plain_text(text: &str) -> &str {
    let begin = Reasoning::default().behind(text, true);
    without_fence(begin.and_then(|begin| text.get(begin..)).unwrap_or(text))
}

fn without_fence(text: &str) -> &str {
    let text = text.trim_matches(|it: char| it.is_whitespace() || it == '\u{feff}');
    let Some(inside) = text.strip_prefix("```").and_then(|it| it.strip_suffix("```")) else {
        return text;
    };
    let Some((language, body)) = inside.split_once('\n') else { return inside.trim() };
    if body.contains("```") || !language.trim().chars().all(char::is_alphanumeric) {
        return text;
    }
    body.trim()
}

/// The tags around reasoning at the beginning of a reply.
const REASONING: [(&str, &str); 3] =
    [("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<reasoning>", "</reasoning>")];

/// The length of the longest of the tags that end it.
const LONGEST_END: usize = "</reasoning>".len();

/// Finds the end of reasoning in a text that grows, and looks at each piece once.
#[derive(Debug, Clone, Default)]
pub(super) struct Reasoning {
    /// What is in front was looked at.
    at: usize,
    /// The tag that ends it, once it began.
    end: Option<&'static str>,
}

impl Reasoning {
    /// Where the reply begins behind its reasoning. `None` if that cannot be told yet.
    pub(super) fn behind(&mut self, text: &str, is_all: bool) -> Option<usize> {
        if self.end.is_none() {
            let rest = text.get(self.at..)?.trim_start();
            self.at = text.len() - rest.len();
            let is_cut = |(tag, _): &(&str, &str)| tag.starts_with(rest);
            let Some((tag, end)) = REASONING.iter().find(|(tag, _)| rest.starts_with(tag)) else {
                return (is_all || !REASONING.iter().any(is_cut)).then_some(0);
            };
            self.at += tag.len();
            self.end = Some(*end);
        }
        let end = self.end?;
        let rest = text.get(self.at..)?;
        add_steps(rest.len());
        if let Some((_, after)) = rest.split_once(end) {
            return Some(text.len() - after.len());
        }
        if is_all {
            return Some(text.len());
        }
        // The tag may come in pieces.
        self.at = self.at.max(text.floor_char_boundary(text.len().saturating_sub(end.len() - 1)));
        None
    }
}

/// Whether a line, up to the value in it, opens a fence.
fn opens_fence(line: &str) -> bool {
    let language = line.trim().strip_prefix("```");
    language.is_some_and(|it| it.chars().all(char::is_alphanumeric))
}

/// Whether a text in front of a value is no prose: blanks, a comment, a fence with its language, a call.
fn is_no_prose(front: &str) -> bool {
    let is_blank = |it: char| it.is_whitespace() || it == '\u{feff}';
    let mut front = front.trim_matches(is_blank);
    while let Some(comment) = front.strip_prefix("/*") {
        let Some((_, rest)) = comment.split_once("*/") else { return false };
        front = rest.trim_matches(is_blank);
    }
    if front.is_empty() {
        return true;
    }
    if let Some(language) = front.strip_prefix("```") {
        return language.chars().all(char::is_alphanumeric);
    }
    let name = front.strip_suffix('(').map(str::trim_end);
    name.is_some_and(|it| !it.contains(|it: char| !it.is_alphanumeric() && it != '_'))
}
