//! Where the messages of a template begin and end: what a render writes so that a parser finds them.
//!
//! A parser knows structure by the nonce of the render. So each render writes the nonce into the literal
//! text of the template, at places that are found before, in the tree. Which places those are depends on
//! how the template marks its messages, and not on its language.

use crate::message_tags::{MessageCall, Tags};
use crate::role_markers::syntax::Insertion;
use crate::role_markers::syntax::Occasion;
use crate::role_markers::{self, TemplateMarker};
use crate::tree::Template;
use prompty_core::diagnostic::TemplateSpan;

/// What a render writes into the literal text of a template.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Boundaries {
    /// Texts with the nonce, from left to right. Where two have the same place, the first comes first.
    pub insertions: Vec<Insertion>,
    /// The attributes of markers, from left to right: what an expression prints there is
    /// [encoded](crate::role_markers::syntax::encode_attribute).
    pub attributes: Vec<TemplateSpan>,
    /// The calls that mark messages, from left to right: what a render writes in their place are tags.
    pub calls: Vec<MessageCall>,
}

impl Boundaries {
    /// The boundaries that lines such as `user:` make (§6.2).
    pub fn from_role_lines(text: &str, template: &Template) -> Self {
        Self::from_markers(&role_markers::find(text, template))
    }

    /// The boundaries that message tags make, and calls of `message`.
    pub fn from_tags(tags: Tags) -> Self {
        let Tags { mut insertions, mut attributes, mut calls, .. } = tags;
        // The bodies of a block may stand in another order than that in which they are looked at.
        insertions.sort_by_key(|insertion| insertion.offset);
        attributes.sort_unstable();
        calls.sort_by_key(|call| call.node);
        Self { insertions, attributes, calls }
    }

    /// The same without what is inserted into literal text.
    pub fn without_insertions(&self) -> Self {
        Self { insertions: Vec::new(), ..self.clone() }
    }

    /// The boundaries of renders without threads and media, if they differ.
    pub fn without_rich_inputs(&self) -> Option<Self> {
        let is_needed = |it: &Insertion| it.occasion != Occasion::RichInputs;
        if self.insertions.iter().all(is_needed) {
            return None;
        }
        let mut needed = self.clone();
        needed.insertions.retain(is_needed);
        Some(needed)
    }

    /// The call that marks a message and stands in the node at a place.
    pub fn call_at(&self, node: TemplateSpan) -> Option<&MessageCall> {
        let index = self.calls.partition_point(|it| it.node.start < node.start);
        self.calls.get(index).filter(|it| it.node == node)
    }

    fn from_markers(markers: &[TemplateMarker]) -> Self {
        Self {
            insertions: markers.iter().flat_map(|marker| marker.insertions.clone()).collect(),
            attributes: markers.iter().filter_map(|marker| marker.attributes).collect(),
            calls: Vec::new(),
        }
    }

    /// Whether a place lies in the attributes of a marker.
    pub fn has_attribute_at(&self, span: TemplateSpan) -> bool {
        let next = self.attributes.partition_point(|it| it.start <= span.start);
        let attributes = next.checked_sub(1).and_then(|index| self.attributes.get(index));
        attributes.is_some_and(|it| it.contains(span))
    }
}
