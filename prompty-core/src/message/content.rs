//! The content of a message. It is nearly always a single text, which then needs no list.

use std::fmt;
use std::ops::{Deref, DerefMut};

use super::ContentPart;

/// The parts of a message, in order. It dereferences to a slice. A single part needs no list.
///
/// ```
/// # use prompty_core as typed_prompty;
/// use typed_prompty::message::{Content, ContentPart};
///
/// let mut content = Content::from("Hello");
/// assert_eq!(content.len(), 1);
/// content.push("!".into());
/// assert_eq!(content[1], ContentPart::from("!"));
/// ```
pub struct Content {
    parts: Parts,
}

/// A single part without a list, or a list.
#[derive(Clone)]
enum Parts {
    One(ContentPart),
    Many(Vec<ContentPart>),
}

impl Content {
    /// No parts.
    pub const fn new() -> Self {
        Self { parts: Parts::Many(Vec::new()) }
    }

    /// Appends a part.
    pub fn push(&mut self, part: ContentPart) {
        self.parts = match std::mem::replace(&mut self.parts, Parts::Many(Vec::new())) {
            Parts::One(first) => Parts::Many(vec![first, part]),
            Parts::Many(parts) if parts.is_empty() => Parts::One(part),
            Parts::Many(mut parts) => {
                parts.push(part);
                Parts::Many(parts)
            }
        };
    }

    /// Keeps the parts for which `keep` returns `true`.
    pub fn retain(&mut self, keep: impl FnMut(&ContentPart) -> bool) {
        let mut parts = std::mem::take(self).into_vec();
        parts.retain(keep);
        *self = parts.into();
    }

    /// Returns the parts as a list.
    pub fn into_vec(self) -> Vec<ContentPart> {
        match self.parts {
            Parts::One(part) => vec![part],
            Parts::Many(parts) => parts,
        }
    }
}

impl Clone for Content {
    fn clone(&self) -> Self {
        match &self.parts {
            // Copying a text directly is faster than copying the complete enum.
            Parts::One(ContentPart::Text(text)) => Self::from(text.clone()),
            parts => Self { parts: parts.clone() },
        }
    }
}

impl Default for Content {
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for Content {
    type Target = [ContentPart];

    fn deref(&self) -> &[ContentPart] {
        match &self.parts {
            Parts::One(part) => std::slice::from_ref(part),
            Parts::Many(parts) => parts,
        }
    }
}

impl DerefMut for Content {
    fn deref_mut(&mut self) -> &mut [ContentPart] {
        match &mut self.parts {
            Parts::One(part) => std::slice::from_mut(part),
            Parts::Many(parts) => parts,
        }
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl PartialEq for Content {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

/// Compares with lists, slices and arrays of parts.
impl<T: AsRef<[ContentPart]> + ?Sized> PartialEq<T> for Content {
    fn eq(&self, other: &T) -> bool {
        **self == *other.as_ref()
    }
}

impl<const N: usize> From<[ContentPart; N]> for Content {
    fn from(parts: [ContentPart; N]) -> Self {
        parts.into_iter().collect()
    }
}

impl From<ContentPart> for Content {
    #[inline]
    fn from(part: ContentPart) -> Self {
        Self { parts: Parts::One(part) }
    }
}

impl From<String> for Content {
    #[inline]
    fn from(text: String) -> Self {
        Self::from(ContentPart::Text(text))
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl From<Vec<ContentPart>> for Content {
    fn from(parts: Vec<ContentPart>) -> Self {
        Self { parts: Parts::Many(parts) }
    }
}

impl FromIterator<ContentPart> for Content {
    fn from_iter<I: IntoIterator<Item = ContentPart>>(parts: I) -> Self {
        let mut content = Self::new();
        content.extend(parts);
        content
    }
}

impl Extend<ContentPart> for Content {
    fn extend<I: IntoIterator<Item = ContentPart>>(&mut self, parts: I) {
        parts.into_iter().for_each(|part| self.push(part));
    }
}

impl IntoIterator for Content {
    type Item = ContentPart;
    type IntoIter = std::vec::IntoIter<ContentPart>;

    fn into_iter(self) -> Self::IntoIter {
        self.into_vec().into_iter()
    }
}

impl<'a> IntoIterator for &'a Content {
    type Item = &'a ContentPart;
    type IntoIter = std::slice::Iter<'a, ContentPart>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Content {
    type Item = &'a mut ContentPart;
    type IntoIter = std::slice::IterMut<'a, ContentPart>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_equal_however_it_was_built() {
        let parts = vec![ContentPart::from("a"), ContentPart::from("b")];
        let content: Content = parts.clone().into_iter().collect();
        assert_eq!(content, Content::from(parts.clone()));
        assert_eq!(content, parts);
        assert_eq!(Content::from("a"), Content::from(vec![ContentPart::from("a")]));
        assert_eq!(content.into_iter().count(), 2);
        assert!(Content::default().is_empty());
    }
}
