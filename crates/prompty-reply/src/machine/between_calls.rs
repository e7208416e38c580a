//! Between two calls, after the opener of a call, and in the rest of a malformed call.
//!
//! Text that is not a call is left in one of these ways:
//! - `leave_calls`: no call follows. If an opener still awaits a call, it is rejected.
//! - `reject_opener`: an opener has no call. It becomes text, or is reported as malformed; the text
//!   after it is read as text, or as a damaged call if it reads like one.
//! - `reject` (in `call`): all text since the opener becomes text.
//! - `fail`: a call is malformed. The state `Recover` reads up to its end.

use super::call_state::{OpenerKind, Opening};
use super::markers::{
    LONGEST_NAME, MOST_SPACE, Search, StartMatch, split_ascii_space, split_common_start,
};
use super::{Machine, State, Step, first_character};
use crate::event::{Channel, Malformation};
use crate::format::Arguments;
use crate::layout::{LeafId, Mark, Slot};
use crate::sink::Sink;

impl Machine<'_> {
    /// Reads the text between calls.
    pub(super) fn step_between_calls(
        &mut self,
        at: LeafId,
        rest: &str,
        sink: &mut impl Sink,
    ) -> Step {
        if self.call.has_complete_arguments {
            match self.arguments_continue(rest) {
                StartMatch::Wait => return Step::Wait(0),
                StartMatch::Found((), _) => return self.fail(Malformation::WrongArguments, sink),
                StartMatch::Nothing => self.end_call(sink),
            }
            return Step::Take(0);
        }
        let (space, words) = split_ascii_space(rest);
        // Directly after the opener of a call.
        let is_head = self.program.call_path.mark(at) == Some(Mark::CallOpen);
        match rest.as_bytes().first() {
            _ if !space.is_empty() && is_head => return self.absorb_to(space, self.state, sink),
            _ if !space.is_empty() => {
                return self.read_space_between_calls(rest, (space, words), sink);
            }
            Some(b'{') if is_head => return self.enter_object(),
            // Only a call may follow its own opener, or the bracket of a list of calls.
            Some(byte) if is_head && (*byte != b'[' || self.opening.in_list) => {
                return self.reject_opener(Malformation::NoCall, rest, sink);
            }
            _ => {}
        }
        match self.program.expected_markers.between_calls.at_start(rest, self.is_last) {
            // After the opener of a call, a `[` may open a list, also if a marker begins with it.
            StartMatch::Wait if !is_head => return Step::Wait(0),
            StartMatch::Found(id, marker) if !is_head => {
                return self.read_marker_between_calls(id, rest, marker, sink);
            }
            // The end of the reply cut off a marker. A single character proves too little.
            _ if self.is_last && rest.len() > 1 && self.is_cut_marker(rest) => {
                return self.absorb_to(rest, self.state, sink);
            }
            _ => {}
        }
        let Some(tools) = self.program.tools() else { return self.leave_calls(rest, sink) };
        let is_json = self.program.json().is_some();
        match rest.as_bytes().first() {
            Some(b'{') if is_json => self.enter_object(),
            Some(b'[') if (is_json || tools.array) && !self.opening.in_list => {
                self.opening.in_list = true;
                self.absorb_to(first_character(rest), self.state_between_calls(), sink)
            }
            Some(b']') if self.opening.in_list => {
                self.opening.in_list = false;
                self.absorb_to(first_character(rest), self.state, sink)
            }
            Some(b',' | b';') if self.opening.in_list => {
                self.absorb_to(first_character(rest), self.state, sink)
            }
            Some(b',' | b';') if !self.opening.awaits_call => self.read_separator(rest, sink),
            // A superfluous brace or bracket after a call.
            Some(b'}' | b']' | b')') if !self.opening.awaits_call => {
                self.absorb_to(first_character(rest), self.state, sink)
            }
            Some(byte) if self.name_follows() && (byte.is_ascii_alphabetic() || *byte == b'_') => {
                self.opening.awaits_call = true;
                self.start_walk()
            }
            _ => self.leave_calls(rest, sink),
        }
    }

    /// Whether the text after a call is more of its arguments, because a superfluous bracket closed
    /// them: `, "b": 2` in `{"a": 1}, "b": 2}`. `Found` if it is, `Wait` if more text decides.
    fn arguments_continue(&self, rest: &str) -> StartMatch<'static, ()> {
        let may_wait = !self.is_last && rest.len() <= LONGEST_NAME;
        let wait = if may_wait { StartMatch::Wait } else { StartMatch::Nothing };
        let (_, after) = split_ascii_space(rest);
        if self.opening.in_list {
            return StartMatch::Nothing;
        }
        if after.is_empty() {
            return wait;
        }
        // The body of a message contains nothing after the call. Any other text is damage.
        if self.program.format.headers.is_some() {
            return match self.program.expected_markers.between_calls.at_start(after, self.is_last) {
                StartMatch::Found(..) => StartMatch::Nothing,
                StartMatch::Wait => StartMatch::Wait,
                StartMatch::Nothing => StartMatch::Found((), ""),
            };
        }
        let next = match after.strip_prefix(',').map(str::trim_ascii_start) {
            Some("") => return wait,
            Some(next) => next,
            None => return StartMatch::Nothing,
        };
        let is_key = match self.program.notation() {
            // A key and the text before its value: `b=`.
            Some(Arguments::Literal { assign, .. }) => {
                let is_end = |it: char| !it.is_alphanumeric() && !"_-$".contains(it);
                let after_name = next.trim_start_matches(|it: char| !is_end(it));
                if after_name.is_empty() {
                    return wait;
                }
                after_name.len() < next.len() && after_name.trim_start().starts_with(assign.trim())
            }
            _ => next.starts_with('"'),
        };
        if is_key { StartMatch::Found((), "") } else { StartMatch::Nothing }
    }

    /// Whether a text is the beginning of a marker.
    fn is_cut_marker(&self, rest: &str) -> bool {
        self.program.expected_markers.between_calls.at_start(rest, false) == StartMatch::Wait
    }

    /// The state after a call.
    pub(super) fn state_between_calls(&self) -> State {
        State::After(self.program.call_path.last_part_of_call())
    }

    /// Reads white space between calls or after the last one. After the last call, the white space
    /// that the template writes there is markup, and the rest belongs to the following text.
    fn read_space_between_calls(
        &mut self,
        rest: &str,
        (space, words): (&str, &str),
        sink: &mut impl Sink,
    ) -> Step {
        let markup = match words.as_bytes().first() {
            // The next text decides. It is not waited for at the end of the reply, after too much
            // white space, or before a call, where white space is always markup.
            None if self.is_last || space.len() > MOST_SPACE || self.opening.awaits_call => space,
            None => return Step::Wait(0),
            Some(_) if self.opening.awaits_call || self.opening.in_list => space,
            // The start of a JSON call, or text that may be markup between calls.
            Some(b'{' | b'[' | b']' | b'}' | b')' | b',' | b';') => space,
            Some(_) => {
                match self.program.expected_markers.between_calls.at_start(words, self.is_last) {
                    StartMatch::Wait => return Step::Wait(0),
                    StartMatch::Found(..) => space,
                    StartMatch::Nothing => self.template_space_after_calls(space),
                }
            }
        };
        if !markup.is_empty() {
            return self.absorb_to(markup, self.state, sink);
        }
        self.leave_calls(rest, sink)
    }

    /// The part of `space` that the template itself writes after calls.
    fn template_space_after_calls<'text>(&self, space: &'text str) -> &'text str {
        let Some(tools) = self.program.tools() else { return "" };
        let written = [&tools.section_close.after, &tools.call_close.after, &tools.separator];
        let common = written.into_iter().map(|it| split_common_start(space, it).0);
        common.max_by_key(|it| it.len()).unwrap_or_default()
    }

    /// Reads a possible separator of two calls. It is text if no other call follows.
    fn read_separator(&mut self, rest: &str, sink: &mut impl Sink) -> Step {
        let Some(after) = rest.strip_prefix([',', ';']) else {
            return self.leave_calls(rest, sink);
        };
        let (space, next) = split_ascii_space(after);
        if next.is_empty() && !self.is_last && space.len() < MOST_SPACE {
            return Step::Wait(0);
        }
        let is_call = match self.program.expected_markers.between_calls.at_start(next, self.is_last)
        {
            StartMatch::Wait => return Step::Wait(0),
            StartMatch::Found(id, _) => {
                self.program.call_path.mark(id).is_some_and(Mark::is_of_calls)
            }
            StartMatch::Nothing => self.program.json().is_some() && next.starts_with(['{', '[']),
        };
        if is_call {
            return self.absorb_to(first_character(rest), self.state, sink);
        }
        self.leave_calls(rest, sink)
    }

    /// Whether a call may begin with its name alone: in a list, or after an opener of all calls.
    fn name_follows(&self) -> bool {
        let Some(tools) = self.program.tools() else { return false };
        self.program.call_path.begins_with_name()
            && tools.call_open.is_none()
            && (self.opening.in_list || (self.opening.awaits_call && !tools.array))
    }

    /// Takes the marker `id`, which is written as `marker`, if it may be between calls.
    fn read_marker_between_calls(
        &mut self,
        id: LeafId,
        rest: &str,
        marker: &str,
        sink: &mut impl Sink,
    ) -> Step {
        // The text before the marker was not a call.
        if self.opening.is_bare() && self.opening.awaits_call && !self.raw.trim().is_empty() {
            return self.leave_calls(rest, sink);
        }
        let next = match self.program.call_path.mark(id) {
            Some(Mark::CallOpen | Mark::NamePrefix) => {
                if !self.opening.awaits_call {
                    let in_list = self.opening.in_list;
                    self.opening = Opening { in_list, ..self.opening_of_marker(id) };
                }
                self.state_after_opener(id)
            }
            Some(Mark::SectionOpen | Mark::CallClose | Mark::NamedClose) => {
                self.state_between_calls()
            }
            Some(Mark::SectionClose) if !self.opening.awaits_call => State::Text,
            _ => return self.leave_calls(rest, sink),
        };
        self.absorb_to(marker, next, sink)
    }

    /// The state after a marker that opens one call or all calls.
    pub(super) fn state_after_opener(&self, id: LeafId) -> State {
        let call_start = self.program.call_path.named_call_start();
        match (self.program.call_path.mark(id), call_start) {
            (Some(Mark::CallOpen), Some(call_start)) => State::After(call_start),
            _ => State::After(id),
        }
    }

    /// What a marker says about the call that it opens.
    pub(super) fn opening_of_marker(&self, id: LeafId) -> Opening {
        let kind = match self.program.call_path.marker(id) {
            Some(marker) if self.program.is_control(&marker.text) => OpenerKind::Control,
            Some(_) if self.program.call_path.is_markup(id) => OpenerKind::Markup,
            _ => OpenerKind::Words,
        };
        Opening { by_prompt: self.prompt.is_read, ..Opening::of_kind(kind) }
    }

    /// Returns to text.
    pub(super) fn leave_calls(&mut self, rest: &str, sink: &mut impl Sink) -> Step {
        if self.opening.awaits_call {
            return self.reject_opener(Malformation::NoCall, rest, sink);
        }
        self.opening.in_list = false;
        self.enter(State::Text)
    }

    /// Rejects an opener without a call. An opener that may be text becomes text: plain words,
    /// markup in reasoning, and an opener of the prompt, which does not belong to the reply. Any
    /// other is malformed, either up to the closer of the call, or only the opener if prose
    /// mentions it.
    pub(super) fn reject_opener(
        &mut self,
        reason: Malformation,
        rest: &str,
        sink: &mut impl Sink,
    ) -> Step {
        let is_text = match self.opening.kind {
            OpenerKind::Bare | OpenerKind::Words => true,
            _ if self.opening.by_prompt => true,
            OpenerKind::Markup => self.segment.is_reasoning,
            OpenerKind::Control => false,
        };
        if is_text {
            self.reject(sink);
            return Step::Take(0);
        }
        if self.is_after_call_token() {
            return self.drop_token(sink);
        }
        // A name that was read may be a word of prose: `may` in `<call> may be used`.
        let around_name = self.call.name_at.and_then(|at| self.raw.split_at_checked(at));
        let (opener, words) = around_name.unwrap_or((&self.raw, ""));
        let name_at = opener.len();
        let following = words.chars().chain(rest.chars());
        let closer = self.program.expected_markers.after_malformed_call.at_start(rest, false);
        match reads_like_call(opener, following) {
            // A control token in reasoning: only the token is malformed.
            _ if self.segment.is_reasoning => {}
            _ if matches!(closer, StartMatch::Found(..)) => return self.fail(reason, sink),
            _ if closer == StartMatch::Wait => return Step::Wait(0),
            Some(false) => {}
            Some(true) => return self.fail(reason, sink),
            None => return Step::Wait(0),
        }
        self.end_segment(sink);
        let words = self.raw.split_off(name_at);
        sink.malformed(&self.raw, reason);
        sink.read(Channel::Malformed, &self.raw);
        self.raw.clear();
        self.forget_call();
        self.take_text(&words, sink);
        self.enter(State::Text)
    }

    /// Whether the last text was a token that may only appear before calls ([`Mark::CallToken`]).
    pub(super) fn is_after_call_token(&self) -> bool {
        let is_token = |at| self.program.call_path.mark(at) == Some(Mark::CallToken);
        matches!(self.state, State::After(at) if is_token(at))
    }

    /// Drops a token of that kind that no call follows.
    pub(super) fn drop_token(&mut self, sink: &mut impl Sink) -> Step {
        self.end_segment(sink);
        sink.read(Channel::Markup, &self.raw);
        self.raw.clear();
        self.forget_call();
        self.enter(State::Text)
    }

    /// Reads the rest of a malformed call, up to its end.
    pub(super) fn step_recover(
        &mut self,
        rest: &str,
        reason: Malformation,
        sink: &mut impl Sink,
    ) -> Step {
        match self.program.expected_markers.after_malformed_call.search(rest, self.is_last) {
            Search::NoMarker(text) => {
                self.raw.push_str(text);
                Step::Wait(text.len())
            }
            Search::Found { before, marker, action, .. } => {
                let mark = self.program.call_path.mark(action);
                let closes =
                    matches!(mark, Some(Mark::CallClose | Mark::SectionClose | Mark::NamedClose));
                // Any other marker is not part of the call, and is read again.
                let marker = if closes { marker } else { "" };
                self.raw.push_str(before);
                self.raw.push_str(marker);
                self.end_malformed(reason, sink);
                self.state = match mark {
                    Some(Mark::CallClose | Mark::NamedClose | Mark::CallOpen) => {
                        self.state_between_calls()
                    }
                    _ => State::Text,
                };
                Step::Take(before.len() + marker.len())
            }
        }
    }

    /// Stops reading a malformed call. The rest of it is reported as one text.
    pub(super) fn fail(&mut self, reason: Malformation, sink: &mut impl Sink) -> Step {
        self.data.quotes = None;
        self.data.object.restart();
        // Without markup, nothing proves that a call was meant, so the text is content.
        if !self.call.is_open && matches!(self.opening.kind, OpenerKind::Bare | OpenerKind::Words) {
            self.reject(sink);
            return Step::Take(0);
        }
        if !self.call.is_open {
            // Nothing was reported yet, but the opener ends the segment.
            self.end_segment(sink);
        }
        self.enter(State::Recover(reason))
    }

    /// Reads the object at the start of the text as a call.
    fn enter_object(&mut self) -> Step {
        let Some(object) = self.program.call_path.find_slot(|slot| matches!(slot, Slot::Object(_)))
        else {
            return self.enter(State::Text);
        };
        if !self.opening.awaits_call {
            let kind = if self.opening.is_bare() { OpenerKind::Bare } else { OpenerKind::Words };
            self.opening = Opening { in_list: self.opening.in_list, ..Opening::of_kind(kind) };
        }
        self.data.object.restart();
        self.enter(State::In(object))
    }
}

/// Whether the text after an opener reads like a damaged call instead of prose that mentions the
/// opener. `None` if more text decides.
fn reads_like_call(opener: &str, mut characters: impl Iterator<Item = char>) -> Option<bool> {
    let is_adjacent = !opener.ends_with(char::is_whitespace);
    match characters.next()? {
        // `<call>{`
        '{' | '[' | '(' => Some(true),
        // `<call><f=`, but not `<b>the <call></b>`
        '<' => characters.next().map(|next| next != '/'),
        // `<call>"time"` or `<call>:time`, but not `"<call>" is` or `<call>: an opener`
        '"' | '\'' => characters.next().map(char::is_alphanumeric),
        ':' if is_adjacent => characters.next().map(char::is_alphanumeric),
        // `<call>time`, but not `<call> is`
        next => Some(is_adjacent && next.is_alphanumeric()),
    }
}
