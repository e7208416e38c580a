//! Reasoning and content: text up to the next marker.

use super::call_state::{OpenerKind, Opening};
use super::markdown_fence::FencePiece;
use super::markers::{MarkerSet, Search, StartMatch, split_common_start, split_white_space};
use super::segment::{Opener, OpeningSpace};
use super::{Machine, State, Step};
use crate::event::{Channel, Malformation};
use crate::layout::{LeafId, Mark};
use crate::sink::Sink;
use prompty_core::work::add_steps;

/// The maximum length of a text that is searched for markers in advance. If a marker is found, the
/// text is read twice.
const LONGEST_PLAIN: usize = 4096;

/// A reply without any markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlainReply<'text> {
    Reasoning(&'text str),
    Content(&'text str),
}

impl Machine<'_> {
    /// Reads a complete reply if it is a short text in which no marker begins. Most replies are
    /// such texts, and the setup of a machine takes longer than reading them.
    pub(crate) fn read_plain<'text>(&self, text: &'text str) -> Option<PlainReply<'text>> {
        let segment = &self.segment;
        let options = &self.program.options;
        let may_be_plain = text.len() <= LONGEST_PLAIN
            && self.state == State::Text
            && self.held.is_empty()
            && self.prompt.bytes_left == 0
            && !segment.holds_space()
            && !(segment.is_reasoning && options.reasoning_in_content)
            && options.content_schema.is_none();
        if !may_be_plain {
            return None;
        }
        let (lead, words) = if segment.is_leading { split_white_space(text) } else { ("", text) };
        let may_be_call = segment.is_leading && !segment.is_reasoning && self.program.bare_calls;
        if (may_be_call && words.starts_with(self.program.bare_starts()))
            || self.segment_markers().may_begin_in(text.as_bytes())
        {
            return None;
        }
        let markup = match (words, lead) {
            ("", _) => lead.len(),
            (_, "") => 0,
            _ => split_common_start(lead, self.opening_space()).0.len(),
        };
        let words = text.get(markup..)?;
        Some(if segment.is_reasoning {
            PlainReply::Reasoning(words)
        } else {
            PlainReply::Content(words)
        })
    }

    pub(super) fn step_text(&mut self, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        if !self.segment.trailing_space.is_empty() {
            return self.step_trailing_space(rest, last, sink);
        }
        let bare = self.bare_call_start(rest, last);
        if let StartMatch::Found((), space) = bare {
            self.text(space, sink);
            return self.begin_bare(space.len());
        }
        if bare == StartMatch::Wait {
            return Step::Wait(0);
        }
        match self.segment_markers().search(rest, last) {
            Search::Sure(text) => {
                self.text(text, sink);
                Step::Wait(text.len())
            }
            Search::Found { before, marker, action, .. }
                if self.program.call_path.mark(action).is_none() =>
            {
                self.text(before, sink);
                if self.segment.is_quoting() {
                    self.text(marker, sink);
                    return Step::Take(before.len() + marker.len());
                }
                self.begin_bare(before.len())
            }
            Search::Found { before, marker, action, .. } => {
                self.text(before, sink);
                if self.program.call_path.mark(action).is_some_and(Mark::opens_call) {
                    // In a complete reply, the call may be all the rest.
                    self.raw.reserve(rest.len() - before.len());
                }
                self.apply(action, marker, sink);
                Step::Take(before.len() + marker.len())
            }
        }
    }

    /// Begins to read a call without markers, after text.
    fn begin_bare(&mut self, start: usize) -> Step {
        self.raw.clear();
        self.opening = Opening::of_kind(OpenerKind::Bare);
        self.call.forget();
        self.state = self.state_between_calls();
        Step::Take(start)
    }

    /// The markers that can appear in the segment.
    #[inline]
    pub(super) fn segment_markers(&self) -> &MarkerSet<LeafId> {
        match (self.segment.is_reasoning, self.segment.by_prompt) {
            (false, _) => &self.program.expected_markers.in_content,
            (true, false) => &self.program.expected_markers.in_reasoning,
            (true, true) => &self.program.expected_markers.in_prompt_reasoning,
        }
    }

    /// The rest of the opening marker's white space, which may still follow.
    #[inline]
    pub(super) fn opening_space(&self) -> &str {
        self.segment.after.rest(&self.program)
    }

    /// Reads the text after white space that is already read.
    fn step_trailing_space(&mut self, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        let marker = match self.program.expected_markers.in_content.at_start(rest, last) {
            StartMatch::Wait => return Step::Wait(0),
            StartMatch::Found(id, marker) if self.program.call_path.mark(id).is_some() => marker,
            // The beginning of a call without markers is not a marker.
            StartMatch::Found(..) | StartMatch::Nothing => "",
        };
        let mut trail = std::mem::take(&mut self.segment.trailing_space);
        let spaces = trail.len();
        trail.push_str(marker);
        match self.program.expected_markers.in_content.search(&trail, true) {
            Search::Found { before, action, .. } => {
                self.text(before, sink);
                let start = before.len();
                trail.drain(..start);
                self.apply(action, &trail, sink);
            }
            // The white space does not belong to a marker. The following text is read again.
            Search::Sure(_) => {
                trail.truncate(spaces);
                self.text(&trail, sink);
                return Step::Take(0);
            }
        }
        Step::Take(marker.len())
    }

    /// Finds the start of a call that no marker opens. It is at the start of content, if no marker
    /// can be there.
    fn bare_call_start<'text>(&self, rest: &'text str, last: bool) -> StartMatch<'text, ()> {
        if !self.segment.is_leading || self.segment.is_reasoning || !self.program.bare_calls {
            return StartMatch::Nothing;
        }
        let (space, words) = split_white_space(rest);
        if !words.starts_with(self.program.bare_starts()) {
            return StartMatch::Nothing;
        }
        // A marker may begin with the same bracket.
        let markers = [
            &self.program.expected_markers.in_content,
            &self.program.expected_markers.between_calls,
        ];
        let found = markers.map(|markers| markers.at_start(words, last));
        if found.iter().any(|it| matches!(it, StartMatch::Found(..))) {
            return StartMatch::Nothing;
        }
        if found.contains(&StartMatch::Wait) {
            StartMatch::Wait
        } else {
            StartMatch::Found((), space)
        }
    }

    /// Takes a piece of reasoning or content.
    pub(super) fn text(&mut self, piece: &str, sink: &mut impl Sink) {
        add_steps(piece.len());
        if !self.segment.is_leading {
            return self.report(piece, sink);
        }
        let (space, words) = split_white_space(piece);
        self.segment.lead.push_str(space);
        if words.is_empty() {
            return;
        }
        self.segment.is_leading = false;
        if !self.segment.lead.is_empty() {
            let mut lead = std::mem::take(&mut self.segment.lead);
            let (markup, kept) = match self.keeps_reasoning() {
                true => ("", &*lead),
                false => split_common_start(&lead, self.opening_space()),
            };
            if !markup.is_empty() {
                sink.read(Channel::Markup, markup);
            }
            self.report(kept, sink);
            lead.clear();
            self.segment.lead = lead;
        }
        self.report(words, sink);
    }

    /// Whether this is reasoning that is reported as content.
    fn keeps_reasoning(&self) -> bool {
        self.segment.is_reasoning && self.program.options.reasoning_in_content
    }

    fn report(&mut self, text: &str, sink: &mut impl Sink) {
        if text.is_empty() {
            return;
        }
        if !self.segment.is_reasoning {
            return self.report_content(text, sink);
        }
        if !self.program.options.reasoning_in_content {
            sink.reasoning(text);
            sink.read(Channel::Reasoning, text);
            return;
        }
        // If the content begins with the prompt's own text, it also begins with the opener.
        let is_reported = !self.prompt.is_read || self.program.options.prepend_continued;
        if self.segment.opener_is_due && is_reported {
            self.segment.opener_is_due = false;
            if let Some(reasoning) = &self.program.format.reasoning {
                sink.content_of_prompt(&reasoning.open.text);
            }
        }
        sink.content(text);
        sink.read(Channel::Content, text);
    }

    fn report_content(&mut self, text: &str, sink: &mut impl Sink) {
        if self.program.calls_begin_in_text {
            self.segment.remember_end(text);
        }
        if self.program.options.content_schema.is_some() {
            return self.segment.fence.push(text, |piece| report_piece(piece, sink));
        }
        sink.content(text);
        sink.read(Channel::Content, text);
    }

    /// Applies the effect of a marker.
    fn apply(&mut self, id: LeafId, raw: &str, sink: &mut impl Sink) {
        let Some(mark) = self.program.call_path.mark(id) else { return };
        match mark {
            // Reasoning may mention its opener. After the prompt's opener it has no effect, and
            // control tokens are never mentioned.
            Mark::ReasoningOpen
                if self.segment.is_reasoning
                    && !(self.segment.is_leading && self.segment.by_prompt)
                    && self.program.call_path.is_required(id)
                    && !self.program.is_control(raw) =>
            {
                self.text(raw, sink);
            }
            Mark::ReasoningOpen => {
                let by_prompt = self.prompt.is_read || self.segment.by_prompt;
                self.end_segment(sink);
                self.reasoning_markup(raw, sink);
                self.start_segment(true, Opener::Reasoning);
                self.segment.by_prompt = by_prompt;
                self.segment.opener_is_due = self.prompt.is_read;
            }
            Mark::ReasoningClose => self.close_reasoning(raw, sink),
            Mark::ContentOpen => {
                self.end_segment(sink);
                sink.read(Channel::Markup, raw);
                self.start_segment(false, Opener::Content);
            }
            Mark::ContentClose | Mark::TurnEnd | Mark::BodyClose => {
                let closes_kept = self.keeps_reasoning() && mark == Mark::BodyClose;
                self.end_segment(sink);
                if closes_kept {
                    self.reasoning_markup(raw, sink);
                } else {
                    sink.read(Channel::Markup, raw);
                }
                self.start_segment(false, Opener::None);
            }
            // Inside a body it is data.
            Mark::HeaderStart if !self.segment.is_between_messages() => self.text(raw, sink),
            Mark::CompleteHeader => {
                self.end_segment(sink);
                self.read_complete_header(raw, sink);
            }
            _ if mark.opens_call() && self.is_in_body() => self.text(raw, sink),
            Mark::HeaderOpen | Mark::HeaderStart => {
                self.end_segment(sink);
                self.start_segment(false, Opener::None);
                self.raw.clear();
                match mark {
                    Mark::HeaderOpen => sink.read(Channel::Markup, raw),
                    _ => self.raw.push_str(raw),
                }
                self.state = self.program.call_path.header();
            }
            _ if mark.opens_call() => {
                // The segment continues until a call has begun.
                self.opening = self.opening_of_marker(id);
                self.raw.clear();
                self.raw.push_str(raw);
                self.call.forget();
                self.state = self.state_after_opener(id);
            }
            // A closer without a call.
            Mark::SectionClose | Mark::CallClose if !self.program.is_control(raw) => {
                self.end_segment(sink);
                sink.malformed(raw, Malformation::NoCall);
                sink.read(Channel::Malformed, raw);
            }
            _ => {
                self.end_segment(sink);
                sink.read(Channel::Markup, raw);
            }
        }
    }

    /// Whether the body of a message is being read, in which calls are data.
    fn is_in_body(&self) -> bool {
        self.program.format.headers.is_some() && !self.segment.is_between_messages()
    }

    fn close_reasoning(&mut self, raw: &str, sink: &mut impl Sink) {
        if self.segment.is_reasoning {
            let has_text = !self.segment.opener_is_due && !self.segment.is_leading;
            self.end_segment(sink);
            if has_text {
                self.reasoning_markup(raw, sink);
            } else {
                sink.read(Channel::Markup, raw);
            }
            // If reasoning is part of the content, the white space after it is, too.
            let is_kept =
                has_text && self.program.options.reasoning_in_content && !self.prompt.is_read;
            let opener = if is_kept { Opener::None } else { Opener::ReasoningEnd };
            return self.start_segment(false, opener);
        }
        // A model may close reasoning that it never opened, to say that there is none.
        if self.segment.is_leading || self.program.is_control(raw) {
            self.end_segment(sink);
            sink.read(Channel::Markup, raw);
            return self.start_segment(false, Opener::ReasoningEnd);
        }
        self.text(raw, sink);
    }

    /// Reports a marker of reasoning: as content if reasoning is kept there, otherwise as markup.
    pub(super) fn reasoning_markup(&mut self, raw: &str, sink: &mut impl Sink) {
        if self.program.options.reasoning_in_content && !self.prompt.is_read {
            sink.content(raw);
            sink.read(Channel::Content, raw);
        } else {
            sink.read(Channel::Markup, raw);
        }
    }

    /// Reports the white space after text that looked like a call. It belongs to no marker.
    pub(super) fn report_trailing_space(&mut self, sink: &mut impl Sink) {
        if !self.segment.trailing_space.is_empty() {
            let trail = std::mem::take(&mut self.segment.trailing_space);
            self.text(&trail, sink);
        }
    }

    /// Ends the segment. White space alone is markup.
    pub(super) fn end_segment(&mut self, sink: &mut impl Sink) {
        self.report_trailing_space(sink);
        self.segment.fence.end(|piece| report_piece(piece, sink));
        if !self.segment.lead.is_empty() {
            sink.read(Channel::Markup, &self.segment.lead);
            self.segment.lead.clear();
        }
    }

    pub(super) fn start_segment(&mut self, is_reasoning: bool, marker: Opener) {
        self.segment.is_reasoning = is_reasoning;
        self.segment.by_prompt = is_reasoning && self.prompt.is_read;
        self.segment.is_leading = true;
        self.segment.last = Default::default();
        self.segment.after = OpeningSpace { marker, read: 0 };
        self.segment.opener_is_due = false;
    }
}

fn report_piece(piece: FencePiece<'_>, sink: &mut impl Sink) {
    match piece {
        FencePiece::Content(text) => {
            sink.content(text);
            sink.read(Channel::Content, text);
        }
        FencePiece::Fence(text) => sink.read(Channel::Markup, text),
    }
}
