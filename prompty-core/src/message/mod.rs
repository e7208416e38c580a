//! Roles, messages and their parts, tools and calls of them; and the form of chat APIs, from which and
//! to which messages and tools are converted.
//!
//! ```
//! use prompty_core::message::{ContentPart, Message, Role, ToolCall, ToolResult};
//! use prompty_core::message::{messages_from_openai, messages_to_openai};
//!
//! let call = ToolCall::new("c1", "weather", r#"{"city": "Bern"}"#);
//! let messages = [
//!     Message::user("How is the weather in Bern?"),
//!     Message::new(Role::Assistant, [ContentPart::ToolCall(call)]),
//!     Message::from(ToolResult::new("c1", "Sunny.")),
//!     Message::assistant("It is sunny."),
//! ];
//! let value = messages_to_openai(&messages);
//! assert!(value.to_json().starts_with(r#"[{"role": "user", "content": "How is the weather in"#));
//! assert_eq!(messages_from_openai(&value)?, messages);
//! # Ok::<(), prompty_core::Error>(())
//! ```

mod chat_api;
mod content;
mod convert;
#[doc(hidden)]
pub mod marker_line;
mod thread_roles;
mod word;

use std::fmt;

#[doc(hidden)]
pub use chat_api::{FlatMessage, add_metadata, call_to_openai, flatten};
pub use chat_api::{messages_from_openai, messages_to_openai, tools_from_openai, tools_to_openai};
pub use content::Content;
pub use convert::thread_from_value;
pub use thread_roles::ThreadRoles;

use crate::value::{Map, Value};

/// Who speaks in a message.
///
/// A role marker can only ever open one of the first four; the others reach messages by threads and
/// by code.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// The operator's instructions.
    System,
    /// The operator's instructions, for providers that tell them apart from the system's.
    Developer,
    /// The person who asks.
    User,
    /// The model.
    Assistant,
    /// What a tool answered.
    Tool,
    /// A role that only a provider knows.
    Other(Box<str>),
}

impl Role {
    /// The roles that a marker line can open, in the order in which help texts list them.
    pub const OF_MARKERS: [Self; 4] = [Self::System, Self::User, Self::Assistant, Self::Developer];

    /// The role's name, in lower case for all but [`Role::Other`].
    pub fn as_str(&self) -> &str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::Other(name) => name,
        }
    }
}

impl From<&str> for Role {
    fn from(name: &str) -> Self {
        match name {
            "system" => Self::System,
            "developer" => Self::Developer,
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "tool" => Self::Tool,
            other => Self::Other(other.into()),
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One message: who speaks, the parts of what is said, and metadata (Prompty §6.5).
///
/// ```
/// use prompty_core::message::{Message, Role};
///
/// let message = Message::user("Hello");
/// assert_eq!(message.role, Role::User);
/// assert_eq!(message.text(), "Hello");
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order. A message that a parser made has at least one part.
    pub content: Content,
    /// Attributes of the role marker, or whatever the caller adds; empty when there are none.
    pub metadata: Map,
}

impl Message {
    /// A message of the given parts, or of one text.
    pub fn new(role: Role, content: impl Into<Content>) -> Self {
        Self { role, content: content.into(), metadata: Map::new() }
    }

    /// A message of one text.
    pub fn text_of(role: Role, text: impl Into<String>) -> Self {
        Self::new(role, text.into())
    }

    /// A system message of one text.
    pub fn system(text: impl Into<String>) -> Self {
        Self::text_of(Role::System, text)
    }

    /// A developer message of one text.
    pub fn developer(text: impl Into<String>) -> Self {
        Self::text_of(Role::Developer, text)
    }

    /// A user message of one text.
    pub fn user(text: impl Into<String>) -> Self {
        Self::text_of(Role::User, text)
    }

    /// An assistant message of one text.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::text_of(Role::Assistant, text)
    }

    /// The same message with an entry added to its metadata.
    #[must_use]
    pub fn with_metadata(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.metadata.insert(name, value);
        self
    }

    /// The texts of all text parts, joined.
    pub fn text(&self) -> String {
        self.content.iter().filter_map(ContentPart::as_text).collect()
    }
}

/// One piece of a message's content.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ContentPart {
    /// Text.
    Text(String),
    /// An image.
    Image(Media),
    /// A file.
    File(Media),
    /// A sound.
    Audio(Media),
    /// A call of a tool, in a message of the assistant.
    ToolCall(ToolCall),
    /// What a tool answered.
    ToolResult(ToolResult),
    /// What the model thought before it answered, in a message of the assistant.
    Reasoning(String),
}

