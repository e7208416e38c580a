//! The end of a reply: the decisions that need to know that no more text follows.

use super::call_path::CallStage;
use super::call_state::OpenerKind;
use super::{Machine, State};
use crate::event::{Channel, FinishReason, Malformation};
use crate::sink::Sink;

impl Machine<'_> {
    /// Ends the reply. A part that its delimiter ended is complete. Nothing is invented, and no
    /// markup becomes content.
    pub(crate) fn finish(&mut self, reason: FinishReason, sink: &mut impl Sink) {
        self.is_last = true;
        let held = std::mem::take(&mut self.held);
        let rest = self.run(&held, sink);
        if self.prompt.bytes_left == 0 {
            self.finish_state(rest, reason, sink);
        } else {
            self.run_without_prompt(sink, |machine, sink| machine.finish_state(rest, reason, sink));
        }
        self.state = State::Stopped;
    }

    fn finish_state(&mut self, rest: &str, reason: FinishReason, sink: &mut impl Sink) {
        match self.state {
            State::Text => {
                self.report_trailing_space(sink);
                self.take_text(rest, sink);
                self.end_segment(sink);
            }
            _ if self.is_in_header() => {
                self.end_header(rest, sink);
                self.end_segment(sink);
            }
            State::Stopped => sink.read(Channel::Markup, rest),
            _ => self.finish_call(rest, reason, sink),
        }
    }

    /// Ends a call, or text that may be one. `rest` is the text that no state could take.
    fn finish_call(&mut self, rest: &str, reason: FinishReason, sink: &mut impl Sink) {
        let is_all_taken = rest.is_empty();
        self.absorb(rest, sink);
        // A name without arguments is a call if the model ended the reply itself.
        let ends_after_name =
            is_all_taken && self.stage() == Some(CallStage::Name) && self.is_name_only_call(reason);
        if ends_after_name && matches!(reason, FinishReason::End | FinishReason::Stop) {
            if !self.call.is_open {
                self.begin_call(sink);
            }
            return self.end_call_without_arguments(sink);
        }
        let malformation = match self.state {
            State::Recover(malformation) => malformation,
            _ => Malformation::CutOff,
        };
        // The call was already reported. It is complete if only closing delimiters are missing.
        if self.call.is_open {
            if !self.is_call_complete(reason) || !is_all_taken {
                return self.end_malformed(malformation, sink);
            }
            if matches!(self.state, State::After(_)) {
                return self.end_named_call(sink);
            }
            self.call.repaired = true;
            return self.end_call(sink);
        }
        // The reply ended after a call, and nothing is open.
        if !self.opening.awaits_call && !matches!(self.state, State::Recover(_)) {
            return self.end_segment(sink);
        }
        if self.is_after_call_token() {
            self.drop_token(sink);
            return self.end_segment(sink);
        }
        // A single character, such as `[`, does not announce a call.
        let is_too_short = self.raw.trim().len() < 2 && self.opening.kind != OpenerKind::Control;
        if is_too_short || (self.is_bare_text() && reason != FinishReason::Length) {
            self.reject(sink);
            return self.end_segment(sink);
        }
        self.end_segment(sink);
        self.end_malformed(malformation, sink);
    }

    /// Whether no marker and no key so far shows that this is a call: `{"a": 1`.
    fn is_bare_text(&self) -> bool {
        let object = &self.data.object;
        let has_field = self.is_in_object() && object.has_field() && self.data.quotes.is_none();
        self.opening.is_bare() && !has_field
    }

    /// Whether the call that is being read is an object.
    fn is_in_object(&self) -> bool {
        matches!(self.state, State::In(_)) && self.data.object.is_open()
    }

    /// Whether a name may be a complete call. Either more than the name was read and the template
    /// writes more; or a stop string was the rest; or an offered tool has the name, and the name
    /// follows the opener as the template writes it.
    fn is_name_only_call(&self, reason: FinishReason) -> bool {
        let call_path = &self.program.call_path;
        let has_more =
            |at| call_path.slot(at).is_none() || call_path.first_bytes_after(at).is_empty();
        let opener = self.call.name_at.and_then(|at| self.raw.get(..at));
        let has_space_before = opener.is_some_and(|opener| opener.ends_with(char::is_whitespace));
        let is_adjacent = !has_space_before || call_path.opens_with_space();
        reason == FinishReason::Stop
            || matches!(self.state, State::After(at) if has_more(at))
            || (is_adjacent && self.program.tool(&self.call.name).is_some())
    }

    /// The stage of the call at which the reply ended.
    fn stage(&self) -> Option<CallStage> {
        match self.state {
            State::After(at) => Some(self.program.call_path.stage(at)),
            _ => None,
        }
    }

    /// Whether a call is complete except for its closing delimiters. Arguments in tags and objects
    /// could have more entries, so there only a stop string shows that nothing else was to follow.
    fn is_call_complete(&self, reason: FinishReason) -> bool {
        match self.state {
            State::After(_) if !self.has_tags() => self.call.has_arguments,
            State::After(_) => {
                reason == FinishReason::Stop && self.stage() == Some(CallStage::Arguments)
            }
            _ if self.is_in_object() => reason == FinishReason::Stop && self.call.has_arguments,
            _ => false,
        }
    }
}
