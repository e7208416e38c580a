//! Reasoning and content: text up to the next marker.

use super::call_state::{OpenerKind, Opening};
use super::markdown_fence::FencePiece;
use super::markers::{MarkerSet, Search, StartMatch, split_common_start, split_white_space};
use super::segment::{OpeningSpace, SegmentOpener};
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
        let may_be_call = segment.is_leading && !segment.is_reasoning && self.program.bare_at_start;
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

    /// Reads text up to the next marker or call, and applies what is found there.
    pub(super) fn step_text(&mut self, rest: &str, sink: &mut impl Sink) -> Step {
        if !self.segment.trailing_space.is_empty() {
            return self.step_trailing_space(rest, sink);
        }
        let bare = self.bare_call_start(rest);
        if let StartMatch::Found((), space) = bare {
            self.take_text(space, sink);
            return self.begin_bare(space.len());
        }
        if bare == StartMatch::Wait {
            return Step::Wait(0);
        }
        match self.segment_markers().search(rest, self.is_last) {
            Search::NoMarker(text) => {
                self.take_text(text, sink);
                Step::Wait(text.len())
            }
            // The beginning of a call without markers, such as `{"name": "time", "arguments": {`.
            Search::Found { before, marker, action, .. }
                if self.program.call_path.mark(action).is_none() =>
            {
                self.take_text(before, sink);
                if self.segment.is_quoting() {
                    self.take_text(marker, sink);
                    return Step::Take(before.len() + marker.len());
                }
                self.begin_bare(before.len())
            }
            Search::Found { before, marker, action, .. } => {
                self.take_text(before, sink);
                if self.program.call_path.mark(action).is_some_and(Mark::opens_call) {
                    // In a complete reply, the call may be all the rest.
                    self.raw.reserve(rest.len() - before.len());
                }
                self.apply(action, marker, sink);
                Step::Take(before.len() + marker.len())
            }
        }
    }

    /// Takes `length` bytes of text, and begins to read a call without markers after them.
    fn begin_bare(&mut self, length: usize) -> Step {
        self.raw.clear();
        self.opening = Opening::of_kind(OpenerKind::Bare);
        self.call.reset();
        self.state = self.state_between_calls();
        Step::Take(length)
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
        self.segment.opening_space.rest(&self.program)
    }

    /// Decides what the white space after rejected text is. `[x]` was read as the start of a call
    /// in `[x]\n</tool>`, so its line break is still waiting. If a marker follows, it is searched
    /// for again together with the white space, which may belong to it.
    fn step_trailing_space(&mut self, rest: &str, sink: &mut impl Sink) -> Step {
        let marker = match self.program.expected_markers.in_content.at_start(rest, self.is_last) {
            StartMatch::Wait => return Step::Wait(0),
            StartMatch::Found(id, marker) if self.program.call_path.mark(id).is_some() => marker,
            // The beginning of a call without markers is not a marker.
            StartMatch::Found(..) | StartMatch::Nothing => "",
        };
        let space = std::mem::take(&mut self.segment.trailing_space);
        let space_and_marker = format!("{space}{marker}");
        match self.program.expected_markers.in_content.search(&space_and_marker, true) {
            Search::Found { before, marker: spaced_marker, action, .. } => {
                self.take_text(before, sink);
                self.apply(action, spaced_marker, sink);
                Step::Take(marker.len())
            }
            // The white space does not belong to a marker. The following text is read again.
            Search::NoMarker(_) => {
                self.take_text(&space, sink);
                Step::Take(0)
            }
        }
    }

    /// Finds the start of a call that no marker opens: a bracket at the start of content, if no
    /// marker begins there. The text of the result is the white space before it.
    fn bare_call_start<'text>(&self, rest: &'text str) -> StartMatch<'text, ()> {
        if !self.segment.is_leading || self.segment.is_reasoning || !self.program.bare_at_start {
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
        let found = markers.map(|markers| markers.at_start(words, self.is_last));
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
    pub(super) fn take_text(&mut self, piece: &str, sink: &mut impl Sink) {
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
            // The white space that the template writes after the opener is markup.
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

    /// Reports text of the segment, according to the options.
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
        report_piece(FencePiece::Content(text), sink);
    }

    fn report_content(&mut self, text: &str, sink: &mut impl Sink) {
        if self.program.bare_in_text {
            self.segment.remember_end(text);
        }
        if self.program.options.content_schema.is_some() {
            return self.segment.fence.push(text, |piece| report_piece(piece, sink));
        }
        report_piece(FencePiece::Content(text), sink);
    }

    /// Applies the effect of the marker `id`, which the text writes as `raw`. The first arm that
    /// applies decides: the arms with `take_text` are for markers that are only text here.
    fn apply(&mut self, id: LeafId, raw: &str, sink: &mut impl Sink) {
        let Some(mark) = self.program.call_path.mark(id) else { return };
        match mark {
            Mark::ReasoningOpen if self.is_mentioned_opener(id, raw) => self.take_text(raw, sink),
            Mark::ReasoningOpen => self.open_reasoning(raw, sink),
            Mark::ReasoningClose => self.close_reasoning(raw, sink),
            Mark::ContentOpen => {
                self.end_segment_at_markup(raw, sink);
                self.start_segment(false, SegmentOpener::Content);
            }
            Mark::ContentClose | Mark::TurnEnd | Mark::BodyClose => {
                let closes_kept_reasoning = self.keeps_reasoning() && mark == Mark::BodyClose;
                self.end_segment(sink);
                if closes_kept_reasoning {
                    self.reasoning_markup(raw, sink);
                } else {
                    sink.read(Channel::Markup, raw);
                }
                self.start_segment(false, SegmentOpener::None);
            }
            // Inside a body it is data.
            Mark::HeaderStart if !self.segment.is_between_messages() => self.take_text(raw, sink),
            Mark::CompleteHeader => {
                self.end_segment(sink);
                self.read_complete_header(raw, sink);
            }
            _ if mark.opens_call() && self.is_in_body() => self.take_text(raw, sink),
            Mark::HeaderOpen | Mark::HeaderStart => {
                self.end_segment(sink);
                self.start_segment(false, SegmentOpener::None);
                self.raw.clear();
                match mark {
                    Mark::HeaderOpen => sink.read(Channel::Markup, raw),
                    // Its token is part of the header.
                    _ => self.raw.push_str(raw),
                }
                self.state = self.program.call_path.header();
            }
            _ if mark.opens_call() => {
                // The segment continues until a call has begun.
                self.opening = self.opening_of_marker(id);
                self.raw.clear();
                self.raw.push_str(raw);
                self.call.reset();
                self.state = self.state_after_opener(id);
            }
            // A closer without a call.
            Mark::SectionClose | Mark::CallClose if !self.program.is_control(raw) => {
                self.end_segment(sink);
                sink.malformed(raw, Malformation::NoCall);
                sink.read(Channel::Malformed, raw);
            }
            _ => self.end_segment_at_markup(raw, sink),
        }
    }

    /// Whether an opener of reasoning is only mentioned: inside reasoning, unless the prompt opened
    /// it just before. A control token is never mentioned.
    fn is_mentioned_opener(&self, id: LeafId, raw: &str) -> bool {
        self.segment.is_reasoning
            && !(self.segment.is_leading && self.segment.by_prompt)
            && self.program.call_path.is_required(id)
            && !self.program.is_control(raw)
    }

    fn open_reasoning(&mut self, raw: &str, sink: &mut impl Sink) {
        let by_prompt = self.prompt.is_read || self.segment.by_prompt;
        self.end_segment(sink);
        self.reasoning_markup(raw, sink);
        self.start_segment(true, SegmentOpener::Reasoning);
        self.segment.by_prompt = by_prompt;
        self.segment.opener_is_due = self.prompt.is_read;
    }

    /// Whether the body of a message is being read, in which calls are data.
    fn is_in_body(&self) -> bool {
        self.program.format.headers.is_some() && !self.segment.is_between_messages()
    }

    /// Ends reasoning at its closer. Outside reasoning, the closer is markup or text.
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
            let opener = if is_kept { SegmentOpener::None } else { SegmentOpener::ReasoningEnd };
            return self.start_segment(false, opener);
        }
        // A model may close reasoning that it never opened, to say that there is none.
        if self.segment.is_leading || self.program.is_control(raw) {
            self.end_segment_at_markup(raw, sink);
            return self.start_segment(false, SegmentOpener::ReasoningEnd);
        }
        self.take_text(raw, sink);
    }

    /// Reports a marker of reasoning: as content if reasoning is kept there, otherwise as markup.
    pub(super) fn reasoning_markup(&mut self, raw: &str, sink: &mut impl Sink) {
        if self.program.options.reasoning_in_content && !self.prompt.is_read {
            report_piece(FencePiece::Content(raw), sink);
        } else {
            sink.read(Channel::Markup, raw);
        }
    }

    /// Reports the white space after text that looked like a call. It belongs to no marker.
    pub(super) fn report_trailing_space(&mut self, sink: &mut impl Sink) {
        if !self.segment.trailing_space.is_empty() {
            let trail = std::mem::take(&mut self.segment.trailing_space);
            self.take_text(&trail, sink);
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

    /// Ends the segment at a marker that has no other effect.
    fn end_segment_at_markup(&mut self, raw: &str, sink: &mut impl Sink) {
        self.end_segment(sink);
        sink.read(Channel::Markup, raw);
    }

    pub(super) fn start_segment(&mut self, is_reasoning: bool, marker: SegmentOpener) {
        self.segment.is_reasoning = is_reasoning;
        self.segment.by_prompt = is_reasoning && self.prompt.is_read;
        self.segment.is_leading = true;
        self.segment.last = Default::default();
        self.segment.opening_space = OpeningSpace { marker, read: 0 };
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
