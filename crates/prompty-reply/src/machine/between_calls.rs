//! Between two calls, behind the opener of one, and the rest of a malformed one.

use super::call_state::{Opening, Sign};
use super::markers::{
    AtStart, LONGEST_NAME, Search, split_ascii_space, split_common_start, split_white_space,
};
use super::{Machine, State, Step, first_character};
use crate::event::{Channel, Malformation};
use crate::format::Arguments;
use crate::layout::{LeafId, Mark, Slot};
use crate::sink::Sink;

/// How much white space may follow a separator.
const MOST_SPACE: usize = 64;

impl Machine<'_> {
    /// Reads what stands between calls.
    pub(super) fn step_between_calls(
        &mut self,
        at: LeafId,
        rest: &str,
        last: bool,
        sink: &mut impl Sink,
    ) -> Step {
        if self.call.is_whole {
            match self.goes_on(rest, last) {
                AtStart::Wait => return Step::Wait(0),
                AtStart::Found((), _) => return self.fail(Malformation::WrongArguments, sink),
                AtStart::Nothing => self.end_call(sink),
            }
            return Step::Take(0);
        }
        let (space, words) = split_ascii_space(rest);
        let is_head = self.program.ways.mark(at) == Some(Mark::CallOpen);
        match rest.as_bytes().first() {
            _ if !space.is_empty() && is_head => return self.absorb_to(space, self.state, sink),
            _ if !space.is_empty() => {
                return self.space_between_calls(rest, (space, words), last, sink);
            }
            Some(b'{') if is_head => return self.enter_object(),
            // Nothing but a call stands behind its own opener.
            Some(byte) if is_head && (*byte != b'[' || self.opening.in_list) => {
                return self.no_call(Malformation::NoCall, rest, sink);
            }
            _ => {}
        }
        match self.program.watched.between_calls.at_start(rest, last) {
            AtStart::Wait if !is_head => return Step::Wait(0),
            AtStart::Found(id, marker) if !is_head => {
                return self.marker_between_calls(id, rest, marker, sink);
            }
            // The end cut a marker off.
            _ if last && rest.len() > 1 && self.is_cut_marker(rest) => {
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
                self.absorb_to(first_character(rest), self.between_calls(), sink)
            }
            Some(b']') if self.opening.in_list => {
                self.opening.in_list = false;
                self.absorb_to(first_character(rest), self.state, sink)
            }
            Some(b',' | b';') if self.opening.in_list => {
                self.absorb_to(first_character(rest), self.state, sink)
            }
            Some(b',' | b';') if !self.opening.awaits_call => self.separator(rest, last, sink),
            // One brace or bracket too many.
            Some(b'}' | b']' | b')') if !self.opening.awaits_call => {
                self.absorb_to(first_character(rest), self.state, sink)
            }
            Some(byte) if self.name_follows() && (byte.is_ascii_alphabetic() || *byte == b'_') => {
                self.opening.awaits_call = true;
                self.walk()
            }
            _ => self.leave_calls(rest, sink),
        }
    }

    /// Whether what follows a call are more arguments of it: a bracket too many closed them.
    fn goes_on(&self, rest: &str, last: bool) -> AtStart<'static, ()> {
        let may_wait = !last && rest.len() <= LONGEST_NAME;
        let wait = if may_wait { AtStart::Wait } else { AtStart::Nothing };
        let (_, behind) = split_ascii_space(rest);
        if self.opening.in_list {
            return AtStart::Nothing;
        }
        if behind.is_empty() {
            return wait;
        }
        // The body of a message holds nothing behind the call.
        if self.program.format.headers.is_some() {
            return match self.program.watched.between_calls.at_start(behind, last) {
                AtStart::Found(..) => AtStart::Nothing,
                AtStart::Wait => AtStart::Wait,
                AtStart::Nothing => AtStart::Found((), ""),
            };
        }
        let next = match behind.strip_prefix(',').map(str::trim_ascii_start) {
            Some("") => return wait,
            Some(next) => next,
            None => return AtStart::Nothing,
        };
        let is_key = match self.program.notation() {
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
        if is_key { AtStart::Found((), "") } else { AtStart::Nothing }
    }

    fn is_cut_marker(&self, rest: &str) -> bool {
        self.program.watched.between_calls.at_start(rest, false) == AtStart::Wait
    }

    /// The place behind a call.
    pub(super) fn between_calls(&self) -> State {
        State::Behind(self.program.ways.behind_call())
    }

    /// Reads white space between calls, or behind the last one. There it belongs to the text that follows,
    /// but for what the template itself writes behind calls.
    fn space_between_calls(
        &mut self,
        rest: &str,
        (space, words): (&str, &str),
        last: bool,
        sink: &mut impl Sink,
    ) -> Step {
        let markup = match words.as_bytes().first() {
            None if last || space.len() > MOST_SPACE || self.opening.awaits_call => space,
            None => return Step::Wait(0),
            Some(_) if self.opening.awaits_call || self.opening.in_list => space,
            Some(b'{' | b'[' | b']' | b'}' | b')' | b',' | b';') => space,
            Some(_) => match self.program.watched.between_calls.at_start(words, last) {
                AtStart::Wait => return Step::Wait(0),
                AtStart::Found(..) => space,
                AtStart::Nothing => self.space_behind_calls(space),
            },
        };
        if !markup.is_empty() {
            return self.absorb_to(markup, self.state, sink);
        }
        self.leave_calls(rest, sink)
    }

    /// The part of some white space that the template itself writes behind calls.
    fn space_behind_calls<'text>(&self, space: &'text str) -> &'text str {
        let Some(tools) = self.program.tools() else { return "" };
        let written = [&tools.section_close.after, &tools.call_close.after, &tools.separator];
        let common = written.into_iter().map(|it| split_common_start(space, it).0);
        common.max_by_key(|it| it.len()).unwrap_or_default()
    }

    /// Reads what may separate two calls. It is text where no other call follows.
    fn separator(&mut self, rest: &str, last: bool, sink: &mut impl Sink) -> Step {
        let Some(behind) = rest.strip_prefix([',', ';']) else {
            return self.leave_calls(rest, sink);
        };
        let (space, next) = split_ascii_space(behind);
        if next.is_empty() && !last && space.len() < MOST_SPACE {
            return Step::Wait(0);
        }
        let is_call = match self.program.watched.between_calls.at_start(next, last) {
            AtStart::Wait => return Step::Wait(0),
            AtStart::Found(id, _) => self.program.ways.mark(id).is_some_and(Mark::is_of_calls),
            AtStart::Nothing => self.program.json().is_some() && next.starts_with(['{', '[']),
        };
        if is_call {
            return self.absorb_to(first_character(rest), self.state, sink);
        }
        self.leave_calls(rest, sink)
    }

    /// Whether a call may begin with nothing but its name.
    fn name_follows(&self) -> bool {
        let Some(tools) = self.program.tools() else { return false };
        self.program.ways.begins_with_name()
            && tools.call_open.is_none()
            && (self.opening.in_list || (self.opening.awaits_call && !tools.array))
    }

    fn marker_between_calls(
        &mut self,
        id: LeafId,
        rest: &str,
        marker: &str,
        sink: &mut impl Sink,
    ) -> Step {
        // What came before was no call.
        let is_blank = |text: &str| split_white_space(text).1.is_empty();
        if self.opening.is_bare() && self.opening.awaits_call && !is_blank(&self.raw) {
            return self.leave_calls(rest, sink);
        }
        let next = match self.program.ways.mark(id) {
            Some(Mark::CallOpen | Mark::NamePrefix) => {
                if !self.opening.awaits_call {
                    let in_list = self.opening.in_list;
                    self.opening = Opening { in_list, ..self.opened_by(id) };
                }
                self.behind_opener(id)
            }
            Some(Mark::SectionOpen | Mark::CallClose | Mark::NamedClose) => self.between_calls(),
            Some(Mark::SectionClose) if !self.opening.awaits_call => State::Text,
            _ => return self.leave_calls(rest, sink),
        };
        self.absorb_to(marker, next, sink)
    }

    /// The place behind a marker that opens calls, or one.
    pub(super) fn behind_opener(&self, id: LeafId) -> State {
        let front = self.program.ways.front();
        match (self.program.ways.mark(id), front) {
            (Some(Mark::CallOpen), Some(front)) => State::Behind(front),
            _ => State::Behind(id),
        }
    }

    /// What a marker says of the call that it opens.
    pub(super) fn opened_by(&self, id: LeafId) -> Opening {
        let sign = match self.program.ways.marker(id) {
            Some(marker) if self.program.is_control(&marker.text) => Sign::Control,
            Some(_) if self.program.ways.is_markup(id) => Sign::Markup,
            _ => Sign::Words,
        };
        Opening { by_prompt: self.prompt.is_read, ..Opening::of_sign(sign) }
    }

    /// Goes back to text.
    pub(super) fn leave_calls(&mut self, rest: &str, sink: &mut impl Sink) -> Step {
        if self.opening.awaits_call {
            return self.no_call(Malformation::NoCall, rest, sink);
        }
        self.opening.in_list = false;
        self.enter(State::Text)
    }

    /// Gives up what has only an opener. Where it is markup, it is malformed, up to what closes the call; or
    /// alone, where prose talks of it. Reasoning may talk of markup, and an opener of the prompt is not the
    /// reply's.
    pub(super) fn no_call(
        &mut self,
        reason: Malformation,
        rest: &str,
        sink: &mut impl Sink,
    ) -> Step {
        let is_text = match self.opening.sign {
            Sign::Bare | Sign::Words => true,
            _ if self.opening.by_prompt => true,
            Sign::Markup => self.segment.is_reasoning,
            Sign::Control => false,
        };
        if is_text {
            self.reject(sink);
            return Step::Take(0);
        }
        if self.is_behind_token() {
            return self.drop_token(sink);
        }
        // A name that was read may be a word of prose.
        let around_name = self.call.name_at.and_then(|at| self.raw.split_at_checked(at));
        let (opener, words) = around_name.unwrap_or((&self.raw, ""));
        let name_at = opener.len();
        let following = words.chars().chain(rest.chars());
        let is_closed = self.program.watched.behind_broken.at_start(rest, false);
        match reads_like_call(opener, following) {
            _ if self.segment.is_reasoning => {}
            _ if matches!(is_closed, AtStart::Found(..)) => return self.fail(reason, sink),
            _ if is_closed == AtStart::Wait => return Step::Wait(0),
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
        self.text(&words, sink);
        self.enter(State::Text)
    }

    /// Whether a token was read that may stand in front of calls, and nothing else.
    pub(super) fn is_behind_token(&self) -> bool {
        let is_token = |at| self.program.ways.mark(at) == Some(Mark::CallToken);
        matches!(self.state, State::Behind(at) if is_token(at))
    }

    /// Drops a token that may stand in front of calls, and stands in front of none.
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
        last: bool,
        reason: Malformation,
        sink: &mut impl Sink,
    ) -> Step {
        match self.program.watched.behind_broken.search(rest, last) {
            Search::Sure(text) => {
                self.raw.push_str(text);
                Step::Wait(text.len())
            }
            Search::Found { before, marker, action, .. } => {
                let mark = self.program.ways.mark(action);
                let closes =
                    matches!(mark, Some(Mark::CallClose | Mark::SectionClose | Mark::NamedClose));
                let marker = if closes { marker } else { "" };
                self.raw.push_str(before);
                self.raw.push_str(marker);
                self.end_malformed(reason, sink);
                self.state = match mark {
                    Some(Mark::CallClose | Mark::NamedClose | Mark::CallOpen) => {
                        self.between_calls()
                    }
                    _ => State::Text,
                };
                Step::Take(before.len() + marker.len())
            }
        }
    }

    /// Gives up a malformed call. The rest of it is read as one text.
    pub(super) fn fail(&mut self, reason: Malformation, sink: &mut impl Sink) -> Step {
        self.data.quotes = None;
        self.data.object.restart();
        if !self.call.is_open() && matches!(self.opening.sign, Sign::Bare | Sign::Words) {
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
        let Some(object) = self.program.ways.slot_like(|slot| matches!(slot, Slot::Object(_)))
        else {
            return self.enter(State::Text);
        };
        if !self.opening.awaits_call {
            let sign = if self.opening.is_bare() { Sign::Bare } else { Sign::Words };
            self.opening = Opening { in_list: self.opening.in_list, ..Opening::of_sign(sign) };
        }
        self.data.object.restart();
        self.enter(State::In(object))
    }
}

/// Whether what stands behind an opener reads like a damaged call, and not like prose that talks of the opener;
/// nothing where more text decides.
fn reads_like_call(opener: &str, mut letters: impl Iterator<Item = char>) -> Option<bool> {
    let is_close = !opener.ends_with(char::is_whitespace);

    match letters.next()? {
        '{' | '[' | '(' => Some(true),
        '<' => letters.next().map(|next| next != '/'),
        quote @ ('"' | '\'' | ':') if is_close || quote != ':' => {
            letters.next().map(char::is_alphanumeric)
        }
        next => Some(is_close && next.is_alphanumeric()),
    }
}
