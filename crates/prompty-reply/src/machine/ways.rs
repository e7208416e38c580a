//! The way through a call whose name stands in markup: what may follow each part of it.

use std::ops::Range;

use super::markers::{AtStart, LONGEST_NAME, MarkerSet, Search};
use super::state::State;
use crate::format::Marker;
use crate::layout::{Leaf, LeafId, Mark, Order, Slot, Unit};

/// The parts of a call, and what may follow each.
#[derive(Debug)]
pub(super) struct Ways {
    order: Order,
    /// By the numbers of the leaves, and last the front of a call.
    behind: Vec<Behind>,
    call: Option<Call>,
}

/// Where the parts of a named call stand in the layout.
#[derive(Debug, Clone)]
struct Call {
    all: Range<LeafId>,
    /// The name; nothing where the header of a message has it.
    name: Option<LeafId>,
    arguments: Range<LeafId>,
}

/// What may follow one part.
#[derive(Debug)]
struct Behind {
    literals: MarkerSet<LeafId>,
    slots: Vec<LeafId>,
}

/// Which stretch of a call a part belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stretch {
    /// In front of the name.
    Front,
    /// The name, and what follows it in front of the arguments.
    Name,
    Arguments,
    /// Behind the arguments, or outside of the call.
    Tail,
}

/// What stands at the start of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next<'text> {
    /// A literal, and how the text writes it.
    Literal(LeafId, &'text str),
    /// The data of a slot.
    Slot(LeafId),
    /// More text decides.
    Wait,
    /// Nothing that may stand there.
    Nothing,
}

/// Where a word in markup ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordEnd<'text> {
    /// After this word.
    Found(&'text str),
    /// More text decides.
    Wait,
    /// Nowhere, as far as names are long.
    Missing,
}

impl Ways {
    pub(super) fn new(order: Order) -> Self {
        let call = Call::find(&order);
        let front = order.unit(Unit::Call).map_or(&[][..], |unit| &unit.first);
        let leaves = order.leaves().map(|(id, _)| (Some(id), order.behind(id)));
        let behind = leaves.chain([(None, front)]);
        let behind =
            behind.map(|(at, next)| Behind::new(&order, call.as_ref(), at, next)).collect();
        Self { order, behind, call }
    }

    /// The place in front of a call, behind its opener or the header that names it.
    pub(super) fn front(&self) -> Option<LeafId> {
        self.call.as_ref().map(|_| self.no_leaf())
    }

    /// The place in front of all leaves.
    pub(super) fn no_leaf(&self) -> LeafId {
        LeafId(self.behind.len().saturating_sub(1))
    }

    pub(super) fn mark(&self, id: LeafId) -> Option<Mark> {
        match self.order.leaf(id)? {
            Leaf::Literal(literal) => Some(literal.mark),
            Leaf::Slot(_) => None,
        }
    }

    pub(super) fn marker(&self, id: LeafId) -> Option<&Marker> {
        match self.order.leaf(id)? {
            Leaf::Literal(literal) => Some(&literal.marker),
            Leaf::Slot(_) => None,
        }
    }

    /// Whether the template writes white space behind what opens a call.
    pub(super) fn opens_with_space(&self) -> bool {
        self.order.call_openers().any(|(_, opener)| !opener.marker.after.is_empty())
    }

    /// Whether a literal is markup.
    pub(super) fn is_markup(&self, id: LeafId) -> bool {
        self.marker(id).is_some_and(Marker::is_markup)
    }

    /// Whether a reply must have a literal.
    pub(super) fn is_required(&self, id: LeafId) -> bool {
        matches!(self.order.leaf(id), Some(Leaf::Literal(literal)) if literal.is_required)
    }

    pub(super) fn slot(&self, id: LeafId) -> Option<&Slot> {
        match self.order.leaf(id)? {
            Leaf::Literal(_) => None,
            Leaf::Slot(slot) => Some(slot),
        }
    }

    pub(super) fn stretch(&self, id: LeafId) -> Stretch {
        let Some(call) = &self.call else { return Stretch::Tail };
        if Some(id) == self.front() {
            return if call.name.is_some() { Stretch::Front } else { Stretch::Name };
        }
        if call.arguments.contains(&id) {
            return Stretch::Arguments;
        }
        if !call.all.contains(&id) || id >= call.arguments.end {
            return Stretch::Tail;
        }
        if call.name.is_some_and(|name| id < name) { Stretch::Front } else { Stretch::Name }
    }

    /// The first slot of a kind.
    pub(super) fn slot_like(&self, is_like: impl Fn(&Slot) -> bool) -> Option<LeafId> {
        let mut leaves = self.order.leaves();
        leaves.find_map(|(id, leaf)| match leaf {
            Leaf::Slot(slot) if is_like(slot) => Some(id),
            _ => None,
        })
    }

    /// The header of a message, or text where there are none.
    pub(super) fn header(&self) -> State {
        self.slot_like(|slot| matches!(slot, Slot::Header(_))).map_or(State::Text, State::In)
    }

    /// The last part of a call.
    pub(super) fn behind_call(&self) -> LeafId {
        let end = self.order.unit(Unit::Call).map_or(0, |unit| unit.range.end.0);
        LeafId(end.saturating_sub(1))
    }

    /// Whether a call may begin with its name.
    pub(super) fn begins_with_name(&self) -> bool {
        let first = self.order.unit(Unit::Call).map_or(&[][..], |unit| &unit.first);
        first.iter().any(|id| matches!(self.slot(*id), Some(Slot::Name { .. })))
    }

