//! The leaves of a layout as a list, and which leaf may follow which.

use std::ops::Range;

use super::{LayoutPart, Literal, Mark, Slot, Unit, call_openers};

/// The number of a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LeafId(pub(crate) usize);

/// A literal or a slot.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Leaf {
    Literal(Literal),
    Slot(Slot),
}

/// The leaves of a layout, with the leaves that may follow each. A later leaf may follow if all
/// leaves in between may be missing. The nearest leaf is first. For the layout `"a" "b"? SLOT`, the
/// leaf `"a"` is followed by `"b"` and `SLOT`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Order {
    leaves: Vec<Leaf>,
    followers: Vec<Vec<LeafId>>,
    units: Vec<UnitLeaves>,
    /// The white space that the template writes between two calls, if it writes nothing else there.
    pub(crate) space_between_calls: String,
}

/// The leaves of a unit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct UnitLeaves {
    unit: Unit,
    /// All of its leaves.
    pub(crate) range: Range<LeafId>,
    /// The leaves with which it may begin.
    pub(crate) first: Vec<LeafId>,
}

/// The leaves at both ends of a part.
#[derive(Default)]
struct PartEnds {
    first: Vec<LeafId>,
    last: Vec<LeafId>,
    may_be_missing: bool,
}

impl Order {
    /// Collects the leaves of a part.
    pub(crate) fn new(part: &LayoutPart) -> Self {
        let mut order = Self::default();
        order.add(part);
        order
    }

    /// All leaves, in the order in which the template writes them.
    pub(crate) fn leaves(&self) -> impl Iterator<Item = (LeafId, &Leaf)> {
        self.leaves.iter().enumerate().map(|(at, leaf)| (LeafId(at), leaf))
    }

    pub(crate) fn leaf(&self, id: LeafId) -> Option<&Leaf> {
        self.leaves.get(id.0)
    }

    /// The literals of a kind.
    pub(crate) fn literals(&self, mark: Mark) -> impl Iterator<Item = (LeafId, &Literal)> {
        self.leaves().filter_map(move |(id, leaf)| match leaf {
            Leaf::Literal(literal) if literal.mark == mark => Some((id, literal)),
            _ => None,
        })
    }

    /// The literals by which a call is recognised in free text.
    pub(crate) fn call_openers(&self) -> impl Iterator<Item = (LeafId, &Literal)> {
        let literals = self.leaves().filter_map(|(id, leaf)| match leaf {
            Leaf::Literal(literal) => Some((id, literal)),
            Leaf::Slot(_) => None,
        });
        call_openers(literals, |(_, literal)| literal)
    }

    /// The leaves of a unit, if the layout has the unit.
    pub(crate) fn unit(&self, unit: Unit) -> Option<&UnitLeaves> {
        self.units.iter().find(|it| it.unit == unit)
    }

    /// The leaves that may follow a leaf, the nearest first.
    pub(crate) fn followers(&self, id: LeafId) -> &[LeafId] {
        self.followers.get(id.0).map_or(&[], Vec::as_slice)
    }

    /// Adds the leaves of a part. Returns its ends, and whether it may be missing.
    fn add(&mut self, part: &LayoutPart) -> PartEnds {
        match part {
            LayoutPart::Literal(literal) if literal.marker.is_none() => {
                PartEnds { may_be_missing: true, ..PartEnds::default() }
            }
            LayoutPart::Literal(literal) => {
                self.add_leaf(Leaf::Literal(literal.clone()), !literal.is_required)
            }
            LayoutPart::Slot(slot) => self.add_leaf(Leaf::Slot(slot.clone()), false),
            LayoutPart::Row(parts) => {
                let empty = PartEnds { may_be_missing: true, ..PartEnds::default() };
                parts.iter().fold(empty, |previous, part| {
                    let next = self.add(part);
                    self.join(previous, next)
                })
            }
            LayoutPart::Choice(parts) => self.add_alternatives(parts.iter()),
            LayoutPart::Unit(unit, part) => {
                let start = LeafId(self.leaves.len());
                let ends = self.add(part);
                let range = start..LeafId(self.leaves.len());
                let first = ends.first.clone();
                self.units.push(UnitLeaves { unit: *unit, range, first });
                ends
            }
            LayoutPart::Spellings(written, others) => {
                self.add_alternatives(std::iter::once(&**written).chain(others))
            }
            LayoutPart::Optional(part) => PartEnds { may_be_missing: true, ..self.add(part) },
            LayoutPart::Repeat { part, separator, many } => {
                let one = self.add(part);
                if separator.mark == Mark::CallSeparator && separator.marker.is_none() {
                    self.space_between_calls += &separator.marker.after;
                }
                if *many {
                    let between = self.add(&LayoutPart::Literal(separator.clone()));
                    self.link(&one.last, &between.first);
                    self.link(&between.last, &one.first);
                    // A separator may be missing.
                    self.link(&one.last, &one.first);
                }
                PartEnds { may_be_missing: true, ..one }
            }
        }
    }

