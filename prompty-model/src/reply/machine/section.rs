//! Between two calls, behind the opener of one, and the rest of a malformed one.

use super::markers::{AtStart, Search, common_start, leading_white_space};
use super::program::Action;
use super::{Machine, State, Step, leading_ascii_space};
use crate::reply::event::Malformation;
use crate::reply::format::{CallShape, NamePlace};
use crate::reply::layout::Mark;
use crate::reply::sink::Sink;
use prompty_core::text::slice;

/// How much white space may follow a separator.
const MOST_SPACE: usize = 64;

impl Machine<'_> {
    /// Reads what stands between calls.
    pub(super) fn step_section(&mut self, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        let space = leading_ascii_space(rest);
        if space > 0 {
            return self.space_in_section(rest, space, last, sink);
        }
        match self.program.call_markers.at_start(rest, last) {
            AtStart::Wait => return Step::Wait(0),
            AtStart::Found(action, length) => {
                return self.section_marker(action, rest, length, sink);
            }
            AtStart::Nothing => {}
        }
        let Some(tools) = self.program.tools() else { return self.leave_section(sink) };
        let is_json = matches!(tools.shape, CallShape::Json(_));
        match rest.as_bytes().first() {
            Some(b'{') if is_json => self.enter_object(),
            Some(b'[') if (is_json || tools.array) && !self.in_list => {
                self.in_list = true;
                self.absorb_to(rest, 1, State::Section, sink)
            }
            Some(b']') if self.in_list => {
                self.in_list = false;
                self.absorb_to(rest, 1, State::Section, sink)
            }
            Some(b',' | b';') if self.in_list => self.absorb_to(rest, 1, State::Section, sink),
            Some(b',' | b';') if !self.awaits_call => self.separator(rest, last, sink),
            // One brace or bracket too many.
            Some(b'}' | b']' | b')') if !self.awaits_call => {
                self.absorb_to(rest, 1, State::Section, sink)
            }
            Some(byte) if self.name_follows() && (byte.is_ascii_alphabetic() || *byte == b'_') => {
                self.walk()
            }
            _ => self.leave_section(sink),
        }
    }

    /// Reads white space between calls, or behind the last one. There it belongs to the text that follows,
    /// but for what the template itself writes behind calls.
    fn space_in_section(
        &mut self,
        rest: &str,
        space: usize,
        last: bool,
        sink: &mut impl Sink,
    ) -> Step {
        let (blank, behind) = rest.split_at_checked(space).unwrap_or((rest, ""));
        let markup = match behind.as_bytes().first() {
            None if last || space > MOST_SPACE || self.awaits_call => space,
            None => return Step::Wait(0),
            Some(_) if self.awaits_call || self.in_list => space,
            Some(b'{' | b'[' | b']' | b'}' | b')' | b',' | b';') => space,
            Some(_) => match self.program.call_markers.at_start(behind, last) {
                AtStart::Wait => return Step::Wait(0),
                AtStart::Found(..) => space,
                AtStart::Nothing => self.space_behind_calls(blank),
            },
        };
        if markup > 0 {
            return self.absorb_to(rest, markup, State::Section, sink);
        }
        self.leave_section(sink)
    }

    /// How much of some white space the template itself writes behind calls.
    fn space_behind_calls(&self, blank: &str) -> usize {
        let Some(tools) = self.program.tools() else { return 0 };
        let written = [&tools.section_close.after, &tools.call_close.after, &tools.separator];
        written.into_iter().map(|it| common_start(blank, it)).max().unwrap_or_default()
    }

    /// Reads what may separate two calls. It is text where no other call follows.
    fn separator(&mut self, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        let behind = slice(rest, 1..);
        let next = slice(behind, leading_ascii_space(behind)..);
        if next.is_empty() && !last && behind.len() < MOST_SPACE {
            return Step::Wait(0);
        }
        let is_call = match self.program.call_markers.at_start(next, last) {
            AtStart::Wait => return Step::Wait(0),
            AtStart::Found(Action::OpenCall | Action::OpenName | Action::OpenSection, _) => true,
            AtStart::Found(Action::CloseCall | Action::CloseNamed | Action::CloseSection, _) => {
                true
            }
            AtStart::Found(..) => false,
            AtStart::Nothing => self.program.json().is_some() && next.starts_with(['{', '[']),
        };
        if is_call {
            return self.absorb_to(rest, 1, State::Section, sink);
        }
        self.leave_section(sink)
    }

    /// Whether a call may begin with nothing but its name.
    fn name_follows(&self) -> bool {
        let (Some(tools), Some(call)) = (self.program.tools(), self.program.named()) else {
            return false;
        };
        call.prefix.is_none()
            && call.name != NamePlace::Header
            && tools.call_open.is_none()
            && (self.in_list || (self.awaits_call && !tools.array))
    }

    fn section_marker(
        &mut self,
        action: Action,
        rest: &str,
        length: usize,
        sink: &mut impl Sink,
    ) -> Step {
        // What came before was no call.
        let is_blank = |text: &str| leading_white_space(text) == text.len();
        if self.is_bare && self.awaits_call && !is_blank(&self.raw) {
            return self.leave_section(sink);
        }
        let next = match action {
            Action::OpenCall => {
                self.open_next(rest, length);
                State::CallHead
            }
            Action::OpenName => {
                self.open_next(rest, length);
                self.program.ways.named_by(Mark::NamePrefix).map_or(State::Section, State::Behind)
            }
            Action::OpenSection | Action::CloseCall | Action::CloseNamed => State::Section,
            Action::CloseSection if !self.awaits_call => State::Text,
            _ => return self.leave_section(sink),
        };
        self.absorb_to(rest, length, next, sink)
    }

    /// Remembers the opener of a call behind another one.
    fn open_next(&mut self, rest: &str, length: usize) {
        if !self.awaits_call {
            let mark = slice(rest, ..length);
            self.opener_is_control = self.program.is_control(mark);
            self.awaits_call = true;
        }
    }

    /// Goes back to text. An opener without a call was text, too.
    pub(super) fn leave_section(&mut self, sink: &mut impl Sink) -> Step {
        self.in_list = false;
        if self.awaits_call {
            self.reject(sink);
        }
        self.enter(State::Text)
    }

    /// Reads what stands between a call's opener and its name.
    pub(super) fn step_call_head(&mut self, rest: &str, sink: &mut impl Sink) -> Step {
        if self.program.named().is_some() {
            return self.walk();
        }
        let space = leading_ascii_space(rest);
        if space > 0 {
            return self.absorb_to(rest, space, State::CallHead, sink);
        }
        match rest.as_bytes().first() {
            Some(b'{') => self.enter_object(),
            Some(b'[') if !self.in_list => self.enter(State::Section),
            _ => self.leave_section(sink),
        }
    }

    /// Reads the rest of a malformed call, up to its end.
    pub(super) fn step_recover(
        &mut self,
        rest: &str,
        last: bool,
        reason: Malformation,
        sink: &mut impl Sink,
    ) -> Step {
        match self.program.recovery_markers.search(rest, last) {
            Search::Sure(end) => {
                self.raw.push_str(slice(rest, ..end));
                Step::Wait(end)
            }
            Search::Found { start, end, action } => {
                let closes =
                    matches!(action, Action::CloseCall | Action::CloseSection | Action::CloseNamed);
                let end = if closes { end } else { start };
                self.raw.push_str(slice(rest, ..end));
                self.end_malformed(reason, sink);
                self.state = match action {
                    Action::CloseCall | Action::CloseNamed | Action::OpenCall => State::Section,
                    _ => State::Text,
                };
                Step::Take(end)
            }
        }
    }

    /// Gives up a malformed call. The rest of it is read as one text.
    pub(super) fn fail(&mut self, reason: Malformation, sink: &mut impl Sink) -> Step {
        if !self.call.is_open() && self.is_bare {
            self.reject(sink);
            return Step::Take(0);
        }
        if !self.call.is_open() {
            // Nothing was reported yet, but the opener ends the segment.
            self.end_segment(sink);
        }
        self.enter(State::Recover(reason))
    }

    /// Reads the object at the text's start as a call.
    fn enter_object(&mut self) -> Step {
        if !self.awaits_call {
            self.awaits_call = true;
            self.opener_is_control = false;
        }
        self.object.restart();
        self.enter(State::CallObject)
    }
}
