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
}

/// [`Part`] for all that is no `Option`.
pub trait PlainPart<'a, T: ?Sized + 'a> {
    /// The attributes.
    fn project(self, attributes: impl FnOnce(&'a T) -> Value) -> Value;
}

impl<'a, T: ?Sized + 'a> PlainPart<'a, T> for Part<'a, T> {
    fn project(self, attributes: impl FnOnce(&'a T) -> Value) -> Value {
        attributes(self.0)
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

/// Whether a value is true, as a value.
pub fn truth<T: Truth + ?Sized>(value: &T) -> Value {
    Value::Bool(value.truth())
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

#[diagnostic::do_not_recommend]
impl ToThread for [Message] {
    fn to_thread(&self) -> Vec<Message> {
        self.to_vec()
    }
}

#[diagnostic::do_not_recommend]
impl ToThread for Vec<Message> {
    fn to_thread(&self) -> Vec<Message> {
        self.clone()
    }
}

#[diagnostic::do_not_recommend]
impl<T: ToThread + ?Sized> ToThread for &T {
    fn to_thread(&self) -> Vec<Message> {
        (**self).to_thread()
    }
}

#[diagnostic::do_not_recommend]
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

#[diagnostic::do_not_recommend]
impl ToMedia for Media {
    fn to_media(&self) -> Option<Media> {
        Some(self.clone())
    }
}

#[diagnostic::do_not_recommend]
impl<T: ToMedia + ?Sized> ToMedia for &T {
    fn to_media(&self) -> Option<Media> {
        (**self).to_media()
    }
}

#[diagnostic::do_not_recommend]
impl<T: ToMedia> ToMedia for Option<T> {
    fn to_media(&self) -> Option<Media> {
        self.as_ref().and_then(ToMedia::to_media)
    }
}

/// A value that is only asked for: whether it is true, and whether it is there.
pub fn asked(is_missing: bool, truth: Value) -> Value {
    if is_missing { Value::Null } else { truth }
}

/// A thread as a rich input.
pub fn thread(messages: Vec<Message>) -> Option<Rich> {
    Some(Rich::Thread(messages))
}

/// An image as a rich input.
pub fn image(media: Option<Media>) -> Option<Rich> {
    media.map(Rich::Image)
}

/// A file as a rich input.
pub fn file(media: Option<Media>) -> Option<Rich> {
    media.map(Rich::File)
}

/// A sound as a rich input.
pub fn audio(media: Option<Media>) -> Option<Rich> {
    media.map(Rich::Audio)
}

/// The messages of a thread.
pub fn thread_messages<T: ToThread + ?Sized>(messages: &T) -> Vec<Message> {
    messages.to_thread()
}

impl<T: Print + ?Sized> Part<'_, T> {
    /// What the value prints as, as a value.
    pub fn printed(self) -> Value {
        Value::from(Printed(self.0).to_string())
    }
}

/// What stands in for [`Part::printed`] where a type cannot be printed: the message that captures it
/// has said so already.
pub trait UnprintedPart: Sized {
    /// Nothing.
    fn printed(self) -> Value {
        Value::Null
    }
}

impl<T: ?Sized> UnprintedPart for Part<'_, T> {}
