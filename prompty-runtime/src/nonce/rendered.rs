//! A rendered prompt, and all that the parser needs to read it.

use super::Nonce;
#[cfg(feature = "render")]
use prompty_core::message::ContentPart;
use prompty_core::message::{Media, Message};

/// The text of a rendered prompt, the nonce that its role markers carry, and the rich inputs whose
/// placeholders stand in it.
///
/// It can be used from any thread and holds no reference to the prompt it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    text: String,
    markers: Markers,
    rich: Vec<(String, Rich)>,
}

/// Which lines of a rendered text are role markers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Markers {
    /// Only those that carry this nonce.
    Carrying(Nonce),
    /// Every line that matches the expression of §6.2: for texts that no input went into.
    Plain,
}

/// An input that is no text: what its placeholder stands for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Rich {
    /// Messages of an earlier conversation.
    Thread(Vec<Message>),
    /// An image.
    Image(Media),
    /// A file.
    File(Media),
    /// A sound.
    Audio(Media),
}

impl Rich {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Thread(messages) => messages.is_empty(),
            Self::Image(media) | Self::File(media) | Self::Audio(media) => media.value.is_empty(),
        }
    }
}

impl Rendered {
    /// A text whose role markers carry a nonce, with the rich inputs by their placeholders.
    pub fn new(text: String, nonce: Nonce, rich: Vec<(String, Rich)>) -> Self {
        Self { text, markers: Markers::Carrying(nonce), rich }
    }

    /// Messages as a rendered text that parses to them. What a text cannot say (tool calls, other
    /// roles, metadata) travels as a thread.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Random`](prompty_core::error::ErrorKind::Random) where no nonce can be drawn.
    #[cfg(feature = "render")]
    pub fn from_messages(messages: Vec<Message>) -> Result<Self, prompty_core::error::Error> {
        let nonce = Nonce::random()?;
        let mut text = String::new();
        let mut rich = Vec::new();
        for (index, message) in messages.into_iter().enumerate() {
            if index > 0 {
                text.push_str("\n\n");
            }
            let role = message.role.as_str();
            let plain = prompty_core::message::Role::OF_MARKERS.contains(&message.role)
                && message.metadata.is_empty();
            match &*message.content {
                [ContentPart::Text(content)] if plain && content.trim_matches('\n') == content => {
                    text.push_str(&format!("{role}[nonce={nonce}]:\n{content}"));
                }
                _ => {
                    let placeholder = nonce.placeholder(&format!("message{index}"));
                    // The thread takes the section's place, so that its role never shows; that of the
                    // message may be none that a marker can have.
                    text.push_str(&format!("system[nonce={nonce}]:\n{placeholder}"));
                    rich.push((placeholder, Rich::Thread(vec![message])));
                }
            }
        }
        Ok(Self::new(text, nonce, rich))
    }

    /// A text in which every line that looks like a role marker is one.
    ///
    /// Use it only for text that no stranger's input went into.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), markers: Markers::Plain, rich: Vec::new() }
    }

    /// The same text with a rich input for one more placeholder.
    #[must_use]
    pub fn with_rich(mut self, placeholder: impl Into<String>, rich: Rich) -> Self {
        self.rich.push((placeholder.into(), rich));
        self
    }

    /// The text with the nonces in it. Where a marker may come to stand beside other text in its
    /// line, line breaks that carry the nonce part them.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text as the template's author would expect it: markers without their nonce. Placeholders
    /// of rich inputs stay.
    pub fn plain_text(&self) -> String {
        match &self.markers {
            Markers::Carrying(nonce) => super::marker::without_nonce(&self.text, nonce.as_str()),
            Markers::Plain => self.text.clone(),
        }
    }

    /// The text, which lines are role markers, and the rich inputs by their placeholders.
    pub fn into_parts(self) -> (String, Markers, Vec<(String, Rich)>) {
        (self.text, self.markers, self.rich)
    }

    /// Which lines are role markers.
    pub fn markers(&self) -> &Markers {
        &self.markers
    }

    /// The rich inputs by their placeholders.
    pub fn rich(&self) -> &[(String, Rich)] {
        &self.rich
    }
}
