//! The Rust types that can be threads, images, files and sounds.

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
