//! Determines which elements of a body are prose: unknown elements, and the elements inside them.
//!
//! `<answer>…</answer>` is text, and so is a `<text>` in it. An element that is never closed
//! contains nothing, as in "wrap it in `<answer>` tags".

use std::collections::HashMap;

use super::body::Item;
use crate::message_tags::syntax::{Element, TagForm};

/// Maps each item that closes an unknown element to the item that opens it. `is_inside` is true if
/// the body is inside a message.
///
/// Pairs are only found between two tags that are structure, which are in one [`Frame`]. In
/// `<message><a><b></a></message></b>`, the items 1 and 3 are a pair. `<b>` is never closed,
/// because the `</b>` is outside of the message.
pub(super) fn pairs(items: &[Item<'_>], is_inside: bool) -> HashMap<usize, usize> {
    let mut pairs = HashMap::new();
    let mut frames = vec![Frame::default()];
    for (index, item) in items.iter().enumerate() {
        let Item::Tag(tag) = item else { continue };
        let is_in_message = is_inside || frames.len() > 1;
        let Some(frame) = frames.last_mut() else { continue };
        let name = match tag.element {
            Some(element) => element.name(),
            None => tag.name.as_str(),
        };
        // A message inside a message is text. A part inside an open unknown element is text too, in
        // case that element is closed.
        let is_structure = match tag.element {
            None => false,
            Some(Element::Message) => !is_in_message,
            Some(_) => frame.open.is_empty(),
        };
        match tag.form {
            TagForm::Empty => {}
            TagForm::Opening if is_structure => frames.push(Frame::default()),
            TagForm::Opening => frame.open(index, name),
            TagForm::Closing => match frame.close(name) {
                Some(opening) if tag.element.is_none() => {
                    pairs.insert(index, opening);
                }
                None if tag.element.is_some() => {
                    frames.pop();
                    if frames.is_empty() {
                        frames.push(Frame::default());
                    }
                }
                _ => {}
            },
        }
    }
    pairs
}

/// The open elements between two tags that are structure.
#[derive(Default)]
struct Frame<'t> {
    /// The index of each opening item, with the name of its element.
    open: Vec<(usize, &'t str)>,
    /// The number of open elements with each name.
    counts: HashMap<&'t str, usize>,
}

impl<'t> Frame<'t> {
    fn open(&mut self, index: usize, name: &'t str) {
        self.open.push((index, name));
        *self.counts.entry(name).or_default() += 1;
    }

    /// Closes the innermost element with a name, and the unclosed elements in it.
    fn close(&mut self, name: &str) -> Option<usize> {
        if self.counts.get(name).copied().unwrap_or(0) == 0 {
            return None;
        }
        while let Some((index, open)) = self.open.pop() {
            if let Some(count) = self.counts.get_mut(open) {
                *count -= 1;
            }
            if open == name {
                return Some(index);
            }
        }
        None
    }
}

/// The open elements that are text, each with the index of its opening item.
#[derive(Default)]
pub(super) struct Prose {
    /// The unknown elements.
    unknown: Vec<usize>,
    /// The elements that would have a meaning elsewhere.
    known: Vec<(usize, Element)>,
}

impl Prose {
    pub(super) fn is_open(&self) -> bool {
        !self.unknown.is_empty() || !self.known.is_empty()
    }

    pub(super) fn open(&mut self, opening: usize, element: Option<Element>) {
        match element {
            None => self.unknown.push(opening),
            Some(element) => self.known.push((opening, element)),
        }
    }

    /// Closes the element that the item at `opening` opens, and the elements in it.
    pub(super) fn close(&mut self, opening: usize) {
        while self.unknown.pop_if(|index| *index >= opening).is_some() {}
        while self.known.pop_if(|(index, _)| *index >= opening).is_some() {}
    }

    /// Closes a known element, if it is the innermost one. Returns whether it did.
    pub(super) fn close_element(&mut self, element: Element) -> bool {
        match self.known.last().copied() {
            Some((index, open)) if open == element => {
                self.close(index);
                true
            }
            _ => false,
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}
