//! What may stand on a line of the output, as far as it matters for a role marker, and what a part of a
//! template does to that.
//!
//! A template writes a line on many ways: with this branch or that one, in the first round of a loop or in the
//! next. So a line is in a set of states, and a part of the template takes each state to a set of states. Parts
//! are put together without looking at them again, so the work is that of reading the template once.

use prompty_core::message::marker_line::{match_line, parse_role};

/// What stands on a line so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum State {
    /// Nothing but white space.
    Empty,
    /// One `#`, as it may stand before a role.
    Hash,
    /// A role that opens no message, and nothing else.
    Role,
    /// Such a role, and attributes whose bracket is open.
    Attributes,
    /// Such a role and a colon: if the line ends here, it looks like a marker.
    Colon,
    /// Anything else.
    Other,
}

impl State {
    const ALL: [Self; 6] =
        [Self::Empty, Self::Hash, Self::Role, Self::Attributes, Self::Colon, Self::Other];

    /// The state after a piece of a line. `is_marker` is asked whether a role in the piece belongs to a
    /// marker of the author's, which opens its message.
    pub(super) fn after_text(self, piece: &str, is_marker: impl Fn() -> bool) -> Self {
        let text = piece.trim();
        if text.is_empty() {
            return self;
        }
        match self {
            Self::Empty => match text.strip_prefix('#').map(str::trim_start) {
                Some("") => Self::Hash,
                Some(rest) => behind_hash(rest, is_marker),
                None => behind_hash(text, is_marker),
            },
            Self::Hash => behind_hash(text, is_marker),
            Self::Role => behind_role(text),
            Self::Attributes => in_attributes(text),
            Self::Colon | Self::Other => Self::Other,
        }
    }

    /// The state after a role that is printed.
    pub(super) fn after_role(self) -> Self {
        if self.may_begin_role() { Self::Role } else { self.after_value() }
    }

    /// The state after another value.
    pub(super) fn after_value(self) -> Self {
        if self == Self::Attributes { self } else { Self::Other }
    }

    /// Whether a role is on the line that opens no message.
    pub(super) fn has_role(self) -> bool {
        matches!(self, Self::Role | Self::Attributes | Self::Colon)
    }

    /// Whether a role may come next.
    pub(super) fn may_begin_role(self) -> bool {
        matches!(self, Self::Empty | Self::Hash)
    }
}

fn behind_hash(text: &str, is_marker: impl Fn() -> bool) -> State {
    let Some((_, behind)) = parse_role(text) else { return State::Other };
    let state = match behind.trim_start() {
        "" => State::Role,
        behind => behind_role(behind),
    };
    if state != State::Other && is_marker() { State::Other } else { state }
}

/// The text is trimmed, and not empty.
fn behind_role(text: &str) -> State {
    if match_line(&format!("user{text}")).is_some() {
        State::Colon
    } else if text.starts_with('[') && !text.contains(']') {
        State::Attributes
    } else {
        State::Other
    }
}

fn in_attributes(text: &str) -> State {
    let is_closed = text.strip_suffix(':').is_some_and(|text| text.trim_end().ends_with(']'));
    if is_closed { State::Colon } else { State::Attributes }
}

/// A set of states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct States(u8);

impl States {
    pub(super) const NONE: Self = Self(0);

    pub(super) fn of(state: State) -> Self {
        Self(1 << state as usize)
    }

    pub(super) fn has(self, state: State) -> bool {
        self.0 & Self::of(state).0 != 0
    }

    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn iter(self) -> impl Iterator<Item = State> {
        State::ALL.into_iter().filter(move |state| self.has(*state))
    }
}

/// What a part of a template does to the line that it begins in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effect {
    /// The states in which the line may be behind it, for each state before it.
    after: [States; State::ALL.len()],
    /// The states from which the line may end within it, looking like a marker.
    completes: States,
}

impl Effect {
    /// Of what writes nothing.
    pub(super) fn nothing() -> Self {
        Self::each(|state| state)
    }

    /// Of a printed value.
    pub(super) fn value() -> Self {
        Self::each(State::after_value)
    }

    /// Of a printed role.
    pub(super) fn role() -> Self {
        Self::each(State::after_role)
    }

    /// Of a part of one line.
    pub(super) fn each(next: impl Fn(State) -> State) -> Self {
        Self { after: State::ALL.map(|state| States::of(next(state))), completes: States::NONE }
    }

    /// Of a text with line breaks: what stands before the first, and behind the last.
    pub(super) fn lines(first: impl Fn(State) -> State, last: State) -> Self {
        let ends = State::ALL.into_iter().filter(|state| first(*state) == State::Colon);
        let completes = ends.fold(States::NONE, |all, state| all.with(States::of(state)));
        Self { after: [States::of(last); State::ALL.len()], completes }
    }

    /// Of this, and then another part.
    pub(super) fn then(self, next: Self) -> Self {
        Self {
            after: self.after.map(|states| next.states_behind(states)),
            completes: self.states_before(next.completes),
        }
    }

    /// Of this or another part.
    pub(super) fn or(self, other: Self) -> Self {
        let mut after = self.after;
        for (states, others) in after.iter_mut().zip(other.after) {
            *states = states.with(others);
        }
        Self { after, completes: self.completes.with(other.completes) }
    }

    /// Of this any number of times, or not at all.
    pub(super) fn repeated(self) -> Self {
        // A way through all states is as long as there are states, at most; each step doubles the length.
        let once = self.or(Self::nothing());
        let twice = once.then(once);
        let four_times = twice.then(twice);
        four_times.then(four_times)
    }

    /// The states behind the part.
    pub(super) fn states_behind(self, before: States) -> States {
        let pairs = State::ALL.into_iter().zip(self.after);
        let reached = pairs.filter(|(state, _)| before.has(*state)).map(|(_, after)| after);
        reached.fold(States::NONE, States::with)
    }

    /// The states before the part from which a line may come to look like a marker, where `behind` are those
    /// behind it.
    pub(super) fn states_before(self, behind: States) -> States {
        let pairs = State::ALL.into_iter().zip(self.after);
        let leading = pairs.filter(|(_, after)| after.meets(behind)).map(|(state, _)| state);
        leading.fold(self.completes, |all, state| all.with(States::of(state)))
    }
}
