//! A rendered prompt, with all data that a parser needs.

use std::iter::Zip;
use std::vec::IntoIter;

use super::{Nonce, PLACEHOLDER_PREFIX};
use prompty_core::error::Error;
use prompty_core::message::{ContentPart, Message, Role, ThreadRoles};
use prompty_core::text::trim_line_breaks;

/// The text of a rendered prompt, the nonce of its role markers, and the rich inputs of its
/// placeholders.
///
/// It can be sent to any thread, and it does not borrow from the prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    text: String,
    markers: Markers,
    rich: Vec<(String, Rich)>,
    /// The roles that each rich input allows if it is a thread, in the order of `rich`.
    roles: Vec<ThreadRoles>,
    /// How the text is divided into messages.
    rules: TextRules,
}

/// How a rendered text is divided into messages, apart from its markers.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct TextRules {
    /// The role of the text before the first marker, which is then a message even if it is empty.
    pub(crate) leading_role: Option<Role>,
    /// Whether only line breaks of the template are removed at the ends of messages.
    pub(crate) keeps_white_space: bool,
}

/// The rich inputs with their placeholders and allowed thread roles.
pub(crate) type RichWithRoles = Zip<IntoIter<(String, Rich)>, IntoIter<ThreadRoles>>;

/// The rule by which lines of a rendered text are role markers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Markers {
    /// Only the lines that carry this nonce.
    Carrying(Nonce),
    /// Every line that matches the expression of §6.2. Use it only for text without untrusted
    /// inputs.
    Plain,
}

/// The value of an input that is not text. A placeholder represents it in the rendered text.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Rich {
    /// Messages of an earlier conversation.
    Thread(Vec<Message>),
    /// An image, a file or audio, as a message part.
    Part(ContentPart),
}

impl Markers {
    /// The name of the input that a placeholder represents, or the placeholder itself.
    pub(crate) fn input_name<'p>(&self, placeholder: &'p str) -> &'p str {
        let Self::Carrying(nonce) = self else { return placeholder };
        let name = placeholder
            .strip_prefix(PLACEHOLDER_PREFIX)
            .and_then(|rest| rest.strip_prefix(nonce.as_str()))
            .and_then(|rest| rest.strip_prefix('_')?.strip_suffix("__"));
        name.unwrap_or(placeholder)
    }
}

impl Rich {
    /// Whether the thread has no messages, or the media has no data.
    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Thread(messages) => messages.is_empty(),
            Self::Part(part) => part.as_media().is_some_and(|media| media.value.is_empty()),
        }
    }

    /// The number of bytes that a copy takes.
    pub(crate) fn copied_bytes(&self) -> usize {
        match self {
            Self::Thread(messages) => messages.iter().map(Message::copied_bytes).sum(),
            Self::Part(part) => part.copied_bytes(),
        }
    }
}

impl Rendered {
    /// Makes a rendered prompt from a text whose role markers carry a nonce, and from rich inputs
    /// with their placeholders.
    pub fn new(text: String, nonce: Nonce, rich: Vec<(String, Rich)>) -> Self {
        let roles = vec![ThreadRoles::DEFAULT; rich.len()];
        Self { text, markers: Markers::Carrying(nonce), rich, roles, rules: TextRules::default() }
    }

    /// Like [`Rendered::new`], with the roles that each rich input allows if it is a thread.
    pub(crate) fn with_roles(
        text: String,
        nonce: Nonce,
        rich: impl IntoIterator<Item = (String, Rich, ThreadRoles)>,
    ) -> Self {
        let rich = rich.into_iter().map(|(placeholder, rich, roles)| ((placeholder, rich), roles));
        let (rich, roles) = rich.unzip();
        Self { text, markers: Markers::Carrying(nonce), rich, roles, rules: TextRules::default() }
    }

    /// Sets how the text is divided into messages.
    pub(crate) fn with_rules(mut self, rules: TextRules) -> Self {
        self.rules = rules;
        self
    }

    /// How the text is divided into messages.
    pub(crate) fn rules(&self) -> &TextRules {
        &self.rules
    }

