//! Streams a reply whose value is its text, without its reasoning and without the fence around it.

use prompty_core::value::Value;
use prompty_core::work::add_steps;

use super::event::OutputEvent;
use super::path::Path;
use super::reader::{MAX_LANGUAGE, ReasoningFinder, plain_text};

/// Reports a text while it arrives.
///
/// White space at its end is not reported until more text follows. A fence at its beginning is
/// treated as a fence around the complete text. If text follows the fence, the events restart.
#[derive(Debug, Default)]
pub(super) struct TextStream {
    reply: String,
    reasoning: ReasoningFinder,
    /// The byte at which the text begins, after reasoning and blanks, once it is known.
    start: Option<usize>,
    body: BodyState,
    /// The byte range of the reply that was reported.
    reported: std::ops::Range<usize>,
    /// The byte after the last character that is not blank.
    end: usize,
    /// The reply before this byte was searched for the end of the fence.
    searched: usize,
    /// Whether that end was found.
    is_fence_closed: bool,
}

/// The part of the reply that is the text.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum BodyState {
    /// Its beginning is not known yet.
    #[default]
    Unknown,
    /// The text after a fence.
    Fenced,
    /// The text without a fence.
    Plain,
}

const FENCE: &str = "```";

impl TextStream {
    /// The complete reply.
    pub(super) fn reply(&self) -> &str {
        &self.reply
    }

    /// The text so far.
    pub(super) fn value_so_far(&self) -> Option<Value> {
        let reported = self.reply.get(self.reported.clone())?;
        (self.body != BodyState::Unknown).then(|| Value::from(reported))
    }

    /// Reads a piece of the reply.
    pub(super) fn push(&mut self, piece: &str) -> Vec<OutputEvent> {
        let from = self.reply.len();
        self.reply.push_str(piece);
        if let Some((at, last)) = piece.char_indices().rev().find(|(_, it)| !is_blank(*it)) {
            self.end = from + at + last.len_utf8();
        }
        let mut events = Vec::new();
        if self.body == BodyState::Unknown {
            self.begin();
        }
        if self.body == BodyState::Fenced {
            self.read_fenced(&mut events);
        }
        if self.body == BodyState::Plain {
            self.report(self.end, &mut events);
        }
        events
    }

    /// Reads the reply to its end.
    pub(super) fn end(&mut self) -> Vec<OutputEvent> {
        let mut events = Vec::new();
        let text = plain_text(&self.reply);
        if text.is_empty() {
            return events;
        }
        // The byte of the reply at which its part `text` begins.
        let start = text.as_ptr().addr() - self.reply.as_ptr().addr();
        let end = start + text.len();
        let value = Value::from(text);
        let is_continued = self.reported.start == start && self.reported.end <= end;
        if !is_continued && !self.reported.is_empty() {
            events.push(OutputEvent::Restarted);
        }
        if !is_continued || self.reported.is_empty() {
            self.reported = start..start;
        }
        self.body = BodyState::Plain;
        self.report(end, &mut events);
        events.push(OutputEvent::Done { path: Path::default(), value });
        events
    }

    /// Finds the beginning of the text.
    fn begin(&mut self) {
        let known = self.start.or_else(|| self.reasoning.find_end(&self.reply, false));
        let Some(rest) = known.and_then(|it| after_blanks(&self.reply, it)) else { return };
        let start = self.reply.len() - rest.len();
        self.start = Some(start);
        // The text has not begun, or may still begin with a fence.
        if rest.is_empty() || (rest.len() < FENCE.len() && FENCE.starts_with(rest)) {
            return;
        }
        let inside = rest.strip_prefix(FENCE);
        // The line of a fence may name a language, so it is first read to its end.
        let is_line_open = inside.is_some_and(|it| it.len() < MAX_LANGUAGE && !it.contains('\n'));
        if is_line_open {
            return;
        }
        let first_line = inside.and_then(|it| it.split_once('\n'));
        let fenced =
            first_line.filter(|(language, _)| language.trim().chars().all(char::is_alphanumeric));
        let (body, at) = match fenced {
            Some((_, inside)) => (BodyState::Fenced, self.reply.len() - inside.len()),
            None => (BodyState::Plain, start),
        };
        self.body = body;
        self.searched = at;
        self.reported = at..at;
    }

    /// Reports the text after a fence, up to the fence that ends it.
    fn read_fenced(&mut self, events: &mut Vec<OutputEvent>) {
        if self.reported.is_empty()
            && let Some(rest) = after_blanks(&self.reply, self.reported.start)
        {
            let at = self.reply.len() - rest.len();
            // Blanks at the beginning are not part of the text.
            self.reported = at..at;
            self.searched = self.searched.max(at);
        }
        if !self.is_fence_closed
            && let Some(rest) = self.reply.get(self.searched..)
        {
            add_steps(rest.len());
            let found = rest.find(FENCE);
            self.is_fence_closed = found.is_some();
            // The end of the fence may be split.
            let backticks_at_end = rest.len() - rest.trim_end_matches('`').len();
            self.searched += found.unwrap_or(rest.len() - backticks_at_end);
            let body = self.reply.get(self.reported.start..self.searched);
            // Without a fence, the text ends with its last visible character. Before a fence, which
            // `self.end` would include, it ends with the last one in `body`.
            let end = match body.filter(|_| found.is_some() || backticks_at_end > 0) {
                None => self.end,
                Some(body) => {
                    let length = body.trim_end_matches(is_blank).len();
                    add_steps(body.len() - length);
                    self.reported.start + length
                }
            };
            self.report(end, events);
        }
        if self.is_fence_closed && self.end > self.searched + FENCE.len() {
            // Text follows the fence, so the fence is part of the text.
            events.extend((!self.reported.is_empty()).then_some(OutputEvent::Restarted));
            let start = self.start.unwrap_or(0);
            self.reported = start..start;
            self.body = BodyState::Plain;
        }
    }

    /// Reports the text up to the byte `end` of the reply.
    fn report(&mut self, end: usize, events: &mut Vec<OutputEvent>) {
        let delta = self.reply.get(self.reported.end..end).filter(|delta| !delta.is_empty());
        if let Some(delta) = delta {
            self.reported.end = end;
            let delta = delta.to_owned();
            events.push(OutputEvent::Text { path: Path::default(), delta });
        }
    }
}

fn is_blank(character: char) -> bool {
    character.is_whitespace() || character == '\u{feff}'
}

/// The text after the byte `at` and the blanks there.
fn after_blanks(text: &str, at: usize) -> Option<&str> {
    let rest = text.get(at..)?;
    let after = rest.trim_start_matches(is_blank);
    add_steps(rest.len() - after.len());
    Some(after)
}
