//! What a template reads of its inputs.
//!
//! The macros make conversions from this, so it must be complete: whatever a template could read
//! when it runs is in it. Where the checker loses track of a value, the value counts as read whole.

use std::collections::HashSet;

use prompty_core::ordered_map::OrderedMap;

use crate::definition::Input;
use prompty_core::diagnostic::{Diagnostic, SourceSpan};
use prompty_core::work::add_steps;

/// How far attributes and items are followed; deeper values count as read whole.
const MAX_DEPTH: u8 = 24;
/// How many sources a value may have before all of them count as read whole.
const MAX_SOURCES: usize = 12;

/// What a template reads of its inputs, in the order of the signature.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Uses {
    /// The inputs that are read at all.
    pub inputs: Vec<(String, Use)>,
}

impl Uses {
    /// All of each input is read.
    pub(super) fn of_all(inputs: &[Input]) -> Self {
        let all = || Use { whole: true, ..Use::default() };
        Self { inputs: inputs.iter().map(|input| (input.name.clone(), all())).collect() }
    }

    /// How an input is used, if it is.
    pub fn get(&self, name: &str) -> Option<&Use> {
        self.inputs.iter().find(|(input, _)| input == name).map(|(_, usage)| usage)
    }
}

/// How a value is used, over all places where it or an alias of it stands.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Use {
    /// Whether all of it is needed: it is printed, filtered, compared, or handed on.
    pub whole: bool,
    /// Where all of it is first needed, in the whole source.
    pub whole_at: Option<SourceSpan>,
    /// Whether it is asked for its truth, or whether it is there.
    pub tested: bool,
    /// Where it is first asked for its truth, in the whole source.
    pub tested_at: Option<SourceSpan>,
    /// Whether its items or characters are counted.
    pub counted: bool,
    /// Where they are first counted, in the whole source.
    pub counted_at: Option<SourceSpan>,
    /// What is to be said where a value of a type that the checker does not know is needed without a
    /// guard, if its type turns out to be an `Option`.
    pub unguarded: Option<Box<Diagnostic>>,
    /// How its items are used, if it is looped over or indexed by a constant number.
    pub item: Option<Box<Use>>,
    /// Where its items are first used, in the whole source.
    pub item_at: Option<SourceSpan>,
    /// The attributes that are read, in the order of their first places.
    pub attributes: Vec<(String, Use)>,
    /// Where it is first read, in the whole source.
    pub span: Option<SourceSpan>,
}

impl Use {
    /// How an attribute is used, if it is.
    pub fn attribute(&self, name: &str) -> Option<&Use> {
        self.attributes.iter().find(|(attribute, _)| attribute == name).map(|(_, usage)| usage)
    }
}

/// A value in the tree of uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NodeId(usize);

/// The inputs, items and attributes that a value may be.
#[derive(Debug, Clone, Default)]
pub(super) struct Sources(Vec<NodeId>);

impl Sources {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[derive(Debug, Default)]
struct Node {
    depth: u8,
    /// The value whose attribute or item this is.
    owner: Option<NodeId>,
    whole: bool,
    whole_at: Option<SourceSpan>,
    tested: bool,
    tested_at: Option<SourceSpan>,
    counted: bool,
    counted_at: Option<SourceSpan>,
    unguarded: Option<Box<Diagnostic>>,
    item: Option<NodeId>,
    item_at: Option<SourceSpan>,
    attributes: OrderedMap<String, NodeId>,
    span: Option<SourceSpan>,
}

/// The tree of uses while it grows.
#[derive(Debug, Default)]
pub(super) struct UseTree {
    nodes: Vec<Node>,
    roots: OrderedMap<String, NodeId>,
    /// The expression that was read last, in the whole source: what is said next is about its value.
    pub(super) here: Option<SourceSpan>,
}

impl UseTree {
    /// An input that is read at a place.
    pub(super) fn root(&mut self, name: &str, span: SourceSpan) -> Sources {
        let id = match self.roots.get(name) {
            Some(id) => *id,
            None => {
                let id = self.add(None, 0, Some(span));
                self.roots.insert(name.to_owned(), id);
                id
            }
        };
        Sources(vec![id])
    }

    /// Everything of these values is read.
    pub(super) fn whole(&mut self, sources: &Sources) {
        let here = self.here;
        self.each(sources, |node| {
            node.whole = true;
            node.whole_at = node.whole_at.or(here);
        });
    }

    /// These values are asked for their truth.
    pub(super) fn tested(&mut self, sources: &Sources) {
        let here = self.here;
        self.each(sources, |node| {
            node.tested = true;
            node.tested_at = node.tested_at.or(here);
        });
    }

