//! The headers of messages, which determine the kind of the bodies.
//!
//! For `<|channel|>analysis<|message|>Hm.<|end|>`, the state is in the header after `<|channel|>`.
//! `step_header` collects `analysis` in `raw` up to `<|message|>`, `body_of` finds that the body is
//! reasoning, and `begin_body` starts the segment with `Hm.`

use super::call_state::{OpenerKind, Opening};
use super::markers::{Match, Search, match_marker, split_white_space};
use super::segment::SegmentOpener;
use super::{Machine, State, Step};
use crate::event::{Channel, Malformation};
use crate::format::{Headers, NamePlace, Text};
use crate::layout::Mark;
use crate::sink::Sink;
use prompty_core::work::add_steps;

/// The maximum length of a header. Its text is kept until its end, so it must not grow forever.
const LONGEST_HEADER: usize = 1024;

/// The kind of a message's body.
enum BodyKind {
    Reasoning,
    Content,
    /// The arguments of the call with this name, or several calls.
    Call(String),
}

impl Machine<'_> {
    /// Reads the header up to its end.
    pub(super) fn step_header(&mut self, rest: &str, sink: &mut impl Sink) -> Step {
        let Some(headers) = &self.program.format.headers else { return self.enter(State::Text) };
        let bytes_left = LONGEST_HEADER.saturating_sub(self.raw.len());
        match self.program.expected_markers.in_header.search(rest, self.is_last) {
            Search::NoMarker(text) if text.len() <= bytes_left => {
                self.raw.push_str(text);
                Step::Wait(text.len())
            }
            Search::NoMarker(_) => self.report_overlong(rest, bytes_left, sink),
            Search::Found { before, .. } if before.len() > bytes_left => {
                self.report_overlong(rest, bytes_left, sink)
            }
            Search::Found { before, marker, action, .. } => {
                let end = before.len() + marker.len();
                self.raw.push_str(before);
                match self.program.call_path.mark(action) {
                    Some(Mark::HeaderEnd) => {}
                    // In a header that is not empty, the opener of a call may be a word.
                    Some(mark) if mark.opens_call() && !self.raw.trim().is_empty() => {
                        self.raw.push_str(marker);
                        return Step::Take(end);
                    }
                    // The message ends or another one begins: the end of the header is missing.
                    _ => {
                        self.end_header("", sink);
                        return Step::Take(before.len());
                    }
                }
                let body = body_of(headers, &self.raw);
                self.begin_body(body, marker, sink);
                Step::Take(end)
            }
        }
    }

    /// Reads a header that one marker matched completely.
    pub(super) fn read_complete_header(&mut self, raw: &str, sink: &mut impl Sink) {
        let Some(headers) = &self.program.format.headers else { return };
        let body = body_of(headers, raw);
        self.raw.clear();
        self.begin_body(body, raw, sink);
    }

    /// Reports an overlong header as text.
    fn report_overlong(&mut self, rest: &str, bytes_left: usize, sink: &mut impl Sink) -> Step {
        #[expect(clippy::string_slice, reason = "`floor_char_boundary` gives a place in the text")]
        let rest = &rest[..rest.floor_char_boundary(bytes_left)];
        let mut header = std::mem::take(&mut self.raw);
        header.push_str(rest);
        add_steps(header.len());
        self.state = State::Text;
        self.take_text(&header, sink);
        Step::Take(rest.len())
    }

    /// Begins the body of a message after its header, which is in `self.raw` and `header_end`.
    fn begin_body(&mut self, body: BodyKind, header_end: &str, sink: &mut impl Sink) {
        let mut raw = std::mem::take(&mut self.raw);
        raw.push_str(header_end);
        self.state = State::Text;
        match body {
            BodyKind::Reasoning => {
                self.reasoning_markup(&raw, sink);
                self.start_segment(true, SegmentOpener::Header);
            }
            BodyKind::Call(name) if self.program.tools().is_some() => {
                self.start_segment(false, SegmentOpener::Header);
                let is_control = self.program.is_control(&raw);
                let kind = if is_control { OpenerKind::Control } else { OpenerKind::Markup };
                self.raw = raw;
                self.opening = Opening::of_kind(kind);
                self.call.reset();
                if self.program.named().is_some_and(|it| it.name == NamePlace::Header) {
                    self.set_name(&name);
                    self.begin_call(sink);
                    self.start_walk();
                } else {
                    self.state = self.state_between_calls();
                }
            }
            BodyKind::Content | BodyKind::Call(_) => {
                sink.read(Channel::Markup, &raw);
                self.start_segment(false, SegmentOpener::Header);
            }
        }
    }

    /// Ends a header whose end marker is missing. Known words of headers are markup, a tool's name
    /// is malformed, and the rest is text.
    pub(super) fn end_header(&mut self, rest: &str, sink: &mut impl Sink) {
        let mut header = std::mem::take(&mut self.raw);
        header.push_str(rest);
        self.state = State::Text;
        let Some(headers) = &self.program.format.headers else { return };
        let known =
            headers.reasoning.iter().chain(headers.content.iter()).chain([&headers.recipient]);
        let known = known.map(|text| common_words_length(&header, text)).max().unwrap_or_default();
        if known < header.len() && recipient_of(headers, &header).is_some() {
            self.end_segment(sink);
            sink.malformed(&header, Malformation::CutOff);
            return sink.read(Channel::Malformed, &header);
        }
        let is_reasoning = known > 0 && matches!(body_of(headers, &header), BodyKind::Reasoning);
        let (markup, text) = header.split_at_checked(known).unwrap_or(("", &header));
        if is_reasoning {
            self.start_segment(true, SegmentOpener::None);
        }
        if !markup.is_empty() {
            sink.read(Channel::Markup, markup);
        }
        self.take_text(text, sink);
    }
}

