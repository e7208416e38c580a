//! The path through a call whose name is in markup: the parts that may follow each part.
//!
//! A part is a leaf of the layout: a literal or a slot for data. [`Order`] numbers them and knows
//! which may follow which. This file adds what the machine asks for: the part at the start of a
//! text ([`CallPath::next`]), the end of a word ([`CallPath::end_of_word`]), and the stage of a
//! call to which a part belongs ([`CallPath::stage`]).
//!
//! For a format with only content and calls `<call><f=NAME><p=KEY>VALUE</p></f></call>`:
//!
//! | id | part | stage | literals that may follow | slots |
//! |---|---|---|---|---|
//! | 0 | `CONTENT` | [`CallStage::AfterArguments`] | `<call>`, `<f=` | |
//! | 1 | `<call>` | [`CallStage::AfterArguments`] | `<f=` | |
//! | 2 | `<f=` | [`CallStage::BeforeName`] | | `NAME` |
//! | 3 | `NAME` | [`CallStage::Name`] | `>`, `<p=`, `</f>`, `</call>`, `<call>`, `<f=` | |
//! | 4 | `>` | [`CallStage::Name`] | `<p=`, `</f>`, `</call>`, `<call>`, `<f=` | |
//! | 5 | `<p=` | [`CallStage::Arguments`] | | `KEY` |
//! | 6 | `KEY` | [`CallStage::Arguments`] | `>` | |
//! | 7 | `>` | [`CallStage::Arguments`] | | `VALUE` |
//! | 8 | `VALUE` | [`CallStage::Arguments`] | `</p>` | |
//! | 9 | `</p>` | [`CallStage::Arguments`] | `<p=`, `</f>`, `</call>`, `<call>`, `<f=` | |
//! | 10 | `</f>` | [`CallStage::AfterArguments`] | `</call>`, `<call>`, `<f=` | |
//! | 11 | `</call>` | [`CallStage::AfterArguments`] | `<call>`, `<f=` | |
//! | 12 | start of a call | [`CallStage::BeforeName`] | `<f=` | |
//!
//! So `next` with the part 3 and the text `><p=zone>` finds the literal 4, and `end_of_word` with
//! the part 6 and the text `zone>CET` finds `zone`.
//!
//! A part outside the call, also `<call>` before it, has the last stage: if such a part follows a
//! part of a call, that call has ended.

use std::ops::Range;

use super::markers::{LONGEST_NAME, MarkerSet, Search, StartMatch};
use super::state::State;
use crate::format::Marker;
use crate::layout::{Leaf, LeafId, Mark, Order, Slot, Unit};

/// The leaves of a layout with what may follow each, and which of them belong to a named call.
#[derive(Debug)]
pub(super) struct CallPath {
    order: Order,
    /// Indexed by the numbers of the leaves. There is one entry more than there are leaves: the
    /// last is for the start of a call, which is not a leaf. So the list is never empty.
    followers: Vec<Followers>,
    /// `None` if calls are JSON objects, or if the format has no calls.
    named_call: Option<CallLeaves>,
}

/// The positions of a named call's parts in the layout. In the example at the head of the file,
/// `all` is 2 to 10, `name` is 3, and `arguments` is 5 to 9.
#[derive(Debug, Clone)]
struct CallLeaves {
    /// The call without the markers around it.
    all: Range<LeafId>,
    /// The name; `None` if the header of a message has it. It is in `all`, before `arguments`.
    name: Option<LeafId>,
    /// All arguments, with the markers of each. They are in `all`.
    arguments: Range<LeafId>,
}

/// The parts that may follow one part.
#[derive(Debug)]
struct Followers {
    /// The literals, also those outside the call. Of two with the same text, the nearest counts.
    literals: MarkerSet<LeafId>,
    /// The slots of a call, the nearest first. Content is left out, and so are the slots of the
    /// next call if the part itself is in a call. Empty if the format has no named calls.
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
    /// After the arguments, or outside the call. For any part if the format has no named calls.
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
    /// There is none within the maximum length of a name, or before the end of the reply.
    Missing,
}

impl CallPath {
    pub(super) fn new(order: Order) -> Self {
        let named_call = CallLeaves::find(&order);
        let first_of_call = order.unit(Unit::Call).map_or(&[][..], |unit| &unit.first);
        let leaves = order.leaves().map(|(id, _)| (Some(id), order.followers(id)));
        let followers = leaves.chain([(None, first_of_call)]);
        let followers_of = |(at, next)| Followers::new(&order, named_call.as_ref(), at, next);
        let followers = followers.map(followers_of).collect();
        Self { order, followers, named_call }
    }

    /// The id for the start of a named call: after the opener `<call>`, or after the header that
    /// names the call. `None` if the format has no named calls.
    pub(super) fn named_call_start(&self) -> Option<LeafId> {
        self.named_call.as_ref().map(|_| self.call_start())
    }

    /// The id for the start of any call, also of a JSON object. It is not the id of a leaf: it is
    /// one more than that of the last leaf.
    pub(super) fn call_start(&self) -> LeafId {
        LeafId(self.followers.len().saturating_sub(1))
    }

    /// The kind of a literal; `None` for a slot and for the start of a call.
    pub(super) fn mark(&self, id: LeafId) -> Option<Mark> {
        match self.order.leaf(id)? {
            Leaf::Literal(literal) => Some(literal.mark),
            Leaf::Slot(_) => None,
        }
    }

    /// The text of a literal with the white space around it; `None` as for [`mark`](Self::mark).
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

