//! Finds the values in a reply: in prose, in fences, after reasoning.
//!
//! [`ValueScanner`] skips reasoning at the beginning, and searches for a bracket. From there, an
//! [`OpenValue`] is read by a `JsonMachine`, and the events of the machine are reported. In
//! `See [1]: {"a": 2}` there are two values, `[1]` and `{"a": 2}`, and `parse` chooses one of them.
//! In `See [the manual]: {"a": 2}`, the machine rejects `[the manual]`, because prose precedes it
//! and it does not look like a value. Then the search continues after its bracket.

use std::ops::Range;

use prompty_core::value::Value;
use prompty_core::work::add_steps;

use super::json::{JsonEvent, JsonMachine, MachineStatus};
use super::path::Step;
use super::repair::Repair;
use super::value_builder::ValueBuilder;
use super::written_form::{WrittenForm, WrittenValue};

/// A value in a reply.
#[derive(Debug, Clone)]
pub(super) struct FoundValue {
    pub(super) value: Value,
    pub(super) form: WrittenForm,
    /// Its byte range in the reply.
    pub(super) range: Range<usize>,
    pub(super) repairs: Vec<Repair>,
    /// Whether the reply ended inside of the value.
    pub(super) truncated: bool,
    /// The path of the innermost value in which the reply ended, if it is truncated.
    pub(super) open_path: Option<Vec<Step>>,
    /// Whether no prose precedes it: see [`is_preamble`].
    pub(super) is_leading: bool,
    /// Whether it belongs to reasoning that began in the prompt and ends after it.
    pub(super) is_reasoning: bool,
}

impl FoundValue {
    /// The value, and how it is written.
    pub(super) fn written(&self) -> WrittenValue<'_> {
        WrittenValue::new(&self.value, &self.form)
    }

    /// Whether it was repaired, or the reply ended inside of it.
    pub(super) const fn is_damaged(&self) -> bool {
        self.truncated || !self.repairs.is_empty()
    }
}

/// The objects and arrays of a complete reply, in their order.
pub(super) fn find_values(text: &str) -> Vec<FoundValue> {
    let mut scanner = ValueScanner::default();
    scanner.push(text, &mut |_| {});
    scanner.finish(&mut |_| {});
    scanner.found
}