    /// Makes a rendered text that parses to the given messages. A message that text cannot express
    /// becomes a thread, for example if it has tool calls, another role or metadata.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Random`](prompty_core::error::ErrorKind::Random) if drawing a nonce
    /// fails.
    pub fn from_messages(messages: Vec<Message>) -> Result<Self, Error> {
        let nonce = super::random_nonce()?;
        let mut text = String::new();
        let mut rich = Vec::new();
        for (index, message) in messages.into_iter().enumerate() {
            if index > 0 {
                text.push_str("\n\n");
            }
            let role = message.role.as_str();
            let has_plain_marker =
                Role::OF_MARKERS.contains(&message.role) && message.metadata.is_empty();
            // The parser would drop line breaks at the ends of the content.
            let is_kept = |content: &str| trim_line_breaks(content) == content;
            match &*message.content {
                [ContentPart::Text(content)] if has_plain_marker && is_kept(content) => {
                    text.push_str(&format!("{role}[nonce={nonce}]:\n{content}"));
                }
                _ => {
                    let placeholder = nonce.placeholder(&format!("message{index}"));
                    // The thread replaces its section, so the role `system` is not used. Markers
                    // may not support the role of the message.
                    text.push_str(&format!("system[nonce={nonce}]:\n{placeholder}"));
                    let roles = ThreadRoles::new([message.role.clone()]);
                    rich.push((placeholder, Rich::Thread(vec![message]), roles));
                }
            }
        }
        Ok(Self::with_roles(text, nonce, rich))
    }

    /// Makes a rendered prompt from a text in which every line that looks like a role marker is
    /// one.
    ///
    /// Use it only for text without untrusted inputs.
    pub fn plain(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            markers: Markers::Plain,
            rich: Vec::new(),
            roles: Vec::new(),
            rules: TextRules::default(),
        }
    }

    /// Adds a rich input with its placeholder. A thread allows the default roles.
    #[must_use]
    pub fn with_rich(mut self, placeholder: impl Into<String>, rich: Rich) -> Self {
        self.rich.push((placeholder.into(), rich));
        self.roles.push(ThreadRoles::DEFAULT);
        self
    }

    /// Sets the roles that the thread with a placeholder allows.
    #[doc(hidden)]
    #[must_use]
    pub fn with_thread_roles(mut self, placeholder: &str, roles: &ThreadRoles) -> Self {
        for ((known, _), allowed) in self.rich.iter().zip(&mut self.roles) {
            if known == placeholder {
                *allowed = roles.clone();
            }
        }
        self
    }

    /// Checks the roles of all threads. The built-in parser checks each thread when it expands it.
    /// A pipeline calls this before a parser of the host.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::RoleNotAllowed`](prompty_core::error::ErrorKind::RoleNotAllowed) if a
    /// thread does not allow the role of one of its messages.
    #[doc(hidden)]
    pub fn check_threads(&self) -> Result<(), Error> {
        for ((placeholder, rich), roles) in self.rich.iter().zip(&self.roles) {
            if let Rich::Thread(thread) = rich {
                roles.check(self.markers.input_name(placeholder), thread)?;
            }
        }
        Ok(())
    }

    /// The text with its nonces. Line breaks that carry the nonce separate a marker from other text
    /// that could end up on its line.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text without nonces, as the template's author expects it. Placeholders of rich inputs
    /// stay.
    pub fn plain_text(&self) -> String {
        match &self.markers {
            Markers::Carrying(nonce) => {
                prompty_template::role_markers::syntax::without_nonce(&self.text, nonce.as_str())
            }
            Markers::Plain => self.text.clone(),
        }
    }

    /// The text, the rule for its markers, and the rich inputs with their placeholders and allowed
    /// thread roles.
    pub(crate) fn into_parts(self) -> (String, Markers, RichWithRoles) {
        (self.text, self.markers, self.rich.into_iter().zip(self.roles))
    }

    /// The roles that each rich input allows if it is a thread, in the order of
    /// [`rich`](Self::rich).
    pub(crate) fn roles(&self) -> &[ThreadRoles] {
        &self.roles
    }

    /// The rule by which lines of the text are role markers.
    pub fn markers(&self) -> &Markers {
        &self.markers
    }

    /// The rich inputs with their placeholders.
    pub fn rich(&self) -> &[(String, Rich)] {
        &self.rich
    }
}
