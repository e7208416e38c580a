//! A reply that is a text while it comes: without its reasoning, and without the fence around it.

use prompty_core::value::Value;
use prompty_core::work::add_steps;

use super::event::OutputEvent;
use super::path::Path;
use super::reader::{Reasoning, plain_text};

/// Tells a text as it comes.
///
/// White space at its end is held until more follows. A fence at its beginning is taken for one around all
/// of it; if something follows behind the fence, the text is told anew.
#[derive(Debug, Default)]
pub(super) struct Prose {
    reply: String,
    reasoning: Reasoning,
    /// Where the text begins, behind reasoning and blanks, as far as that is known.
    start: Option<usize>,
    body: Body,
    /// The piece of the reply that was told.
    told: std::ops::Range<usize>,
    /// Behind the last character that is not blank.
    end: usize,
    /// What is in front was looked at for the end of the fence.
    searched: usize,
    /// Whether that end was found.
    is_closed: bool,
}

/// What of the reply is the text.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Body {
    /// Its beginning is not known yet.
    #[default]
    Unknown,
    /// All behind a place, with a fence around it.
    Fenced,
    /// All behind a place.
    Plain,
}

const FENCE: &str = "```";

/// The longest line that opens a fence, in bytes. What is longer is told as text.
const MAX_LANGUAGE: usize = 64;

impl Prose {
    /// All of the reply.
    pub(super) fn reply(&self) -> &str {
        &self.reply
    }

    /// The text, as far as it came.
    pub(super) fn so_far(&self) -> Option<Value> {
        let told = self.reply.get(self.told.clone())?;
        (self.body != Body::Unknown).then(|| Value::from(told))
    }

    /// Reads a piece of the reply.
    pub(super) fn push(&mut self, piece: &str) -> Vec<OutputEvent> {
        let from = self.reply.len();
        self.reply.push_str(piece);
        if let Some((at, last)) = piece.char_indices().rev().find(|(_, it)| !is_blank(*it)) {
            self.end = from + at + last.len_utf8();
        }
        let mut events = Vec::new();
        if self.body == Body::Unknown {
            self.begin();
        }
        if self.body == Body::Fenced {
            self.read_fenced(&mut events);
        }
        if self.body == Body::Plain {
            self.tell(self.end, &mut events);
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
        let start = text.as_ptr().addr() - self.reply.as_ptr().addr();
        let end = start + text.len();
        let value = Value::from(text);
        let is_same = self.told.is_empty() || (self.told.start == start && self.told.end <= end);
        if !is_same {
            events.push(OutputEvent::Restarted);
        }
        if !is_same || self.told.is_empty() {
            self.told = start..start;
        }
        self.body = Body::Plain;
        self.tell(end, &mut events);
        events.push(OutputEvent::Done { path: Path::default(), value });
        events
    }

    /// Finds the beginning of the text.
    fn begin(&mut self) {
        let known = self.start.or_else(|| self.reasoning.behind(&self.reply, false));
        let Some(rest) = known.and_then(|it| after_blanks(&self.reply, it)) else { return };
        let start = self.reply.len() - rest.len();
        self.start = Some(start);
        if rest.is_empty() || (rest.len() < FENCE.len() && FENCE.starts_with(rest)) {
            return;
        }
        let inside = rest.strip_prefix(FENCE);
        let is_cut = inside.is_some_and(|it| it.len() < MAX_LANGUAGE && !it.contains('\n'));
        if is_cut {
            return;
        }
        let line = inside.and_then(|it| it.split_once('\n'));
        let fenced =
            line.filter(|(language, _)| language.trim().chars().all(char::is_alphanumeric));
        let (body, at) = match fenced {
            Some((_, inside)) => (Body::Fenced, self.reply.len() - inside.len()),
            None => (Body::Plain, start),
        };
        self.body = body;
        self.searched = at;
        self.told = at..at;
    }

    fn read_fenced(&mut self, events: &mut Vec<OutputEvent>) {
        if self.told.is_empty()
            && let Some(rest) = after_blanks(&self.reply, self.told.start)
        {
            let at = self.reply.len() - rest.len();
            self.told = at..at;
            self.searched = self.searched.max(at);
        }
        if !self.is_closed
            && let Some(rest) = self.reply.get(self.searched..)
        {
            add_steps(rest.len());
            let found = rest.find(FENCE);
            self.is_closed = found.is_some();
            // The end of the fence may come in pieces.
            let open = rest.len() - rest.trim_end_matches('`').len();
            self.searched += found.unwrap_or(rest.len() - open);
            let body = self.reply.get(self.told.start..self.searched);
            let end = match body.filter(|_| found.is_some() || open > 0) {
                None => self.end,
                Some(body) => {
                    add_steps(body.len() - body.trim_end_matches(is_blank).len());
                    self.told.start + body.trim_end_matches(is_blank).len()
                }
            };
            self.tell(end, events);
        }
        if self.is_closed && self.end > self.searched + FENCE.len() {
            // Something stands behind the fence, so that it is a part of the text.
            events.extend((!self.told.is_empty()).then_some(OutputEvent::Restarted));
            let start = self.start.unwrap_or(0);
            self.told = start..start;
            self.body = Body::Plain;
        }
    }

    /// Tells the text up to a place.
    fn tell(&mut self, end: usize, events: &mut Vec<OutputEvent>) {
        let delta = self.reply.get(self.told.end..end).filter(|delta| !delta.is_empty());
        if let Some(delta) = delta {
            self.told.end = end;
            let delta = delta.to_owned();
            events.push(OutputEvent::Text { path: Path::default(), delta });
        }
    }
}

fn is_blank(character: char) -> bool {
    character.is_whitespace() || character == '\u{feff}'
}

/// The text after the blanks at a place.
fn after_blanks(text: &str, at: usize) -> Option<&str> {
    let rest = text.get(at..)?;
    let after = rest.trim_start_matches(is_blank);
    add_steps(rest.len() - after.len());
    Some(after)
}
