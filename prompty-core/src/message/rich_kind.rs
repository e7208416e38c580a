//! The kinds of inputs that are not text.

/// The kinds of inputs that are not text. While a template renders, a placeholder represents such an
/// input (Prompty §5.2).
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

    /// The kind of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The name with its article, as messages write it.
    pub const fn with_article(self) -> &'static str {
        match self {
            Self::Thread => "a thread",
            Self::Image => "an image",
            Self::File => "a file",
            Self::Audio => "an audio",
        }
    }

    /// Whether values of the kind are media and not messages.
    pub const fn is_media(self) -> bool {
        !matches!(self, Self::Thread)
    }
}
