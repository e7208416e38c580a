//! How the straight-line code of compiled prompts reads what may be missing.

use super::{Print, Truth};
use crate::message::Message;

/// A value that a template reads. Whether it is an `Option` or not, it is written the same way: the
/// inherent methods of the one are found before the trait's of all others.
#[derive(Debug)]
pub struct Place<'a, T: ?Sized>(pub &'a T);

impl<'a, T> Place<'a, Option<T>> {
    /// What is there, if something is.
    #[inline]
    pub fn get(self) -> Option<&'a T> {
        self.0.as_ref()
    }
}

/// [`Place::get`] for all that is no `Option`.
pub trait PlainPlace<'a, T: ?Sized> {
    /// The value itself.
    fn get(self) -> Option<&'a T>;
}

impl<'a, T: ?Sized> PlainPlace<'a, T> for Place<'a, T> {
    #[inline]
    fn get(self) -> Option<&'a T> {
        Some(self.0)
    }
}

/// Whether a condition on an `Option` of something that can be asked holds.
pub trait OptionTruth {
    /// Whether it holds.
    fn truth(&self) -> bool;
}

impl<T: Truth> OptionTruth for &&Place<'_, Option<T>> {
    fn truth(&self) -> bool {
        self.0.as_ref().is_some_and(Truth::truth)
    }
}

/// Whether an `Option` of anything else is there.
pub trait PresenceTruth {
    /// Whether it is.
    fn truth(&self) -> bool;
}

impl<T> PresenceTruth for &Place<'_, Option<T>> {
    fn truth(&self) -> bool {
        self.0.is_some()
    }
}

/// Whether a condition on anything else holds.
pub trait PlainTruth<T: ?Sized> {
    /// Whether it holds.
    fn truth(&self) -> bool
    where
        T: Truth;
}

impl<T: ?Sized> PlainTruth<T> for Place<'_, T> {
    fn truth(&self) -> bool
    where
        T: Truth,
    {
        self.0.truth()
    }
}

/// The messages of a thread, as they lie.
pub trait AsThread {
    /// The messages.
    fn as_thread(&self) -> &[Message];
}

impl AsThread for [Message] {
    fn as_thread(&self) -> &[Message] {
        self
    }
}

impl AsThread for Vec<Message> {
    fn as_thread(&self) -> &[Message] {
        self
    }
}

impl<T: AsThread + ?Sized> AsThread for &T {
    fn as_thread(&self) -> &[Message] {
        (**self).as_thread()
    }
}

impl<T: AsThread> AsThread for Option<T> {
    fn as_thread(&self) -> &[Message] {
        self.as_ref().map(AsThread::as_thread).unwrap_or_default()
    }
}

/// Adds up how much a compiled prompt would write; it takes the place of a
/// [`MessageWriter`](super::MessageWriter).
#[derive(Debug, Default, Clone, Copy)]
pub struct Sizer {
    bytes: usize,
}

impl Sizer {
    /// How many bytes were counted.
    #[inline]
    pub fn bytes(self) -> usize {
        self.bytes
    }

    /// Text of the template.
    #[inline]
    pub fn literal(&mut self, text: &str) {
        self.bytes += text.len();
    }

    /// A value, as it prints.
    #[inline]
    pub fn value<T: Print + ?Sized>(&mut self, value: &T) {
        self.bytes += value.size_hint();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_through_and_asked_for_what_they_hold() {
        struct Opaque;
        assert_eq!(Place(&Some(1)).get(), Some(&1));
        assert_eq!(Place(&1).get(), Some(&1));
        assert!(!(&&&Place(&Some(""))).truth());
        assert!((&&&Place(&Some("x"))).truth());
        assert!((&&&Place(&Some(Opaque))).truth());
        assert!(!(&&&Place(&None::<Opaque>)).truth());
        assert!(!(&&&Place("")).truth());
    }
}
