//! The inputs of a render.

use std::fmt;
use std::sync::Arc;

use crate::nonce::Rich;
use prompty_core::message::{ContentPart, Media, Message};
use prompty_core::trace::{HiddenTexts, redact_entries};
use prompty_core::value::{Map, Value};

/// The inputs of a render: values by name, and typed threads, images, files and audio.
///
/// A [`Map`] converts into inputs, so plain data needs only a map:
///
/// ```
/// # mod typed_prompty { pub use prompty_core::value; pub use prompty_runtime::render; }
/// use typed_prompty::render::Inputs;
/// use typed_prompty::value::Map;
///
/// let inputs = Inputs::from(Map::from([("question", "Why?")]));
/// assert_eq!(inputs.values().len(), 1);
/// ```
///
/// `Debug` hides the defaults that came from `${env:…}` and `${file:…}`, and the values of inputs
/// whose names indicate a secret.
#[derive(Clone, Default, PartialEq)]
pub struct Inputs {
    values: Map,
    rich: Vec<(Arc<str>, Rich)>,
    hidden: HiddenTexts,
}

impl fmt::Debug for Inputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inputs")
            .field("values", &redact_entries(&self.hidden.hide_map(&self.values)))
            .field("rich", &self.rich)
            .finish()
    }
}

impl Inputs {
    /// Makes empty inputs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.values.insert(name, value);
        self
    }

    /// Adds a thread: messages of an earlier conversation.
    #[must_use]
    pub fn with_thread(self, name: &str, messages: impl Into<Vec<Message>>) -> Self {
        self.with_rich(name, Rich::Thread(messages.into()))
    }

    /// Adds an image.
    #[must_use]
    pub fn with_image(self, name: &str, image: impl Into<Media>) -> Self {
        self.with_rich(name, Rich::Part(ContentPart::Image(image.into())))
    }

    /// Adds a file.
    #[must_use]
    pub fn with_file(self, name: &str, file: impl Into<Media>) -> Self {
        self.with_rich(name, Rich::Part(ContentPart::File(file.into())))
    }

    /// Adds audio.
    #[must_use]
    pub fn with_audio(self, name: &str, audio: impl Into<Media>) -> Self {
        self.with_rich(name, Rich::Part(ContentPart::Audio(audio.into())))
    }

    /// Adds a rich input: a thread or media.
    #[must_use]
    pub fn with_rich(mut self, name: &str, rich: Rich) -> Self {
        self.rich.push((name.into(), rich));
        self
    }

    /// The plain values.
    pub fn values(&self) -> &Map {
        &self.values
    }

    /// The typed threads, images, files and audio.
    pub fn rich(&self) -> &[(Arc<str>, Rich)] {
        &self.rich
    }

    /// Whether an input of this name was given.
    pub fn contains(&self, name: &str) -> bool {
        self.values.contains_key(name) || self.rich.iter().any(|(given, _)| &**given == name)
    }

    /// Sets the texts that `Debug` hides.
    pub(super) fn hiding(mut self, hidden: &HiddenTexts) -> Self {
        self.hidden = hidden.clone();
        self
    }

    pub(crate) fn values_mut(&mut self) -> &mut Map {
        &mut self.values
    }

    /// Removes the rich input of this name.
    pub(crate) fn take_rich(&mut self, name: &str) -> Option<Rich> {
        let index = self.rich.iter().position(|(given, _)| &**given == name)?;
        Some(self.rich.swap_remove(index).1)
    }

    pub(crate) fn into_parts(self) -> (Map, Vec<(Arc<str>, Rich)>) {
        (self.values, self.rich)
    }
}

impl From<Map> for Inputs {
    fn from(values: Map) -> Self {
        Self { values, ..Self::default() }
    }
}

impl From<&Map> for Inputs {
    fn from(values: &Map) -> Self {
        Self::from(values.clone())
    }
}

impl<V: Into<Value>, const N: usize> From<[(&str, V); N]> for Inputs {
    fn from(values: [(&str, V); N]) -> Self {
        Self::from(Map::from(values))
    }
}
