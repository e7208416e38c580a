//! The end of a reply: what is decided when no more text comes.

use super::call_state::Sign;
use super::ways::Stretch;
use super::{Machine, State};
use crate::event::{Channel, FinishReason, Malformation};
use crate::sink::Sink;

impl Machine<'_> {
    /// Ends the reply. A part that its delimiter ended is complete; nothing is invented, and no markup
    /// becomes content.
    pub(crate) fn finish(&mut self, reason: FinishReason, sink: &mut impl Sink) {
        let held = std::mem::take(&mut self.held);
        let rest = self.run(&held, true, sink);
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
                self.text(rest, sink);
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

    fn finish_call(&mut self, rest: &str, reason: FinishReason, sink: &mut impl Sink) {
        let was_read = rest.is_empty();
        self.absorb(rest, sink);
        // A name without arguments, where the model ended the reply itself.
        let is_name = was_read && self.stretch() == Some(Stretch::Name) && self.is_named(reason);
        if is_name && matches!(reason, FinishReason::End | FinishReason::Stop) {
            if !self.call.is_open() {
                self.begin_call(sink);
            }
            return self.end_call_without_arguments(sink);
        }
        if self.call.is_open() {
            if self.is_whole(reason) && was_read {
                return self.finish_whole(sink);
            }
            let malformation = match self.state {
                State::Recover(malformation) => malformation,
                _ => Malformation::CutOff,
            };
            return self.end_malformed(malformation, sink);
        }
        if !self.opening.awaits_call && !matches!(self.state, State::Recover(_)) {
            return self.end_segment(sink);
        }
        if self.is_behind_token() {
            self.drop_token(sink);
            return self.end_segment(sink);
        }
        // A bracket alone is no sign of a call.
        let begins_nothing = self.raw.trim().len() < 2 && self.opening.sign != Sign::Control;
        if begins_nothing || (self.is_bare_text() && reason != FinishReason::Length) {
            self.reject(sink);
            return self.end_segment(sink);
        }
        self.end_segment(sink);
        let malformation = match self.state {
            State::Recover(malformation) => malformation,
            _ => Malformation::CutOff,
        };
        self.end_malformed(malformation, sink);
    }

    /// Whether there is no marker and no key yet that says that this is a call.
    fn is_bare_text(&self) -> bool {
        let object = &self.data.object;
        let has_field = self.is_in_object() && object.has_field() && self.data.quotes.is_none();
        self.opening.is_bare() && !has_field
    }

    /// Whether a call is read that is an object.
    fn is_in_object(&self) -> bool {
        matches!(self.state, State::In(_)) && self.data.object.is_open()
    }

    /// Whether a name may be all of a call: more was read than the name, where the template writes more; a stop
    /// string was that; or a tool that is offered has the name, which follows the opener as the template writes it.
    fn is_named(&self, reason: FinishReason) -> bool {
        let ways = &self.program.ways;
        let is_more = |at| ways.slot(at).is_none() || ways.first_bytes_behind(at).is_empty();
        let opener = self.call.name_at.and_then(|at| self.raw.get(..at));
        let is_apart = opener.is_some_and(|opener| opener.ends_with(char::is_whitespace));
        let is_close = !is_apart || ways.opens_with_space();
        reason == FinishReason::Stop
            || matches!(self.state, State::Behind(at) if is_more(at))
            || (is_close && self.program.tool(&self.call.name).is_some())
    }

    /// The stretch of the call behind whose part the reply ended.
    fn stretch(&self) -> Option<Stretch> {
        match self.state {
            State::Behind(at) => Some(self.program.ways.stretch(at)),
            _ => None,
        }
    }

    /// Whether a call is complete except for its closing delimiters.
    fn is_whole(&self, reason: FinishReason) -> bool {
        match self.state {
            State::Behind(_) if !self.has_tags() => self.call.has_arguments,
            State::Behind(_) => {
                reason == FinishReason::Stop && self.stretch() == Some(Stretch::Arguments)
            }
            _ if self.is_in_object() => reason == FinishReason::Stop && self.call.has_arguments,
            _ => false,
        }
    }

    fn finish_whole(&mut self, sink: &mut impl Sink) {
        match self.state {
            State::Behind(_) => self.end_named(sink),
            _ => {
                self.call.mended = true;
                self.end_call(sink);
            }
        }
    }
}
