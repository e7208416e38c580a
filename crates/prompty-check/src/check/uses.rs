//! The parts of its inputs that a template uses.
//!
//! The macros generate conversions from this, so it must cover every read that can happen at run
//! time. If the checker loses track of a value, the value counts as fully read.
//!
//! For example, `{% for d in docs %}{{ d.title }}{% endfor %}` reads only the attribute `title` of
//! the items of `docs`. The checker calls [`UseTree::root`] for `docs`, [`UseTree::item`] for `d`
//! and [`UseTree::attribute`] for `d.title`. Because that is printed, it calls
//! [`UseTree::mark_read`].

use std::collections::HashSet;

use prompty_core::ordered_map::OrderedMap;

use crate::definition::Input;
use prompty_core::diagnostic::{Diagnostic, SourceSpan};
use prompty_core::work::add_steps;

/// The maximum depth of tracked attributes and items. Deeper values count as fully read.
const MAX_DEPTH: u8 = 24;
/// The maximum number of sources of a value. With more, all of them count as fully read.
const MAX_SOURCES: usize = 12;

/// The use of each input by a template, in the order of the signature.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Uses {
    /// The inputs that are used.
    pub inputs: Vec<(String, Use)>,
}

impl Uses {
    /// Uses of all inputs, each fully read.
    pub(super) fn of_all(inputs: &[Input]) -> Self {
        let all = || Use { read_fully: true, ..Use::default() };
        Self { inputs: inputs.iter().map(|input| (input.name.clone(), all())).collect() }
    }

    /// The use of an input; `None` if it is not used.
    pub fn get(&self, name: &str) -> Option<&Use> {
        self.inputs.iter().find(|(input, _)| input == name).map(|(_, usage)| usage)
    }
}

/// The use of a value, over all places of the value and its aliases.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Use {
    /// Whether all of it is read: it is printed, filtered, compared, or passed on.
    pub read_fully: bool,
    /// Where all of it is first read, in the complete source.
    pub read_fully_at: Option<SourceSpan>,
    /// Whether its truth or its presence is tested.
    pub tested: bool,
    /// Where it is first tested, in the complete source.
    pub tested_at: Option<SourceSpan>,
    /// Whether its items or characters are counted.
    pub counted: bool,
    /// Where they are first counted, in the complete source.
    pub counted_at: Option<SourceSpan>,
    /// The finding about an unguarded use, if the checker does not know the type of the value. It
    /// is reported if the type turns out to be an `Option`.
    pub unguarded: Option<Box<Diagnostic>>,
    /// The use of its items, if it is looped over or indexed by a constant integer.
    pub item: Option<Box<Use>>,
    /// Where its items are first used, in the complete source.
    pub item_at: Option<SourceSpan>,
    /// The attributes that are read, in the order of their first uses.
    pub attributes: Vec<(String, Use)>,
    /// Where it is first read, in the complete source.
    pub span: Option<SourceSpan>,
}

impl Use {
    /// The use of an attribute; `None` if it is not used.
    pub fn attribute(&self, name: &str) -> Option<&Use> {
        self.attributes.iter().find(|(attribute, _)| attribute == name).map(|(_, usage)| usage)
    }
}

/// The id of a value in the tree of uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NodeId(usize);

/// The inputs, items and attributes that a value may come from.
#[derive(Debug, Clone, Default)]
pub(super) struct Sources(Vec<NodeId>);

impl Sources {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A value in the tree of uses.
#[derive(Debug, Default)]
struct UseNode {
    depth: u8,
    /// The value whose attribute or item this is.
    owner: Option<NodeId>,
    /// Its own use. The uses of its item and its attributes are in their nodes.
    own: Use,
    item: Option<NodeId>,
    attributes: OrderedMap<String, NodeId>,
}

/// The tree of uses while it is built.
#[derive(Debug, Default)]
pub(super) struct UseTree {
    nodes: Vec<UseNode>,
    roots: OrderedMap<String, NodeId>,
    /// The last expression that was read, in the complete source. It is the place of the next use.
    pub(super) here: Option<SourceSpan>,
}

impl UseTree {
    /// The sources of an input that is read at a place.
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

    /// Records that these values are fully read.
    pub(super) fn mark_read(&mut self, sources: &Sources) {
        let here = self.here;
        self.change_each(sources, |node| {
            node.own.read_fully = true;
            node.own.read_fully_at = node.own.read_fully_at.or(here);
        });
    }

    /// Records that the truth of these values is tested.
    pub(super) fn mark_tested(&mut self, sources: &Sources) {
        let here = self.here;
        self.change_each(sources, |node| {
            node.own.tested = true;
            node.own.tested_at = node.own.tested_at.or(here);
        });
    }

    /// Records that the items or characters of these values are counted.
    pub(super) fn mark_counted(&mut self, sources: &Sources) {
        let here = self.here;
        self.change_each(sources, |node| {
            node.own.counted = true;
            node.own.counted_at = node.own.counted_at.or(here);
        });
    }

    /// Records an unguarded use of these values.
    pub(super) fn mark_unguarded(&mut self, sources: &Sources, finding: &Diagnostic) {
        self.change_each(sources, |node| {
            node.own.unguarded.get_or_insert_with(|| Box::new(finding.clone()));
        });
    }

    /// The sources of the items of these values.
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
                    node.own.item_at = here;
                });
                items.push(item);
            } else {
                self.change(*id, |node| node.own.read_fully = true);
            }
        }
        Sources(items)
    }

    /// The sources of an attribute of these values that is read at a place.
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
                self.change(*id, |node| node.own.read_fully = true);
            }
        }
        Sources(attributes)
    }

    /// The owners of these values, without the inputs themselves, whose presence is declared.
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
            self.mark_read(&all);
            return Sources::default();
        }
        all
    }

    /// Whether an input is used.
    pub(super) fn has(&self, name: &str) -> bool {
        self.roots.contains_key(name)
    }

    /// The finished tree, with the inputs in the given order.
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

    /// The use of a node. The recursion is at most [`MAX_DEPTH`] deep.
    fn usage(&self, id: NodeId) -> Use {
        let Some(node) = self.get(id) else { return Use { read_fully: true, ..Use::default() } };
        let attributes = node.attributes.iter();
        Use {
            item: node.item.map(|item| Box::new(self.usage(item))),
            attributes: attributes.map(|(name, id)| (name.clone(), self.usage(*id))).collect(),
            ..node.own.clone()
        }
    }

    fn add(&mut self, owner: Option<NodeId>, depth: u8, span: Option<SourceSpan>) -> NodeId {
        let own = Use { span, ..Use::default() };
        self.nodes.push(UseNode { owner, depth, own, ..UseNode::default() });
        NodeId(self.nodes.len() - 1)
    }

    fn get(&self, id: NodeId) -> Option<&UseNode> {
        self.nodes.get(id.0)
    }

    /// Changes the node of a value.
    fn change(&mut self, id: NodeId, change: impl FnOnce(&mut UseNode)) {
        if let Some(node) = self.nodes.get_mut(id.0) {
            change(node);
        }
    }

    /// Changes the nodes of all sources.
    fn change_each(&mut self, sources: &Sources, change: impl Fn(&mut UseNode)) {
        add_steps(sources.0.len());
        for id in &sources.0 {
            self.change(*id, &change);
        }
    }
}
