//! The state of an output line with regard to role markers, and the effect of template parts on it.
//!
//! A template can write a line in many ways: through different branches, or in different iterations
//! of a loop. So a line is in a set of states, and a part of the template maps each state to a set
//! of states. The effects of parts are composed without reading the parts again, so the work is
//! linear.
//!
//! For example, the states of a line that writes `# {{ m.role }}[name="{{ m.name }}"]:` are
//! `Empty`, `Hash` after `# `, `Role` after the role, `Attributes` after `[name="`, and still after
//! the name, and `Colon` after `"]:`.

use prompty_core::message::marker_line::{match_line, parse_role};

/// The content of a line so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum LineState {
    /// Only white space.
    Empty,
    /// A single `#`, which is allowed before a role.
    Hash,
    /// Only a role that does not open a message.
    Role,
    /// Such a role, and attributes with an open bracket.
    Attributes,
    /// Such a role and a colon. If the line ends here, it looks like a marker.
    Colon,
    /// Any other content.
    Other,
}

impl LineState {
    const ALL: [Self; 6] =
        [Self::Empty, Self::Hash, Self::Role, Self::Attributes, Self::Colon, Self::Other];

    /// Returns the state after a piece of a line. `is_marker` returns whether the piece is in a
    /// marker of the author, which opens its message.
    pub(super) fn after_text(self, piece: &str, is_marker: impl Fn() -> bool) -> Self {
        let text = piece.trim();
        if text.is_empty() {
            return self;
        }
        match self {
            Self::Empty => match text.strip_prefix('#').map(str::trim_start) {
                Some("") => Self::Hash,
                Some(rest) => after_possible_role(rest, is_marker),
                None => after_possible_role(text, is_marker),
            },
            Self::Hash => after_possible_role(text, is_marker),
            Self::Role => after_text_of_role(text),
            Self::Attributes => after_text_in_attributes(text),
            Self::Colon | Self::Other => Self::Other,
        }
    }

    /// Returns the state after a printed role.
    pub(super) fn after_role(self) -> Self {
        if self.may_begin_role() { Self::Role } else { self.after_value() }
    }

    /// Returns the state after another printed value.
    pub(super) fn after_value(self) -> Self {
        if self == Self::Attributes { self } else { Self::Other }
    }

    /// Whether the line contains a role that does not open a message.
    pub(super) fn has_role(self) -> bool {
        matches!(self, Self::Role | Self::Attributes | Self::Colon)
    }

    /// Whether a role is allowed next.
    pub(super) fn may_begin_role(self) -> bool {
        matches!(self, Self::Empty | Self::Hash)
    }
}

/// Returns the state after text at the beginning of a line or after a hash.
fn after_possible_role(text: &str, is_marker: impl Fn() -> bool) -> LineState {
    let Some((_, rest)) = parse_role(text) else { return LineState::Other };
    let state = match rest.trim_start() {
        "" => LineState::Role,
        rest => after_text_of_role(rest),
    };
    if state != LineState::Other && is_marker() { LineState::Other } else { state }
}

/// Returns the state after text that follows a role. The text is trimmed and not empty.
fn after_text_of_role(text: &str) -> LineState {
    if match_line(&format!("user{text}")).is_some() {
        LineState::Colon
    } else if text.starts_with('[') && !text.contains(']') {
        LineState::Attributes
    } else {
        LineState::Other
    }
}

/// Returns the state after text that continues attributes. `]:` at its end closes them.
fn after_text_in_attributes(text: &str) -> LineState {
    let is_closed = text.strip_suffix(':').is_some_and(|text| text.trim_end().ends_with(']'));
    if is_closed { LineState::Colon } else { LineState::Attributes }
}

/// A set of states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct LineStates(u8);

impl LineStates {
    pub(super) const NONE: Self = Self(0);

    pub(super) fn of(state: LineState) -> Self {
        Self(1 << state as usize)
    }

    pub(super) fn has(self, state: LineState) -> bool {
        self.0 & Self::of(state).0 != 0
    }

    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn iter(self) -> impl Iterator<Item = LineState> {
        LineState::ALL.into_iter().filter(move |state| self.has(*state))
    }
}

/// The effect of a part of a template on the line in which it begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineEffect {
    /// The possible states after the part, for each state before it.
    after: [LineStates; LineState::ALL.len()],
    /// The states before the part from which the part itself completes a line that looks like a
    /// marker: `Role` for the text `":\n"`.
    completes: LineStates,
}

impl LineEffect {
    /// The effect of a part that writes nothing.
    pub(super) fn nothing() -> Self {
        Self::each(|state| state)
    }

    /// The effect of a printed value.
    pub(super) fn value() -> Self {
        Self::each(LineState::after_value)
    }

    /// The effect of a printed role.
    pub(super) fn role() -> Self {
        Self::each(LineState::after_role)
    }

    /// The effect of text without a line break. `next` returns the state after it.
    pub(super) fn each(next: impl Fn(LineState) -> LineState) -> Self {
        Self {
            after: LineState::ALL.map(|state| LineStates::of(next(state))),
            completes: LineStates::NONE,
        }
    }

    /// The effect of text with line breaks: of its first line, and the state after its last line.
    pub(super) fn lines(first: impl Fn(LineState) -> LineState, last: LineState) -> Self {
        let ends = LineState::ALL.into_iter().filter(|state| first(*state) == LineState::Colon);
        let completes = ends.fold(LineStates::NONE, |all, state| all.with(LineStates::of(state)));
        Self { after: [LineStates::of(last); LineState::ALL.len()], completes }
    }

    /// The effect of this part followed by another.
    pub(super) fn then(self, next: Self) -> Self {
        Self {
            after: self.after.map(|states| next.states_after(states)),
            completes: self.states_before(next.completes),
        }
    }

    /// The effect of either this part or another.
    pub(super) fn or(self, other: Self) -> Self {
        let mut after = self.after;
        for (states, others) in after.iter_mut().zip(other.after) {
            *states = states.with(others);
        }
        Self { after, completes: self.completes.with(other.completes) }
    }

    /// The effect of this part repeated any number of times, including zero.
    pub(super) fn repeated(self) -> Self {
        // A path through the six states has at most six steps. Doubling three times gives eight.
        let once = self.or(Self::nothing());
        let twice = once.then(once);
        let four_times = twice.then(twice);
        four_times.then(four_times)
    }

    /// Returns the possible states after the part.
    pub(super) fn states_after(self, before: LineStates) -> LineStates {
        let pairs = LineState::ALL.into_iter().zip(self.after);
        let reached = pairs.filter(|(state, _)| before.has(*state)).map(|(_, after)| after);
        reached.fold(LineStates::NONE, LineStates::with)
    }

    /// Returns the states before the part from which the line can become a marker. `accepting` is
    /// those after it.
    pub(super) fn states_before(self, accepting: LineStates) -> LineStates {
        let pairs = LineState::ALL.into_iter().zip(self.after);
        let leading =
            pairs.filter(|(_, after)| after.intersects(accepting)).map(|(state, _)| state);
        leading.fold(self.completes, |all, state| all.with(LineStates::of(state)))
    }
}
