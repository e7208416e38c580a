//! Which elements of a body are prose: those that have no meaning, and what they enclose.
//!
//! `<answer>…</answer>` is text, and so is a `<text>` in it. What is never closed encloses nothing:
//! "wrap it in `<answer>` tags".

use std::collections::HashMap;

use super::body::Item;
use crate::message_tags::syntax::{Element, TagForm};

/// For each item of a body that closes an element without meaning, the item that opens it. `is_inside` says
/// whether the body stands in a message.
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
        // In a message another one is text, and in what may be text a part is.
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

/// The open elements between two tags that have a meaning.
#[derive(Default)]
struct Frame<'t> {
    open: Vec<(usize, &'t str)>,
    /// How many of each name are open.
    counts: HashMap<&'t str, usize>,
}

impl<'t> Frame<'t> {
    fn open(&mut self, index: usize, name: &'t str) {
        self.open.push((index, name));
        *self.counts.entry(name).or_default() += 1;
    }

    /// Closes the innermost element of a name, and those in it that nothing closes.
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

/// The elements that are open and are text, each with the item that opens it.
#[derive(Default)]
pub(super) struct Prose {
    /// Those without a meaning.
    unknown: Vec<usize>,
    /// Those that have a meaning elsewhere.
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

    /// Closes the element that an item opens, and those in it.
    pub(super) fn close(&mut self, opening: usize) {
        while self.unknown.pop_if(|index| *index >= opening).is_some() {}
        while self.known.pop_if(|(index, _)| *index >= opening).is_some() {}
    }

    /// Closes an element that has a meaning elsewhere, if it is the innermost that has one.
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
