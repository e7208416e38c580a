//! Where the messages of a template begin and end: what a render writes so that a parser finds them.
//!
//! A parser knows structure by the nonce of the render. So each render writes the nonce into the literal
//! text of the template, at places that are found before, in the tree. Which places those are depends on
//! how the template marks its messages, and not on its language.

use super::markers::{self, TemplateMarker};
use super::tags::{MessageCall, Tags};
use crate::nonce::marker::Insertion;
use prompty_core::diagnostic::Span;
use prompty_core::template::SyntaxError;
use prompty_core::template::tree::Template;

/// What a render writes into the literal text of a template.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Boundaries {
    /// Texts with the nonce, from left to right. Where two have the same place, the first comes first.
    pub insertions: Vec<Insertion>,
    /// The attributes of markers, from left to right: what an expression prints there is
    /// [encoded](crate::nonce::marker::encode_attribute).
    pub attributes: Vec<Span>,
    /// The calls that mark messages, from left to right: what a render writes in their place are tags.
    pub calls: Vec<MessageCall>,
}

impl Boundaries {
    /// The boundaries that lines such as `user:` make (§6.2).
    pub fn from_role_lines(text: &str, template: &Template) -> Self {
        Self::from_markers(&markers::find(text, template))
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
    #[cfg(feature = "render")]
    pub(crate) fn without_insertions(&self) -> Self {
        Self { insertions: Vec::new(), ..self.clone() }
    }

    /// The call that marks a message and stands in the node at a place.
    pub fn call_at(&self, node: Span) -> Option<&MessageCall> {
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
    pub fn has_attribute_at(&self, span: Span) -> bool {
        let next = self.attributes.partition_point(|it| it.start <= span.start);
        let attributes = next.checked_sub(1).and_then(|index| self.attributes.get(index));
        attributes.is_some_and(|it| it.contains(span))
    }
}

/// A part of a literal text as a render writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Written {
    Text(Box<str>),
    /// The digits of the render's nonce.
    Nonce,
}

/// The insertions of a template, of which each literal text takes those that stand in it. The texts may come in
/// any order.
#[derive(Debug)]
pub(super) struct Untaken<'b> {
    insertions: &'b [Insertion],
    is_taken: Vec<bool>,
}

impl<'b> Untaken<'b> {
    pub(super) fn new(boundaries: &'b Boundaries) -> Self {
        let insertions = boundaries.insertions.as_slice();
        Self { insertions, is_taken: vec![false; insertions.len()] }
    }

    /// A literal text, cut where it takes the nonce. Where two texts meet, the one that comes first takes what
    /// stands between them.
    pub(super) fn cut(&mut self, text: &str, span: Span) -> Vec<Written> {
        let mut parts = Vec::new();
        let mut rest = text;
        let mut position = span.start;
        // What waits to be written: texts beside each other become one part.
        let mut pending = String::new();
        let first = self.insertions.partition_point(|it| it.offset < span.start);
        let insertions = self.insertions.iter().zip(&mut self.is_taken).skip(first);
        for (insertion, is_taken) in insertions.take_while(|(it, _)| it.offset <= span.end) {
            if *is_taken {
                continue;
            }
            let length = insertion.offset.checked_sub(position);
            let Some((before, behind)) = length.and_then(|length| rest.split_at_checked(length))
            else {
                continue;
            };
            *is_taken = true;
            pending.push_str(before);
            pending.push_str(insertion.before);
            parts.push(Written::Text(std::mem::take(&mut pending).into()));
            parts.push(Written::Nonce);
            pending.push_str(insertion.after);
            rest = behind;
            position = insertion.offset;
        }
        pending.push_str(rest);
        if !pending.is_empty() {
            parts.push(Written::Text(pending.into()));
        }
        parts
    }

    /// Checks that each insertion stands in a text that is written.
    ///
    /// # Errors
    ///
    /// A boundary of a message would be lost: the tree is not that of the template's text.
    pub(super) fn finish(self) -> Result<(), SyntaxError> {
        let mut left = self.insertions.iter().zip(&self.is_taken);
        let Some((lost, _)) = left.find(|(_, is_taken)| !**is_taken) else { return Ok(()) };
        let span = Span::new(lost.offset, lost.offset);
        let error = SyntaxError::new(span, "what marks a message here stands in no literal text");
        Err(error.with_help(
            "the language's parser must give each literal text the place at which it stands in the template",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::{Boundaries, Untaken, Written};
    use crate::nonce::marker::Insertion;
    use prompty_core::diagnostic::Span;

    fn boundaries(offsets: &[usize]) -> Boundaries {
        let insertion = |offset: &usize| Insertion { offset: *offset, before: "<", after: ">" };
        let insertions = offsets.iter().map(insertion).collect();
        Boundaries { insertions, ..Boundaries::default() }
    }

    fn written(parts: &[Written]) -> String {
        let part = |part: &Written| match part {
            Written::Text(text) => text.to_string(),
            Written::Nonce => "N".to_owned(),
        };
        parts.iter().map(part).collect()
    }

    #[test]
    fn texts_take_what_stands_in_them_in_any_order_and_once() {
        let boundaries = boundaries(&[1, 3, 5]);
        let mut untaken = Untaken::new(&boundaries);
        assert_eq!(written(&untaken.cut("de", Span::new(3, 5))), "<N>de<N>");
        assert_eq!(written(&untaken.cut("abc", Span::new(0, 3))), "a<N>bc");
        assert_eq!(written(&untaken.cut("f", Span::new(5, 6))), "f");
        assert_eq!(untaken.finish(), Ok(()));
    }

    #[test]
    fn a_boundary_that_no_text_takes_is_an_error() {
        let boundaries = boundaries(&[1, 4]);
        let mut untaken = Untaken::new(&boundaries);
        untaken.cut("ab", Span::new(0, 2));
        assert_eq!(untaken.finish().unwrap_err().span, Span::new(4, 4));
    }
}
