//! The kinds of inputs that are not text.

use super::{ContentPart, Media};

/// The kinds of inputs that are not text. A placeholder represents them in rendering (§5.2).
///
/// ```
/// # use prompty_core as typed_prompty;
/// use typed_prompty::message::RichKind;
///
/// assert_eq!(RichKind::from_name("image"), Some(RichKind::Image));
/// assert_eq!(RichKind::from_name("string"), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RichKind {
    /// Messages of an earlier conversation.
    Thread,
    /// An image.
    Image,
    /// A file.
    File,
    /// Audio.
    Audio,
}

impl RichKind {
    /// The term that diagnostics use for a value of any kind.
    #[doc(hidden)]
    pub const ANY: &'static str = "a thread, image, file or audio";

    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Thread, Self::Image, Self::File, Self::Audio];

    /// The name of the kind in the format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Thread => "thread",
            Self::Image => "image",
            Self::File => "file",
            Self::Audio => "audio",
        }
    }

    /// The kind with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The name with its article, for messages.
    pub const fn with_article(self) -> &'static str {
        match self {
            Self::Thread => "a thread",
            Self::Image => "an image",
            Self::File => "a file",
            Self::Audio => "audio",
        }
    }

    /// The constructor of a message part for media of this kind; `None` for a thread.
    #[doc(hidden)]
    pub const fn media_part(self) -> Option<fn(Media) -> ContentPart> {
        match self {
            Self::Thread => None,
            Self::Image => Some(ContentPart::Image),
            Self::File => Some(ContentPart::File),
            Self::Audio => Some(ContentPart::Audio),
        }
    }

    /// Whether values of the kind are media instead of messages.
    pub const fn is_media(self) -> bool {
        self.media_part().is_some()
    }
}