    /// The last part of the arguments.
    pub(super) fn end_of_arguments(&self) -> Option<LeafId> {
        let end = self.call.as_ref()?.arguments.end;
        Some(LeafId(end.0.saturating_sub(1)))
    }

    /// The last part of an argument with this value: what closes it.
    pub(super) fn end_of_argument(&self, value: LeafId) -> LeafId {
        let next = self.order.behind(value).first().copied();
        next.filter(|id| self.mark(*id) == Some(Mark::ValueClose)).unwrap_or(value)
    }

    /// The stretch of what follows a part. What stands in front of the name follows a call only as
    /// another one.
    pub(super) fn stretch_behind(&self, at: LeafId, id: LeafId) -> Stretch {
        match self.stretch(id) {
            Stretch::Front | Stretch::Name if Some(at) != self.front() && id <= at => Stretch::Tail,
            stretch => stretch,
        }
    }

    /// Whether arguments may follow a part at once.
    pub(super) fn leads_to_arguments(&self, at: LeafId) -> bool {
        self.order.behind(at).iter().any(|next| self.stretch(*next) == Stretch::Arguments)
    }

    /// The bytes that the literals behind a part begin with.
    pub(super) fn first_bytes_behind(&self, at: LeafId) -> &[u8] {
        self.behind.get(at.0).map_or(&[], |behind| behind.literals.first_bytes())
    }

    /// Where a word ends: in front of what may follow it, and of white space where only data does.
    pub(super) fn end_of_word<'text>(
        &self,
        at: LeafId,
        text: &'text str,
        last: bool,
    ) -> WordEnd<'text> {
        let missing = match last || text.len() > LONGEST_NAME {
            true => WordEnd::Missing,
            false => WordEnd::Wait,
        };
        let Some(behind) = self.behind.get(at.0) else { return missing };
        let begins_arguments = behind.slots.iter().any(|id| self.slot(*id) == Some(&Slot::Json));
        let ends_at_space = behind.literals.is_empty();
        #[expect(clippy::string_slice, reason = "`floor_char_boundary` gives a place in the text")]
        let near = &text[..text.floor_char_boundary(LONGEST_NAME + 1)];
        let is_end =
            |it: char| (ends_at_space && it.is_whitespace()) || (begins_arguments && it == '{');
        let before_data = near.split(is_end).next().unwrap_or(near);
        let has_data = before_data.len() < near.len();
        match behind.literals.search(before_data, last || has_data) {
            Search::Found { before, .. } => WordEnd::Found(before),
            Search::Sure(_) if has_data => WordEnd::Found(before_data),
            // An id behind the arguments may end the reply.
            Search::Sure(_) if last && !text.is_empty() && self.stretch(at) == Stretch::Tail => {
                WordEnd::Found(text)
            }
            Search::Sure(_) => missing,
        }
    }

    /// Whether text of any kind follows a part: white space is part of it.
    pub(super) fn begins_at_once(&self, at: LeafId) -> Option<LeafId> {
        let slots = self.behind.get(at.0)?.slots.iter().copied();
        let mut any = slots.filter(|id| {
            matches!(
                self.slot(*id),
                Some(Slot::Value { .. } | Slot::Tags { .. } | Slot::Assignments { .. })
            )
        });
        any.next()
    }

    /// What stands behind a part, at the start of a text.
    pub(super) fn next<'text>(&self, at: LeafId, rest: &'text str, last: bool) -> Next<'text> {
        let Some(behind) = self.behind.get(at.0) else { return Next::Nothing };
        match behind.literals.at_start(rest, last) {
            AtStart::Found(id, mark) => Next::Literal(id, mark),
            AtStart::Wait => Next::Wait,
            AtStart::Nothing => {
                let begins = |id: &&LeafId| self.slot(**id).is_some_and(|slot| begins(slot, rest));
                behind.slots.iter().find(begins).map_or(Next::Nothing, |id| Next::Slot(*id))
            }
        }
    }
}

/// Whether a text may be the start of a slot's data.
fn begins(slot: &Slot, text: &str) -> bool {
    match slot {
        Slot::Json => text.starts_with(['{', '"']),
        Slot::Name { .. } | Slot::Id | Slot::Word { .. } => {
            !text.starts_with(|it: char| it.is_whitespace() || "<>{}[]()\"'".contains(it))
        }
        _ => true,
    }
}

impl Call {
    fn find(order: &Order) -> Option<Self> {
        let all = order.unit(Unit::Call)?.range.clone();
        let arguments = order.unit(Unit::Arguments)?.range.clone();
        let is_name = |leaf: &Leaf| matches!(leaf, Leaf::Slot(Slot::Name { .. }));
        let name = order.leaves().find(|(_, leaf)| is_name(leaf)).map(|(id, _)| id);
        Some(Self { all, name, arguments })
    }
}

impl Behind {
    /// What may follow a part, or the front of a call.
    fn new(order: &Order, call: Option<&Call>, at: Option<LeafId>, next: &[LeafId]) -> Self {
        // Content may follow a call, or the next call; neither is part of it.
        let is_inside = |call: &Call, id: &LeafId| {
            let goes_on = at.is_none_or(|at| *id > at) || call.arguments.contains(id);
            call.all.contains(id) && goes_on
        };
        let (mut literals, mut slots) = (MarkerSet::new(), Vec::new());
        for id in next {
            match order.leaf(*id) {
                Some(Leaf::Literal(literal)) => literals.add(&literal.marker, *id),
                Some(Leaf::Slot(_)) if call.is_some_and(|call| is_inside(call, id)) => {
                    slots.push(*id);
                }
                _ => {}
            }
        }
        Self { literals, slots }
    }
}
