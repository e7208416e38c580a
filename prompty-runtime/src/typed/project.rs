//! What generated code calls to turn fields into inputs: only what the template reads of them.

use super::{Each, Print, Printed, ToValue, Truth};
use crate::message::{Media, Message};
use crate::nonce::Rich;
use crate::value::{Map, Value};

/// A field of which the template reads attributes. An `Option` is read through; the inherent method
/// is found before the trait's, so that both are written the same.
#[derive(Debug)]
pub struct Part<'a, T: ?Sized>(pub &'a T);

impl<'a, T> Part<'a, Option<T>> {
    /// The attributes of what is there; nothing where nothing is.
    pub fn project(self, attributes: impl FnOnce(&'a T) -> Value) -> Value {
        self.0.as_ref().map_or(Value::Null, attributes)
    }

    /// Whether there is something; what it is like does not matter.
    pub fn truth(self) -> bool
    where
        Option<T>: OptionTruth,
    {
        self.0.option_truth()
    }
}

/// [`Part`] for all that is no `Option`.
pub trait PlainPart<'a, T: ?Sized + 'a> {
    /// The attributes.
    fn project(self, attributes: impl FnOnce(&'a T) -> Value) -> Value;

    /// Whether a condition on it holds.
    fn truth(self) -> bool
    where
        T: Truth;
}

impl<'a, T: ?Sized + 'a> PlainPart<'a, T> for Part<'a, T> {
    fn project(self, attributes: impl FnOnce(&'a T) -> Value) -> Value {
        attributes(self.0)
    }

    fn truth(self) -> bool
    where
        T: Truth,
    {
        self.0.truth()
    }
}

/// Whether an `Option` holds something.
pub trait OptionTruth {
    /// Whether it does.
    fn option_truth(&self) -> bool;
}

impl<T> OptionTruth for Option<T> {
    fn option_truth(&self) -> bool {
        self.is_some()
    }
}

/// The items of a list, each projected.
pub fn list<T: Each + ?Sized>(items: &T, project: impl FnMut(&T::Item) -> Value) -> Value {
    items.each().map(project).collect()
}

/// A value as it is.
pub fn whole<T: ToValue + ?Sized>(value: &T) -> Value {
    value.to_value()
}

/// No value; what a check gives that only rustc reads.
pub fn nothing() -> Value {
    Value::Null
}

/// A map of projected attributes.
pub fn map<const N: usize>(attributes: [(&'static str, Value); N]) -> Value {
    Value::Object(Map::from(attributes))
}

/// A type that can be a thread.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a thread",
    label = "a thread is a list of messages",
    note = "use `&[Message]` or `Vec<Message>`, or an `Option` of one"
)]
pub trait ToThread {
    /// The messages.
    fn to_thread(&self) -> Vec<Message>;
}

impl ToThread for [Message] {
    fn to_thread(&self) -> Vec<Message> {
        self.to_vec()
    }
}

impl ToThread for Vec<Message> {
    fn to_thread(&self) -> Vec<Message> {
        self.clone()
    }
}

impl<T: ToThread + ?Sized> ToThread for &T {
    fn to_thread(&self) -> Vec<Message> {
        (**self).to_thread()
    }
}

impl<T: ToThread> ToThread for Option<T> {
    fn to_thread(&self) -> Vec<Message> {
        self.as_ref().map(ToThread::to_thread).unwrap_or_default()
    }
}

/// A type that can be an image, a file or a sound.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an image, a file or a sound",
    label = "expected a `Media`",
    note = "use `Media`, or an `Option` of it"
)]
pub trait ToMedia {
    /// The medium, if there is one.
    fn to_media(&self) -> Option<Media>;
}

impl ToMedia for Media {
    fn to_media(&self) -> Option<Media> {
        Some(self.clone())
    }
}

impl<T: ToMedia + ?Sized> ToMedia for &T {
    fn to_media(&self) -> Option<Media> {
        (**self).to_media()
    }
}

impl<T: ToMedia> ToMedia for Option<T> {
    fn to_media(&self) -> Option<Media> {
        self.as_ref().and_then(ToMedia::to_media)
    }
}

/// A thread as a rich input.
pub fn thread<T: ToThread + ?Sized>(messages: &T) -> Option<Rich> {
    Some(Rich::Thread(messages.to_thread()))
}

/// An image as a rich input.
pub fn image<T: ToMedia + ?Sized>(media: &T) -> Option<Rich> {
    media.to_media().map(Rich::Image)
}

/// A file as a rich input.
pub fn file<T: ToMedia + ?Sized>(media: &T) -> Option<Rich> {
    media.to_media().map(Rich::File)
}

/// A sound as a rich input.
pub fn audio<T: ToMedia + ?Sized>(media: &T) -> Option<Rich> {
    media.to_media().map(Rich::Audio)
}

/// The messages of a thread.
pub fn thread_messages<T: ToThread + ?Sized>(messages: &T) -> Vec<Message> {
    messages.to_thread()
}

/// What a value prints as, as a value.
pub fn printed<T: Print + ?Sized>(value: &T) -> Value {
    Value::from(Printed(value).to_string())
}