    fn add_alternatives<'p>(
        &mut self,
        alternatives: impl Iterator<Item = &'p LayoutPart>,
    ) -> PartEnds {
        alternatives.fold(PartEnds::default(), |mut all, part| {
            let one = self.add(part);
            all.first.extend(one.first);
            all.last.extend(one.last);
            all.may_be_missing |= one.may_be_missing;
            all
        })
    }

    /// Adds a leaf. Returns it as both ends of its part.
    fn add_leaf(&mut self, leaf: Leaf, may_be_missing: bool) -> PartEnds {
        let id = LeafId(self.leaves.len());
        self.leaves.push(leaf);
        self.followers.push(Vec::new());
        PartEnds { first: vec![id], last: vec![id], may_be_missing }
    }

    /// Links two consecutive parts. Returns the ends of both together.
    fn join(&mut self, previous: PartEnds, next: PartEnds) -> PartEnds {
        self.link(&previous.last, &next.first);
        let mut first = previous.first;
        if previous.may_be_missing {
            first.extend(&next.first);
        }
        let mut last = next.last;
        if next.may_be_missing {
            last.extend(previous.last);
        }
        PartEnds { first, last, may_be_missing: previous.may_be_missing && next.may_be_missing }
    }

    /// Records that each leaf of `to` may follow each leaf of `from`.
    fn link(&mut self, from: &[LeafId], to: &[LeafId]) {
        for id in from {
            let Some(followers) = self.followers.get_mut(id.0) else { continue };
            for next in to {
                if !followers.contains(next) {
                    followers.push(*next);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Arguments, CallShape, Marker, NamedCall, ReplyFormat, Suffix, Tools};

    fn tagged() -> ReplyFormat {
        let arguments = Arguments::Tagged {
            key_open: Marker::new("<p="),
            key_close: Suffix::new(">"),
            value_close: Marker::new("</p>"),
            separator: "".into(),
            quoting: Default::default(),
        };
        let named = NamedCall {
            name: Default::default(),
            prefix: Marker::new("<f="),
            suffix: Suffix::new(">"),
            namespace: "".into(),
            id: None,
            arguments,
            close: Marker::new("</f>"),
        };
        let mut format = ReplyFormat::plain();
        format.tools = Some(Tools::new(CallShape::Named(named)).with_call("<call>", "</call>"));
        format
    }

    /// The leaves as the template writes them, with slots in capitals.
    fn written(order: &Order, ids: &[LeafId]) -> Vec<String> {
        let leaf = |id: &LeafId| match order.leaf(*id) {
            Some(Leaf::Literal(literal)) => literal.marker.text.to_string(),
            Some(Leaf::Slot(slot)) => format!("{slot:?}").split(' ').next().unwrap().to_uppercase(),
            None => String::new(),
        };
        ids.iter().map(leaf).collect()
    }

    #[test]
    fn optional_leaves_are_skipped() {
        let order = Order::new(&LayoutPart::of_format(&tagged()));
        let at = |text: &str| {
            let ids = (0..order.leaves.len()).map(LeafId);
            let found = ids.filter(|id| written(&order, &[*id]) == [text]);
            found.map(|id| written(&order, order.followers(id))).next().unwrap()
        };
        // The suffix of a name may be missing before a tag.
        assert_eq!(at("NAME"), [">", "<p=", "</f>", "</call>", "<call>", "<f=", "CONTENT"]);
        assert_eq!(at("KEY"), [">"]);
        assert_eq!(at("VALUE"), ["</p>"]);
        assert_eq!(at("</p>"), ["<p=", "</f>", "</call>", "<call>", "<f=", "CONTENT"]);
    }
}
