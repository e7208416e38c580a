//! The call that is being read: its events, and its end.

use super::segment::SegmentOpener;
use super::{Machine, State};
use crate::event::{Channel, Malformation};
use crate::format::NamePlace;
use crate::sink::Sink;
use prompty_core::schema::Schema;
use prompty_core::work::add_steps;

impl Machine<'_> {
    /// Begins the call whose name was read.
    pub(super) fn begin_call(&mut self, sink: &mut impl Sink) {
        self.opening.awaits_call = false;
        self.end_segment(sink);
        // The text after the call is a new segment.
        self.start_segment(false, SegmentOpener::None);
        let call = &mut self.call;
        call.is_open = true;
        let known = self.program.is_known(&call.name);
        sink.event(call.started_event(known));
        if !call.early.is_empty() {
            sink.arguments(call.index, &call.early);
            call.early.clear();
        }
    }

    /// Sets the name of the call, without its namespace.
    pub(super) fn set_name(&mut self, written: &str) {
        let place = self.program.named().map(|call| call.name);
        if place == Some(NamePlace::Id) {
            self.call.id = written.to_owned();
            self.call.name = self.name_in_id(written).to_owned();
            return;
        }
        let namespace = match place {
            Some(NamePlace::Header) => {
                self.program.format.headers.as_ref().map(|it| &*it.namespace)
            }
            _ => self.program.named().map(|call| &*call.namespace),
        };
        // `get_weather` for `functions.get_weather`, unless a tool has the long name.
        let short = namespace.and_then(|namespace| written.strip_prefix(namespace));
        let name = match short {
            Some(short) if !short.is_empty() && self.program.tool(written).is_none() => short,
            _ => written,
        };
        name.clone_into(&mut self.call.name);
    }

    /// Extracts the name from an id such as `functions.get_weather:0`. The count is removed. The
    /// namespace is removed, too, unless the name of a tool contains it.
    fn name_in_id<'id>(&self, id: &'id str) -> &'id str {
        let counted = id.rsplit_once(':');
        let name = match counted {
            Some((name, count)) if count.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => id,
        };
        if self.program.tool(name).is_some() {
            return name;
        }
        // Of `a.b.c`, try `b.c`, then `c`.
        let mut rest = name;
        while let Some((_, after)) = rest.split_once('.') {
            if self.program.tool(after).is_some() {
                return after;
            }
            rest = after;
        }
        name.split_once('.').map_or(name, |(_, after)| after)
    }

    /// Ends the call, whose arguments are complete.
    pub(super) fn end_call(&mut self, sink: &mut impl Sink) {
        let call = &self.call;
        sink.event(call.ended_event(true));
        self.close_call(Channel::Call, sink);
        if self.program.options.stop_at_first_call {
            self.state = State::Stopped;
        }
    }

    /// Ends a call without arguments. It is complete if the tool requires no arguments.
    pub(super) fn end_call_without_arguments(&mut self, sink: &mut impl Sink) {
        let tool = self.program.tool(&self.call.name);
        let needs_arguments =
            tool.is_some_and(|tool| Schema::from_map(&tool.parameters).requires_some_name());
        if needs_arguments {
            self.end_malformed(Malformation::NoArguments, sink);
        } else {
            self.call.push_arguments("{}", sink);
            self.end_call(sink);
        }
    }

    /// Ends a call that is malformed or incomplete.
    pub(super) fn end_malformed(&mut self, reason: Malformation, sink: &mut impl Sink) {
        if self.call.is_open {
            sink.event(self.call.ended_event(false));
        }
        if !self.raw.is_empty() {
            sink.malformed(&self.raw, reason);
        }
        self.close_call(Channel::Malformed, sink);
    }

    /// Returns to text: all text since the opener is not a call. White space at its end waits,
    /// because it may belong to a marker that follows.
    pub(super) fn reject(&mut self, sink: &mut impl Sink) {
        self.forget_call();
        self.state = State::Text;
        let mut raw = std::mem::take(&mut self.raw);
        add_steps(raw.len());
        let words = raw.trim_ascii_end();
        self.take_text(words, sink);
        let end_of_words = words.len();
        self.segment.trailing_space.push_str(raw.drain(end_of_words..).as_str());
        // Reuse the allocation: in a complete reply it is as large as the rest of the reply.
        raw.clear();
        self.raw = raw;
    }

    /// Discards the state of a text that is not a call.
    pub(super) fn forget_call(&mut self) {
        self.opening.awaits_call = false;
        self.opening.in_list = false;
        self.call.reset();
    }

    /// Reports the text of the call on a channel, and resets the state for the next call.
    fn close_call(&mut self, channel: Channel, sink: &mut impl Sink) {
        if !self.raw.is_empty() {
            sink.read(channel, &self.raw);
            self.raw.clear();
        }
        let was_reported = self.call.is_open;
        self.call.reset();
        self.opening.awaits_call = false;
        self.call.index += usize::from(was_reported);
    }
}
