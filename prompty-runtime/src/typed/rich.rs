//! The Rust types that can be threads, images, files and audio.

use super::Untrusted;
use prompty_core::message::{Media, Message};

/// A type that can be a thread.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a thread",
    label = "a thread is a list of messages",
    note = "use `&[Message]` or `Vec<Message>`, or an `Option` of one"
)]
pub trait AsThread {
    /// The messages as a slice.
    fn as_thread(&self) -> &[Message];
}

#[diagnostic::do_not_recommend]
impl AsThread for [Message] {
    fn as_thread(&self) -> &[Message] {
        self
    }
}

#[diagnostic::do_not_recommend]
impl AsThread for Vec<Message> {
    fn as_thread(&self) -> &[Message] {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<const COUNT: usize> AsThread for [Message; COUNT] {
    fn as_thread(&self) -> &[Message] {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<T: AsThread + ?Sized> AsThread for &T {
    fn as_thread(&self) -> &[Message] {
        (**self).as_thread()
    }
}

#[diagnostic::do_not_recommend]
impl<T: AsThread> AsThread for Option<T> {
    fn as_thread(&self) -> &[Message] {
        self.as_ref().map(AsThread::as_thread).unwrap_or_default()
    }
}

#[diagnostic::do_not_recommend]
impl<T: AsThread> AsThread for Untrusted<T> {
    fn as_thread(&self) -> &[Message] {
        self.get().as_thread()
    }
}

/// A type that can be a thread with any roles: a thread of the program itself, which is not
/// `Untrusted`.
#[diagnostic::on_unimplemented(
    message = "a thread from outside can have the roles `user`, `assistant` and `tool` only",
    label = "this thread is declared with more roles, and its type is `{Self}`",
    note = "remove the other roles from `roles`, or declare the input without `Untrusted`"
)]
pub trait AsOwnThread: AsThread {}

#[diagnostic::do_not_recommend]
impl AsOwnThread for [Message] {}

#[diagnostic::do_not_recommend]
impl AsOwnThread for Vec<Message> {}

#[diagnostic::do_not_recommend]
impl<const COUNT: usize> AsOwnThread for [Message; COUNT] {}

#[diagnostic::do_not_recommend]
impl<T: AsOwnThread + ?Sized> AsOwnThread for &T {}

#[diagnostic::do_not_recommend]
impl<T: AsOwnThread> AsOwnThread for Option<T> {}

/// Requires that a thread is not `Untrusted`.
pub fn require_own_thread<T: AsOwnThread + ?Sized>(_: &T) {}

/// A type that can be an image, a file or audio.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an image, a file or audio",
    label = "expected a `Media`",
    note = "use `Media`, or an `Option` of it"
)]
pub trait ToMedia {
    /// The media, if there is one.
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
