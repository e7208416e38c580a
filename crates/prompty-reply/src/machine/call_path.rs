//! The path through a call whose name is in markup: the parts that may follow each part.
//!
//! A part is a leaf of the layout: a literal or a slot for data. [`Order`] numbers them and knows
//! which may follow which. This file adds what the machine asks for: the part at the start of a
//! text, the end of a word, and the stage of a part. For
//! `<call><f=NAME><p=KEY>VALUE</p></f></call>` the stages are:
//!
//! | parts | stage |
//! |---|---|
//! | start of the call (after `<call>`), `<f=` | [`CallStage::BeforeName`] |
//! | `NAME`, `>` | [`CallStage::Name`] |
//! | `<p=`, `KEY`, `>`, `VALUE`, `</p>` | [`CallStage::Arguments`] |
//! | `</f>`, and everything outside the call, also `<call>` | [`CallStage::AfterArguments`] |

use std::ops::Range;

use super::markers::{LONGEST_NAME, MarkerSet, Search, StartMatch};
use super::state::State;
use crate::format::Marker;
use crate::layout::{Leaf, LeafId, Mark, Order, Slot, Unit};

/// The parts of a call, and the parts that may follow each of them.
#[derive(Debug)]
pub(super) struct CallPath {
    order: Order,
    /// Indexed by the numbers of the leaves. The last entry is for the start of a call, which is
    /// not a leaf.
    followers: Vec<Followers>,
    call: Option<CallLeaves>,
}

/// The positions of a named call's parts in the layout.
#[derive(Debug, Clone)]
struct CallLeaves {
    all: Range<LeafId>,
    /// The name; `None` if the header of a message has it.
    name: Option<LeafId>,
    arguments: Range<LeafId>,
}

/// The parts that may follow one part.
#[derive(Debug)]
struct Followers {
    literals: MarkerSet<LeafId>,
    slots: Vec<LeafId>,
}

/// The stage of a call to which a part belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallStage {
    /// Before the name.
    BeforeName,
    /// The name, and the text between it and the arguments.
    Name,
    /// From the opener of the first argument to the closer of the last one.
    Arguments,
    /// After the arguments, or outside the call.
    AfterArguments,
}

/// The part at the start of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NextPart<'text> {
    /// A literal, and how the text writes it.
    Literal(LeafId, &'text str),
    /// The data of a slot.
    Slot(LeafId),
    /// More text decides.
    Wait,
    /// No part that may be there.
    Nothing,
}

/// The end of a word in markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordEnd<'text> {
    /// After this word.
    Found(&'text str),
    /// More text decides.
    Wait,
    /// There is none within the maximum length of a name.
    Missing,
}

impl CallPath {
    pub(super) fn new(order: Order) -> Self {
        let call = CallLeaves::find(&order);
        let call_start = order.unit(Unit::Call).map_or(&[][..], |unit| &unit.first);
        let leaves = order.leaves().map(|(id, _)| (Some(id), order.followers(id)));
        let followers = leaves.chain([(None, call_start)]);
        let followers =
            followers.map(|(at, next)| Followers::new(&order, call.as_ref(), at, next)).collect();
        Self { order, followers, call }
    }

    /// The place before a call, after its opener or the header that names it.
    pub(super) fn call_start(&self) -> Option<LeafId> {
        self.call.as_ref().map(|_| self.start_leaf())
    }