/// An event of the scanner, in the order of the text.
#[derive(Debug)]
pub(super) enum ScanEvent<'event> {
    /// A value begins.
    Begin,
    /// A part of the value.
    Event(&'event JsonEvent),
    /// The unfinished number at the end of the text so far.
    NumberSoFar { key: Option<&'event str>, value: Value },
    /// The text that began as a value is not one.
    Rejected,
    /// The value is complete, or the reply ended in it. It is the last one in `found`.
    End,
    /// All values so far belong to reasoning that began in the prompt.
    Reasoning,
}

/// Finds the values in a reply while it is streamed.
#[derive(Debug, Default)]
pub(super) struct ValueScanner {
    text: String,
    /// The byte of the next character that is not part of a value.
    at: usize,
    reasoning: ReasoningFinder,
    /// The byte at which the reply begins after its reasoning, once it is known.
    reply_start: Option<usize>,
    /// The byte from which the text was not yet searched for the end of reasoning.
    unsearched: usize,
    /// The byte of the first visible character in the last line that has one. The line may open a
    /// fence.
    line_start: usize,
    /// Whether the current line has a visible character.
    is_in_line: bool,
    /// Whether there is prose before `at`.
    has_prose: bool,
    current: Option<OpenValue>,
    /// Whether a value is nested too deeply. Its parts are not answers, and its end is not known,
    /// so the text after it is not searched.
    is_too_deep: bool,
    /// How many bytes of the reply were read again.
    bytes_read_again: usize,
    pub(super) found: Vec<FoundValue>,
}

/// The brackets that open an object or array, also in the wide form.
const OPENING_BRACKETS: [char; 4] = ['{', '[', '\u{ff5b}', '\u{ff3b}'];

/// A value that is being read.
#[derive(Debug)]
struct OpenValue {
    machine: JsonMachine,
    start: usize,
    is_leading: bool,
    builder: ValueBuilder,
    /// The events from before it was certain that this is a value.
    pending: Vec<JsonEvent>,
    /// Whether it is certain that this is a value, and its events are reported.
    has_begun: bool,
}

impl ValueScanner {
    /// Reads a piece of the reply.
    pub(super) fn push(&mut self, piece: &str, emit: &mut dyn FnMut(ScanEvent<'_>)) {
        self.text.push_str(piece);
        self.read(false, emit);
        let number = self.current.as_ref().filter(|it| it.has_begun);
        if let Some((key, value)) = number.and_then(|it| it.machine.number_so_far()) {
            emit(ScanEvent::NumberSoFar { key, value });
        }
    }

    /// Reads the reply to its end.
    pub(super) fn finish(&mut self, emit: &mut dyn FnMut(ScanEvent<'_>)) {
        self.read(true, emit);
    }

    /// The last value, as it would be if the reply ended here.
    pub(super) fn value_so_far(&self) -> Option<Value> {
        let Some(current) = self.current.as_ref().filter(|it| it.has_begun) else {
            return self.found.last().map(|it| it.value.clone());
        };
        let mut machine = current.machine.clone();
        let mut builder = current.builder.clone();
        machine.read(&self.text, true);
        for event in machine.take_events() {
            builder.apply(event);
        }
        builder.finish().map(|(value, _)| value)
    }

    /// The reply so far.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Reads the text that has arrived: finishes the open value, and finds the next ones.
    fn read(&mut self, is_final: bool, emit: &mut dyn FnMut(ScanEvent<'_>)) {
        if self.reply_start.is_none() {
            let Some(begin) = self.reasoning.find_end(&self.text, is_final) else { return };
            self.reply_start = Some(begin);
            (self.at, self.line_start, self.unsearched) = (begin, begin, begin);
        }
        while !self.is_too_deep
            && let Some(mut current) = self.current.take().or_else(|| self.next_value(emit))
        {
            let status = current.read(&self.text, is_final, emit);
            self.bytes_read_again = current.machine.bytes_read_again();
            let is_rejected = matches!(status, MachineStatus::Rejected | MachineStatus::TooDeep);
            if is_rejected && current.has_begun {
                emit(ScanEvent::Rejected);
            }
            match status {
                MachineStatus::Open => {
                    self.current = Some(current);
                    return;
                }
                MachineStatus::TooDeep if current.has_begun => self.is_too_deep = true,
                // The text inside of brackets in prose is not read again. Otherwise each bracket
                // would cause as much work.
                MachineStatus::TooDeep => self.at = current.machine.at(),
                // The search continues after its bracket.
                MachineStatus::Rejected => {
                    let rest = self.text.get(current.start..);
                    let bracket = rest.and_then(|rest| rest.chars().next());
                    self.at = current.start + bracket.map_or(1, char::len_utf8);
                }
                status @ (MachineStatus::Complete | MachineStatus::Truncated) => {
                    self.at = current.machine.at();
                    self.unsearched = self.at;
                    if let Some(found) = current.into_found(status) {
                        self.found.push(found);
                        emit(ScanEvent::End);
                    }
                }
            }
            self.has_prose = true;
        }
    }

    /// Moves to the next bracket that may begin a value.
    fn next_value(&mut self, emit: &mut dyn FnMut(ScanEvent<'_>)) -> Option<OpenValue> {
        let rest = self.text.get(self.at..)?;
        let skipped = rest.split(OPENING_BRACKETS).next()?;
        let is_at_bracket = skipped.len() < rest.len();
        for (at, character) in skipped.char_indices() {
            if character == '\n' {
                self.is_in_line = false;
            } else if !character.is_whitespace() && !std::mem::replace(&mut self.is_in_line, true) {
                self.line_start = self.at + at;
            }
        }
        let start = self.at + skipped.len();
        self.at = start;
        if self.skip_reasoning() {
            emit(ScanEvent::Reasoning);
        }
        if !is_at_bracket {
            return None;
        }
        let before = self.text.get(self.reply_start.unwrap_or(start)..start)?;
        let is_leading = !self.has_prose && is_preamble(before);
        let in_prose = !is_leading && !opens_fence(self.text.get(self.line_start..start)?);
        let machine = JsonMachine::new(start, in_prose);
        let machine = machine.with_bytes_read_again(self.bytes_read_again);
        Some(OpenValue::new(machine, start, is_leading))
    }

    /// Looks for the end of reasoning in the prose up to `at`, and skips the reasoning. If the
    /// prompt ends with the opening tag, the values before the closing tag were thoughts. Returns
    /// whether an end was found.
    fn skip_reasoning(&mut self) -> bool {
        let Some(prose) = self.text.get(self.unsearched..self.at) else { return false };
        add_steps(prose.len());
        let ends = REASONING.iter().filter_map(|(_, end)| Some(prose.rfind(end)? + end.len()));
        let Some(end) = ends.max() else {
            // The tag may be split, but not by a bracket.
            let is_at_bracket =
                self.text.get(self.at..).is_some_and(|rest| rest.starts_with(OPENING_BRACKETS));
            let length_before = if is_at_bracket { 0 } else { LONGEST_END - 1 };
            let tag_start = self.text.floor_char_boundary(self.at.saturating_sub(length_before));
            self.unsearched = self.unsearched.max(tag_start);
            return false;
        };
        let begin = self.unsearched + end;
        (self.reply_start, self.unsearched) = (Some(begin), begin);
        self.has_prose = false;
        // The values before an earlier closing tag are already marked.
        for found in self.found.iter_mut().rev().take_while(|it| !it.is_reasoning) {
            add_steps(1);
            found.is_reasoning = true;
        }
        true
    }
}

impl OpenValue {
    fn new(machine: JsonMachine, start: usize, is_leading: bool) -> Self {
        let builder = ValueBuilder::default();
        Self { machine, start, is_leading, builder, pending: Vec::new(), has_begun: false }
    }

    /// Reads more of the value, and reports its events once it is certain that it is one.
    fn read(
        &mut self,
        text: &str,
        is_final: bool,
        emit: &mut dyn FnMut(ScanEvent<'_>),
    ) -> MachineStatus {
        self.machine.read(text, is_final);
        let events = self.machine.take_events();
        if !self.machine.is_certain() {
            match self.pending.is_empty() {
                true => self.pending = events,
                false => self.pending.extend(events),
            }
            // A value that ended without becoming certain was prose.
            return match self.machine.status() {
                status @ (MachineStatus::Open | MachineStatus::TooDeep) => status,
                _ => MachineStatus::Rejected,
            };
        }
        if !self.has_begun {
            self.has_begun = true;
            emit(ScanEvent::Begin);
        }
        for event in std::mem::take(&mut self.pending).into_iter().chain(events) {
            emit(ScanEvent::Event(&event));
            self.builder.apply(event);
        }
        self.machine.status()
    }

    fn into_found(self, status: MachineStatus) -> Option<FoundValue> {
        let open_path = self.builder.open_path();
        let repairs =
            self.machine.repairs().iter().cloned().chain(self.builder.repairs()).collect();
        let (value, form) = self.builder.finish()?;
        Some(FoundValue {
            open_path,
            value,
            form,
            range: self.start..self.machine.at(),
            repairs,
            truncated: status == MachineStatus::Truncated,
            is_leading: self.is_leading,
            is_reasoning: false,
        })
    }
}

/// Reads the single value at `start`.
fn read_single(text: &str, start: usize) -> Option<FoundValue> {
    let mut current = OpenValue::new(JsonMachine::new(start, false), start, true);
    match current.read(text, true, &mut |_| {}) {
        MachineStatus::Rejected | MachineStatus::TooDeep | MachineStatus::Open => None,
        status => current.into_found(status),
    }
}

/// Reads a reply that is a single string, number or word.
pub(super) fn find_single_scalar(text: &str) -> Option<FoundValue> {
    let inside = plain_text(text);
    if inside.starts_with(OPENING_BRACKETS) {
        return None;
    }
    // The byte of `text` at which its part `inside` begins.
    let start = inside.as_ptr().addr() - text.as_ptr().addr();
    let text = text.get(..start + inside.len())?;
    let found = read_single(text, start)
        .filter(|it| !matches!(it.value, Value::Array(_) | Value::Object(_)))?;
    let is_end = |it: char| it.is_whitespace() || matches!(it, ',' | ';');
    text.get(found.range.end..)?.trim_matches(is_end).is_empty().then_some(found)
}

/// Whether a string may contain an object or array and nothing else.
pub(super) fn begins_like_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

/// The object or array in a string that begins like JSON, if the string contains nothing else.
pub(super) fn json_in_string(text: &str) -> Option<FoundValue> {
    let text = text.trim();
    let found = read_single(text, 0)?;
    (!found.truncated && found.range.end == text.len()).then_some(found)
}

/// The text of a reply, without its reasoning and without a fence around all of it.
pub(super) fn plain_text(text: &str) -> &str {
    let begin = ReasoningFinder::default().find_end(text, true);
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

/// The length of the longest closing tag.
const LONGEST_END: usize = "</reasoning>".len();

/// Finds the end of reasoning at the beginning of a growing text, and reads each piece once.
#[derive(Debug, Clone, Default)]
pub(super) struct ReasoningFinder {
    /// The text before this byte was searched.
    at: usize,
    /// The closing tag, once the reasoning began.
    end: Option<&'static str>,
}

impl ReasoningFinder {
    /// The byte at which the reply begins after its reasoning; `None` if it is not known yet.
    pub(super) fn find_end(&mut self, text: &str, is_final: bool) -> Option<usize> {
        if self.end.is_none() {
            let rest = text.get(self.at..)?.trim_start();
            self.at = text.len() - rest.len();
            let may_become_tag = |(tag, _): &(&str, &str)| tag.starts_with(rest);
            let Some((tag, end)) = REASONING.iter().find(|(tag, _)| rest.starts_with(tag)) else {
                return (is_final || !REASONING.iter().any(may_become_tag)).then_some(0);
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
        if is_final {
            return Some(text.len());
        }
        // The tag may be split.
        self.at = self.at.max(text.floor_char_boundary(text.len().saturating_sub(end.len() - 1)));
        None
    }
}

/// The maximum length of a line that opens a fence, in bytes.
pub(super) const MAX_LANGUAGE: usize = 64;

/// Whether a line, from its first visible character up to the value in it, opens a fence.
fn opens_fence(line: &str) -> bool {
    let language = line.strip_prefix("```").map(str::trim_end);
    language.is_some_and(|it| it.len() < MAX_LANGUAGE && it.chars().all(char::is_alphanumeric))
}

/// Whether the text before a value is not prose: blanks, a comment, a fence with its language, or
/// the beginning of a call such as `answer(`.
fn is_preamble(before: &str) -> bool {
    let is_blank = |it: char| it.is_whitespace() || it == '\u{feff}';
    let mut rest = before.trim_matches(is_blank);
    while let Some(comment) = rest.strip_prefix("/*") {
        let Some((_, after)) = comment.split_once("*/") else { return false };
        rest = after.trim_matches(is_blank);
    }
    if rest.is_empty() {
        return true;
    }
    if let Some(language) = rest.strip_prefix("```") {
        return language.chars().all(char::is_alphanumeric);
    }
    let name = rest.strip_suffix('(').map(str::trim_end);
    name.is_some_and(|it| !it.contains(|it: char| !it.is_alphanumeric() && it != '_'))
}
