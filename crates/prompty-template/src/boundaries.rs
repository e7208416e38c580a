//! The places at which a render marks the beginning and end of messages.
//!
//! A parser recognises structure by the nonce of the render. Each render inserts the nonce into the
//! literal text of the template, at places that are computed from the tree beforehand. They depend
//! on how the template marks its messages, but not on its language.

use crate::message_tags::{MessageCall, Tags};
use crate::role_markers::syntax::{Insertion, Occasion};
use crate::role_markers::{self, TemplateMarker};
use crate::tree::Template;
use prompty_core::diagnostic::TemplateSpan;

/// The nonces and tags that a render adds to the literal text of a template.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Boundaries {
    /// The texts with the nonce, from left to right. Texts at the same offset are in writing order.
    pub insertions: Vec<Insertion>,
    /// The attributes of markers, from left to right. Expressions inside are
    /// [encoded](crate::role_markers::syntax::encode_attribute).
    pub attributes: Vec<TemplateSpan>,
    /// The calls that mark messages, from left to right. A render replaces each with a tag.
    pub calls: Vec<MessageCall>,
}

impl Boundaries {
    /// Returns the boundaries for role lines such as `user:` (§6.2).
    pub fn from_role_lines(text: &str, template: &Template) -> Self {
        Self::from_markers(role_markers::find(text, template))
    }

    /// Returns the boundaries for the role lines of a template.
    pub fn from_markers(markers: Vec<TemplateMarker>) -> Self {
        Self {
            attributes: markers.iter().filter_map(|marker| marker.attributes).collect(),
            insertions: markers.into_iter().flat_map(|marker| marker.insertions).collect(),
            calls: Vec::new(),
        }
    }

    /// Adds insertions into literal text.
    #[must_use]
    pub fn with_insertions(mut self, insertions: Vec<Insertion>) -> Self {
        self.insertions.extend(insertions);
        self.insertions.sort_by_key(|insertion| insertion.offset);
        self
    }

    /// Returns the boundaries for message tags and calls of `message`.
    pub fn from_tags(tags: Tags) -> Self {
        let Tags { mut insertions, mut attributes, mut calls, .. } = tags;
        // The tags are collected in a different order than they have in the text.
        insertions.sort_by_key(|insertion| insertion.offset);
        attributes.sort_unstable();
        calls.sort_by_key(|call| call.node);
        Self { insertions, attributes, calls }
    }

    /// Returns the same boundaries without the insertions into literal text.
    pub fn without_insertions(&self) -> Self {
        Self { insertions: Vec::new(), ..self.clone() }
    }

    /// Returns the boundaries for renders without threads and media, if they differ.
    pub fn without_rich_inputs(&self) -> Option<Self> {
        let is_needed = |it: &Insertion| it.occasion != Occasion::RichInputs;
        if self.insertions.iter().all(is_needed) {
            return None;
        }
        let mut needed = self.clone();
        needed.insertions.retain(is_needed);
        Some(needed)
    }

    /// Returns the call that marks a message, if it is exactly the node at this span.
    pub fn call_at(&self, node: TemplateSpan) -> Option<&MessageCall> {
        let index = self.calls.partition_point(|it| it.node.start < node.start);
        self.calls.get(index).filter(|it| it.node == node)
    }

    /// Whether a span is inside the attributes of a marker.
    pub fn has_attribute_at(&self, span: TemplateSpan) -> bool {
        let next = self.attributes.partition_point(|it| it.start <= span.start);
        let attributes = next.checked_sub(1).and_then(|index| self.attributes.get(index));
        attributes.is_some_and(|it| it.contains(span))
    }
}