impl ContentPart {
    /// The text, if this is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The part's name in JSON: `text`, `image`, `file`, `audio`, `tool_call`, `tool_result`,
    /// `reasoning`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Image(_) => "image",
            Self::File(_) => "file",
            Self::Audio(_) => "audio",
            Self::ToolCall(_) => "tool_call",
            Self::ToolResult(_) => "tool_result",
            Self::Reasoning(_) => "reasoning",
        }
    }
}

impl From<String> for ContentPart {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for ContentPart {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// An image, a file or a sound: where it is, or what it is.
///
/// ```
/// use prompty_core::message::Media;
///
/// let image = Media::new("https://example.com/cat.png").with_media_type("image/png");
/// assert_eq!(image.media_type.as_deref(), Some("image/png"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Media {
    /// A URL, a data URI, or base64 data. It is empty where only the place of the medium in the
    /// conversation is known, as a chat template needs it.
    pub value: String,
    /// The MIME type, such as `image/png`.
    pub media_type: Option<String>,
    /// How closely a model should look at an image: `auto`, `low`, `high`.
    pub detail: Option<String>,
}

impl Media {
    /// A medium by URL, data URI or base64 data.
    pub fn new(value: impl Into<String>) -> Self {
        Self { value: value.into(), ..Self::default() }
    }

    /// The same medium with a MIME type.
    #[must_use]
    pub fn with_media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    /// The same image with a level of detail.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }
}

impl From<String> for Media {
    fn from(value: String) -> Self {
        Self::new(value)
    }
}

impl From<&str> for Media {
    fn from(value: &str) -> Self {
        Self::new(value)
    }
}

/// A call of a tool that a model made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ToolCall {
    /// What the answer refers to; empty where the model gives none.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text, kept as the model wrote it.
    pub arguments: String,
}

impl ToolCall {
    /// A call by id, name and JSON arguments.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self { id: id.into(), name: name.into(), arguments: arguments.into() }
    }
}

/// What a tool answered to a call.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct ToolResult {
    /// The id of the call that this answers.
    pub call_id: String,
    /// The tool's name; empty where only the id says which call this answers.
    pub name: String,
    /// The answer.
    pub content: Vec<ContentPart>,
}

impl ToolResult {
    /// An answer of one text.
    pub fn new(call_id: impl Into<String>, text: impl Into<String>) -> Self {
        let content = vec![ContentPart::Text(text.into())];
        Self { call_id: call_id.into(), name: String::new(), content }
    }

    /// The same answer with the tool's name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }
}

impl From<ToolResult> for Message {
    /// The message that gives the model the answer.
    fn from(result: ToolResult) -> Self {
        Self::new(Role::Tool, ContentPart::ToolResult(result))
    }
}

/// A tool that a model may call: its name, what it is for, and the JSON schema of its parameters.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Tool {
    /// The name that the model calls.
    pub name: String,
    /// What the tool is for, as the model reads it.
    pub description: Option<String>,
    /// The JSON schema of the parameters.
    pub parameters: Map,
}

impl Tool {
    /// A tool by name, with the JSON schema of its parameters.
    pub fn new(name: impl Into<String>, parameters: Map) -> Self {
        Self { name: name.into(), description: None, parameters }
    }

    /// Whether all providers take a name: 1 to 64 letters `a` to `z` in both cases, digits, `_` and
    /// `-`.
    ///
    /// ```
    /// use prompty_core::message::Tool;
    ///
    /// assert!(Tool::is_name("get_weather"));
    /// assert!(!Tool::is_name("get weather"));
    /// ```
    pub const fn is_name(name: &str) -> bool {
        let mut rest = name.as_bytes();
        if rest.is_empty() || rest.len() > 64 {
            return false;
        }
        while let Some((first, behind)) = rest.split_first() {
            if !(first.is_ascii_alphanumeric() || matches!(first, b'_' | b'-')) {
                return false;
            }
            rest = behind;
        }
        true
    }

    /// The same tool with a description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }
}

/// Which tools the model may or must call.
///
/// ```
/// use prompty_core::message::ToolChoice;
///
/// let choice = ToolChoice::Tool("weather".to_owned());
/// assert_ne!(choice, ToolChoice::default());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// The model calls no tool, and is not told of any.
    None,
    /// At least one.
    Required,
    /// This one.
    Tool(String),
}