    /// The items or characters of these values are counted.
    pub(super) fn counted(&mut self, sources: &Sources) {
        let here = self.here;
        self.each(sources, |node| {
            node.counted = true;
            node.counted_at = node.counted_at.or(here);
        });
    }

    /// These values are needed, and nothing guards them.
    pub(super) fn unguarded(&mut self, sources: &Sources, finding: &Diagnostic) {
        self.each(sources, |node| {
            node.unguarded.get_or_insert_with(|| Box::new(finding.clone()));
        });
    }

    /// The items of these values.
    pub(super) fn item(&mut self, sources: &Sources) -> Sources {
        let mut items = Vec::new();
        for id in &sources.0 {
            let Some((depth, item)) = self.get(*id).map(|node| (node.depth, node.item)) else {
                continue;
            };
            if let Some(item) = item {
                items.push(item);
            } else if depth < MAX_DEPTH {
                let item = self.add(Some(*id), depth + 1, None);
                let here = self.here;
                self.change(*id, |node| {
                    node.item = Some(item);
                    node.item_at = here;
                });
                items.push(item);
            } else {
                self.change(*id, |node| node.whole = true);
            }
        }
        Sources(items)
    }

    /// An attribute of these values, read at a place.
    pub(super) fn attribute(&mut self, sources: &Sources, name: &str, span: SourceSpan) -> Sources {
        let mut attributes = Vec::new();
        for id in &sources.0 {
            let Some(node) = self.get(*id) else { continue };
            let (depth, attribute) = (node.depth, node.attributes.get(name).copied());
            if let Some(attribute) = attribute {
                attributes.push(attribute);
            } else if depth < MAX_DEPTH {
                let attribute = self.add(Some(*id), depth + 1, Some(span));
                self.change(*id, |node| {
                    node.attributes.insert(name.to_owned(), attribute);
                });
                attributes.push(attribute);
            } else {
                self.change(*id, |node| node.whole = true);
            }
        }
        Sources(attributes)
    }

    /// The attributes and items of inputs whose attributes or items these values are.
    pub(super) fn owners(&self, sources: &Sources) -> Sources {
        let owners = sources.0.iter().filter_map(|id| self.get(*id)?.owner);
        Sources(
            owners.filter(|id| self.get(*id).is_some_and(|node| node.owner.is_some())).collect(),
        )
    }

    /// The sources of a value that is one of two.
    pub(super) fn either(&mut self, left: Sources, right: &Sources) -> Sources {
        add_steps(left.0.len() + right.0.len());
        let mut all = left;
        all.0.extend(&right.0);
        all.0.sort_unstable();
        all.0.dedup();
        if all.0.len() > MAX_SOURCES {
            self.whole(&all);
            return Sources::default();
        }
        all
    }

    /// Whether an input is read at all.
    pub(super) fn has(&self, name: &str) -> bool {
        self.roots.contains_key(name)
    }

    /// The tree as the macros read it, with the inputs in the given order.
    pub(super) fn finish<'a>(&self, order: impl Iterator<Item = &'a str>) -> Uses {
        let ordered = order.filter_map(|name| self.roots.get(name).map(|id| (name, id)));
        let mut seen = HashSet::new();
        let inputs = ordered
            .chain(self.roots.iter().map(|(name, id)| (name.as_str(), id)))
            .filter(|(_, id)| seen.insert(**id))
            .map(|(name, id)| (name.to_owned(), self.usage(*id)))
            .collect();
        Uses { inputs }
    }

    /// No deeper than [`MAX_DEPTH`].
    fn usage(&self, id: NodeId) -> Use {
        let Some(node) = self.get(id) else { return Use { whole: true, ..Use::default() } };
        Use {
            whole: node.whole,
            whole_at: node.whole_at,
            tested: node.tested,
            tested_at: node.tested_at,
            counted: node.counted,
            counted_at: node.counted_at,
            unguarded: node.unguarded.clone(),
            item_at: node.item_at,
            item: node.item.map(|item| Box::new(self.usage(item))),
            attributes: node
                .attributes
                .iter()
                .map(|(name, attribute)| (name.clone(), self.usage(*attribute)))
                .collect(),
            span: node.span,
        }
    }

    fn add(&mut self, owner: Option<NodeId>, depth: u8, span: Option<SourceSpan>) -> NodeId {
        self.nodes.push(Node { owner, depth, span, ..Node::default() });
        NodeId(self.nodes.len() - 1)
    }

    fn get(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.0)
    }

    fn change(&mut self, id: NodeId, change: impl FnOnce(&mut Node)) {
        if let Some(node) = self.nodes.get_mut(id.0) {
            change(node);
        }
    }

    fn each(&mut self, sources: &Sources, change: impl Fn(&mut Node)) {
        add_steps(sources.0.len());
        for id in &sources.0 {
            self.change(*id, &change);
        }
    }
}