    /// The number that represents the start of a call, also if no call is in markup.
    pub(super) fn start_leaf(&self) -> LeafId {
        LeafId(self.followers.len().saturating_sub(1))
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

    /// Whether the template writes white space after the opener of a call.
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

    pub(super) fn stage(&self, id: LeafId) -> CallStage {
        let Some(call) = &self.call else { return CallStage::AfterArguments };
        if Some(id) == self.call_start() {
            return if call.name.is_some() { CallStage::BeforeName } else { CallStage::Name };
        }
        if call.arguments.contains(&id) {
            return CallStage::Arguments;
        }
        if !call.all.contains(&id) || id >= call.arguments.end {
            return CallStage::AfterArguments;
        }
        if call.name.is_some_and(|name| id < name) {
            CallStage::BeforeName
        } else {
            CallStage::Name
        }
    }

    /// The first slot for which `is_like` is true.
    pub(super) fn find_slot(&self, is_like: impl Fn(&Slot) -> bool) -> Option<LeafId> {
        let mut leaves = self.order.leaves();
        leaves.find_map(|(id, leaf)| match leaf {
            Leaf::Slot(slot) if is_like(slot) => Some(id),
            _ => None,
        })
    }

    /// The state in the header of a message, or `Text` if the format has no headers.
    pub(super) fn header(&self) -> State {
        self.find_slot(|slot| matches!(slot, Slot::Header(_))).map_or(State::Text, State::In)
    }

    /// The last part of a call.
    pub(super) fn last_part_of_call(&self) -> LeafId {
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

    /// The last part of an argument with this value: its closer.
    pub(super) fn end_of_argument(&self, value: LeafId) -> LeafId {
        let next = self.order.followers(value).first().copied();
        next.filter(|id| self.mark(*id) == Some(Mark::ValueClose)).unwrap_or(value)
    }

    /// The stage of the part `id` if it follows the part `at`. A part up to the name that follows a
    /// later part belongs to the next call, so this call has ended: `<f=` after `</p>`.
    pub(super) fn stage_after(&self, at: LeafId, id: LeafId) -> CallStage {
        match self.stage(id) {
            CallStage::BeforeName | CallStage::Name
                if Some(at) != self.call_start() && id <= at =>
            {
                CallStage::AfterArguments
            }
            stage => stage,
        }
    }

    /// Whether arguments may directly follow a part.
    pub(super) fn leads_to_arguments(&self, at: LeafId) -> bool {
        self.order.followers(at).iter().any(|next| self.stage(*next) == CallStage::Arguments)
    }

    /// The first bytes of the literals that may follow a part.
    pub(super) fn first_bytes_after(&self, at: LeafId) -> &[u8] {
        self.followers.get(at.0).map_or(&[], |followers| followers.literals.first_bytes())
    }

    /// Finds the end of a word: before the literal that follows it, before white space if only data
    /// follows, or before the `{` of JSON. If `>` may follow, the word of `city>Bonn` is `city`.
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
        let Some(followers) = self.followers.get(at.0) else { return missing };
        let begins_arguments = followers.slots.iter().any(|id| self.slot(*id) == Some(&Slot::Json));
        let ends_at_space = followers.literals.is_empty();
        // One byte more, so that a word of the maximum length can be distinguished from a longer
        // one.
        #[expect(clippy::string_slice, reason = "`floor_char_boundary` gives a place in the text")]
        let near = &text[..text.floor_char_boundary(LONGEST_NAME + 1)];
        let is_end =
            |it: char| (ends_at_space && it.is_whitespace()) || (begins_arguments && it == '{');
        let before_data = near.split(is_end).next().unwrap_or(near);
        let has_data = before_data.len() < near.len();
        match followers.literals.search(before_data, last || has_data) {
            Search::Found { before, .. } => WordEnd::Found(before),
            Search::Sure(_) if has_data => WordEnd::Found(before_data),
            // An id after the arguments may end the reply.
            Search::Sure(_)
                if last && !text.is_empty() && self.stage(at) == CallStage::AfterArguments =>
            {
                WordEnd::Found(text)
            }
            Search::Sure(_) => missing,
        }
    }

    /// The slot after a part, if its data may begin with any text, also with white space.
    pub(super) fn free_slot_after(&self, at: LeafId) -> Option<LeafId> {
        let slots = self.followers.get(at.0)?.slots.iter().copied();
        let mut any = slots.filter(|id| {
            matches!(
                self.slot(*id),
                Some(Slot::Value { .. } | Slot::Tags { .. } | Slot::Assignments { .. })
            )
        });
        any.next()
    }

    /// Finds the part at the start of `rest` that follows the part `at`.
    pub(super) fn next<'text>(&self, at: LeafId, rest: &'text str, last: bool) -> NextPart<'text> {
        let Some(followers) = self.followers.get(at.0) else { return NextPart::Nothing };
        match followers.literals.at_start(rest, last) {
            StartMatch::Found(id, mark) => NextPart::Literal(id, mark),
            StartMatch::Wait => NextPart::Wait,
            StartMatch::Nothing => {
                let begins = |id: &&LeafId| self.slot(**id).is_some_and(|it| may_begin(it, rest));
                let slot = followers.slots.iter().find(begins);
                slot.map_or(NextPart::Nothing, |id| NextPart::Slot(*id))
            }
        }
    }
}

/// Whether a text may be the start of a slot's data.
fn may_begin(slot: &Slot, text: &str) -> bool {
    match slot {
        Slot::Json => text.starts_with(['{', '"']),
        Slot::Name { .. } | Slot::Id | Slot::Word { .. } => {
            !text.starts_with(|it: char| it.is_whitespace() || "<>{}[]()\"'".contains(it))
        }
        _ => true,
    }
}

impl CallLeaves {
    fn find(order: &Order) -> Option<Self> {
        let all = order.unit(Unit::Call)?.range.clone();
        let arguments = order.unit(Unit::Arguments)?.range.clone();
        let is_name = |leaf: &Leaf| matches!(leaf, Leaf::Slot(Slot::Name { .. }));
        let name = order.leaves().find(|(_, leaf)| is_name(leaf)).map(|(id, _)| id);
        Some(Self { all, name, arguments })
    }
}

impl Followers {
    /// Collects the parts that may follow a part, or the start of a call if `at` is `None`.
    fn new(order: &Order, call: Option<&CallLeaves>, at: Option<LeafId>, next: &[LeafId]) -> Self {
        // Content or the next call may follow a call; neither is part of it.
        let is_inside = |call: &CallLeaves, id: &LeafId| {
            let is_later = at.is_none_or(|at| *id > at) || call.arguments.contains(id);
            call.all.contains(id) && is_later
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