/// The length of the start of a header that matches known words. It is the complete header if that
/// is a prefix of the words.
fn common_words_length(header: &str, words: &str) -> usize {
    let ((space, after), words) = (split_white_space(header), words.trim());
    if words.is_empty() || after.is_empty() {
        return 0;
    }
    match match_marker(words, after) {
        Match::Full(length) => space.len() + length,
        Match::Partial => header.len(),
        Match::No => 0,
    }
}

/// Returns the kind of the body for a header. The first rule that applies decides:
///
/// 1. A recipient in the namespace of tools: a call.
/// 2. Words of reasoning or content: that kind. If both occur, the last word counts.
/// 3. Any other recipient: a call.
/// 4. Otherwise: content.
fn body_of(headers: &Headers, header: &str) -> BodyKind {
    add_steps(header.len());
    let recipient = recipient_of(headers, header);
    if let Some(name) = &recipient
        && !headers.namespace.is_empty()
        && name.starts_with(&*headers.namespace)
    {
        return BodyKind::Call(name.clone());
    }
    // The first token may be missing, because some servers drop it from the first chunk: then
    // `analysis` is searched for, instead of `<|channel|>analysis`.
    let has_token = header.contains('<');
    let find_last = |text: &Text| match text.split_once('>') {
        Some((_, words)) if !has_token && !words.is_empty() => find_words(header, words),
        _ => find_words(header, text),
    };
    let last_offset = |texts: &[Text]| texts.iter().filter_map(find_last).max();
    match (last_offset(&headers.reasoning), last_offset(&headers.content), recipient) {
        (None, None, Some(name)) => BodyKind::Call(name),
        (Some(reasoning), content, _) if content.is_none_or(|content| reasoning > content) => {
            BodyKind::Reasoning
        }
        _ => BodyKind::Content,
    }
}

/// The offset of a text in a header, as complete words, from the end. An empty text is only in an
/// empty header.
#[expect(clippy::string_slice, reason = "`at` is where `rmatch_indices` found a character")]
fn find_words(header: &str, text: &str) -> Option<usize> {
    let text = text.trim();
    if text.is_empty() {
        return header.trim().is_empty().then_some(0);
    }
    let starts = header.rmatch_indices(text.chars().next()?);
    starts.map(|(at, _)| at).find(|at| {
        let rest = &header[*at..];
        let Match::Full(length) = match_marker(text, rest) else { return false };
        let after = rest.get(length..).and_then(|after| after.chars().next());
        !after.is_some_and(|next| next.is_alphanumeric() || matches!(next, '_' | '-' | '.'))
    })
}

/// The name after the text in a header that announces a recipient, such as ` to=`.
fn recipient_of(headers: &Headers, header: &str) -> Option<String> {
    let announcement = headers.recipient.trim();
    if announcement.is_empty() {
        return None;
    }
    let after = header.rsplit_once(announcement).map(|(_, after)| after.trim_start())?;
    let is_end = |character: char| character.is_whitespace() || "<>{}[]()\"'".contains(character);
    let name = after.split(is_end).next().unwrap_or_default();
    (!name.is_empty()).then(|| name.to_owned())
}