    /// The slot with this id; `None` for a literal and for the start of a call.
    pub(super) fn slot(&self, id: LeafId) -> Option<&Slot> {
        match self.order.leaf(id)? {
            Leaf::Literal(_) => None,
            Leaf::Slot(slot) => Some(slot),
        }
    }

    /// The stage of a call to which a part belongs, as in the table at the head of the file.
    pub(super) fn stage(&self, id: LeafId) -> CallStage {
        let Some(call) = &self.named_call else { return CallStage::AfterArguments };
        if id == self.call_start() {
            // If the call has no slot for the name, the header has named it.
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

    /// The last part of a call without the markers around it: `</f>`, or the object of a JSON call.
    /// The id is 0 if the format has no calls.
    pub(super) fn last_part_of_call(&self) -> LeafId {
        let end = self.order.unit(Unit::Call).map_or(0, |unit| unit.range.end.0);
        LeafId(end.saturating_sub(1))
    }

    /// Whether a call may begin with its name.
    pub(super) fn begins_with_name(&self) -> bool {
        let first = self.order.unit(Unit::Call).map_or(&[][..], |unit| &unit.first);
        first.iter().any(|id| matches!(self.slot(*id), Some(Slot::Name { .. })))
    }

    /// The last part of the arguments: `</p>`, or the separator of two arguments, if there is one.
    pub(super) fn end_of_arguments(&self) -> Option<LeafId> {
        let end = self.named_call.as_ref()?.arguments.end;
        Some(LeafId(end.0.saturating_sub(1)))
    }

    /// The last part of an argument with this value: its closer, or the value if it has none.
    pub(super) fn end_of_argument(&self, value: LeafId) -> LeafId {
        // The nearest follower is first, so a closer cannot be after another part.
        let next = self.order.followers(value).first().copied();
        next.filter(|id| self.mark(*id) == Some(Mark::ValueClose)).unwrap_or(value)
    }

    /// The stage of the part `id` if it follows the part `at`. A part up to the name that follows a
    /// later part belongs to the next call, so this call has ended: `<f=` after `</p>`. The start
    /// of a call has the largest id, but all parts of the call follow it.
    pub(super) fn stage_after(&self, at: LeafId, id: LeafId) -> CallStage {
        match self.stage(id) {
            CallStage::BeforeName | CallStage::Name
                if Some(at) != self.named_call_start() && id <= at =>
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

    /// Finds the end of the word in the slot `at`, which is at the start of `text`. `last` is
    /// `true` if the reply ends with `text`. What may follow the slot decides where the word ends:
    ///
    /// | may follow | text | word |
    /// |---|---|---|
    /// | the literal `>` | `city>Bonn` | `city`, before the literal |
    /// | JSON | `42{"zone": "CET"}` | `42`, before the brace |
    /// | no literal | `city Bonn` | `city`, before white space |
    pub(super) fn end_of_word<'text>(
        &self,
        at: LeafId,
        text: &'text str,
        last: bool,
    ) -> WordEnd<'text> {
        let not_found = match last || text.len() > LONGEST_NAME {
            true => WordEnd::Missing,
            false => WordEnd::Wait,
        };
        let Some(followers) = self.followers.get(at.0) else { return not_found };
        let begins_arguments = followers.slots.iter().any(|id| self.slot(*id) == Some(&Slot::Json));
        let ends_at_space = followers.literals.is_empty();
        // One byte more, so that a word of the maximum length can be distinguished from a longer
        // one.
        #[expect(clippy::string_slice, reason = "`floor_char_boundary` gives a place in the text")]
        let possible_word = &text[..text.floor_char_boundary(LONGEST_NAME + 1)];
        let is_end =
            |it: char| (ends_at_space && it.is_whitespace()) || (begins_arguments && it == '{');
        let before_data = possible_word.split(is_end).next().unwrap_or(possible_word);
        let is_ended_by_data = before_data.len() < possible_word.len();
        // If data ends the word, no later text can complete a literal in it.
        match followers.literals.search(before_data, last || is_ended_by_data) {
            Search::Found { before, .. } => WordEnd::Found(before),
            Search::NoMarker(_) if is_ended_by_data => WordEnd::Found(before_data),
            // An id after the arguments may end the reply.
            Search::NoMarker(_)
                if last && !text.is_empty() && self.stage(at) == CallStage::AfterArguments =>
            {
                WordEnd::Found(text)
            }
            Search::NoMarker(_) => not_found,
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

    /// Finds the part at the start of `rest` that follows the part `at`. Literals are matched
    /// before slots, because the data of most slots may begin with any text.
    pub(super) fn next<'text>(&self, at: LeafId, rest: &'text str, last: bool) -> NextPart<'text> {
        let Some(followers) = self.followers.get(at.0) else { return NextPart::Nothing };
        match followers.literals.at_start(rest, last) {
            StartMatch::Found(id, marker) => NextPart::Literal(id, marker),
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
        // An object, or a string that contains JSON.
        Slot::Json => text.starts_with(['{', '"']),
        Slot::Name { .. } | Slot::Id | Slot::Word { .. } => {
            !text.starts_with(|it: char| it.is_whitespace() || "<>{}[]()\"'".contains(it))
        }
        _ => true,
    }
}

impl CallLeaves {
    /// Finds the named call of a layout. A JSON call has no separate arguments, so it has none.
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
        // Content or the next call may follow a call. A literal of them shows that the call has
        // ended. A slot of them is left out, because it would accept almost any text. A slot before
        // `at` is that of the next argument if it is among the arguments; otherwise it is of the
        // next call.
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
