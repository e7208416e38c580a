//! Roles, messages and their parts, tools and tool calls, and their form in chat APIs. The crate
//! `prompty-wire` has the requests to providers.
//!
//! ```
//! # use prompty_core as typed_prompty;
//! use typed_prompty::message::{ContentPart, Message, Role, ToolCall, ToolResult};
//!
//! let call = ToolCall::new("c1", "weather", r#"{"city": "Bern"}"#);
//! let messages = [
//!     Message::user("How is the weather in Bern?"),
//!     Message::new(Role::Assistant, [ContentPart::ToolCall(call)]),
//!     Message::from(ToolResult::new("c1", "Sunny.")),
//!     Message::assistant("It is sunny."),
//! ];
//! assert_eq!(messages[3].text(), "It is sunny.");
//! ```
//!
//! # As JSON
//!
//! With the feature `serde`, messages, tools, media and calls have a JSON form that preserves all
//! of their content. A service can store it and read it back. It is not the form of a provider: to
//! send messages, use a `wire::Request`.
//!
//! | type | form |
//! |---|---|
//! | [`Message`] | `{role, parts: [part, …], metadata?}` |
//! | [`ContentPart`] | `{kind, …}`, with `value` for texts and the forms below for the others |
//! | [`Media`] | `{value, mediaType?, detail?, name?}` |
//! | [`ToolCall`] | `{kind: "tool_call", id, name, arguments, freeText?, provider?: {protocol, fields}}` |
//! | [`ToolResult`] | `{kind: "tool_result", callId, name?, isError?, content: [part, …]}` |
//! | [`ToolSpec`] | `{kind: "function", name, description?, parameters, strict?}` |

mod call_form;
mod content;
mod convert;
mod debug;
mod generation_options;
#[doc(hidden)]
pub mod marker_line;
mod media;
mod openai;
mod repetitions;
mod rich_kind;
#[cfg(feature = "serde")]
mod stored;
mod thread_roles;
mod tool;
mod word;

use std::fmt;

#[doc(hidden)]
pub use call_form::{CallForm, arguments_text, call_to_openai};
pub use content::Content;
pub use convert::thread_from_value;
pub use generation_options::GenerationOptions;
pub use media::{Media, MediaPlace};
#[doc(hidden)]
pub use openai::{
    FlatMessage, add_metadata, flat_messages, part_from_openai, tool_choice_to_openai,
    tool_from_openai,
};
pub use openai::{messages_from_openai, tools_from_openai, tools_to_openai};
#[doc(hidden)]
pub use repetitions::RepetitionBudget;
pub use rich_kind::RichKind;
pub use thread_roles::ThreadRoles;
pub use tool::{Strictness, ToolChoice, ToolSpec};

use crate::value::{Map, Value};

/// Who speaks in a message.
///
/// A role marker can only open one of the first four. Threads and code can use the others.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// The operator's instructions.
    System,
    /// The operator's instructions, for providers that distinguish them from the system's.
    Developer,
    /// The person who uses the program.
    User,
    /// The model.
    Assistant,
    /// The result of a tool.
    Tool,
    /// A role of a single provider.
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

/// A message: its role, the parts of its content, and metadata (Prompty §6.5).
///
/// ```
/// # use prompty_core as typed_prompty;
/// use typed_prompty::message::{Message, Role};
///
/// let message = Message::user("Hello");
/// assert_eq!(message.role, Role::User);
/// assert_eq!(message.text(), "Hello");
/// ```
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The content, in order. A message that a parser created has at least one part.
    pub content: Content,
    /// Attributes of the role marker, and what the caller adds; usually empty.
    pub metadata: Map,
}

impl Message {
    /// Creates a message with a content of parts, or of a single text.
    pub fn new(role: Role, content: impl Into<Content>) -> Self {
        Self { role, content: content.into(), metadata: Map::new() }
    }

    /// Creates a message with a single text.
    pub fn text_of(role: Role, text: impl Into<String>) -> Self {
        Self::new(role, text.into())
    }

    /// Creates a system message with a single text.
    pub fn system(text: impl Into<String>) -> Self {
        Self::text_of(Role::System, text)
    }

    /// Creates a developer message with a single text.
    pub fn developer(text: impl Into<String>) -> Self {
        Self::text_of(Role::Developer, text)
    }

    /// Creates a user message with a single text.
    pub fn user(text: impl Into<String>) -> Self {
        Self::text_of(Role::User, text)
    }

    /// Creates an assistant message with a single text.
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

/// A part of a message's content.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ContentPart {
    /// Text.
    Text(String),
    /// An image.
    Image(Media),
    /// A file.
    File(Media),
    /// Audio.
    Audio(Media),
    /// A tool call, in a message of the assistant.
    ToolCall(ToolCall),
    /// The result of a tool call.
    ToolResult(ToolResult),
    /// The model's reasoning before its answer, in a message of the assistant.
    Reasoning(String),
    /// A part that only one provider understands, in that provider's form.
    Provider(ProviderPart),
}

impl ContentPart {
    /// The text, if the part is text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The media, if the part is an image, a file or audio.
    #[doc(hidden)]
    pub fn as_media(&self) -> Option<&Media> {
        match self {
            Self::Image(media) | Self::File(media) | Self::Audio(media) => Some(media),
            _ => None,
        }
    }

    /// The media, if the part is an image, a file or audio.
    #[doc(hidden)]
    pub fn as_media_mut(&mut self) -> Option<&mut Media> {
        match self {
            Self::Image(media) | Self::File(media) | Self::Audio(media) => Some(media),
            _ => None,
        }
    }

    /// The part's name in JSON: `text`, `image`, `file`, `audio`, `tool_call`, `tool_result`,
    /// `reasoning`, `provider`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Image(_) => "image",
            Self::File(_) => "file",
            Self::Audio(_) => "audio",
            Self::ToolCall(_) => "tool_call",
            Self::ToolResult(_) => "tool_result",
            Self::Reasoning(_) => "reasoning",
            Self::Provider(_) => "provider",
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

/// A tool call that a model made.
///
/// ```
/// # use prompty_core as typed_prompty;
/// use typed_prompty::message::ToolCall;
/// use typed_prompty::value::Map;
///
/// let call = ToolCall::new("c1", "weather", r#"{"city": "Bern"}"#)
///     .with_provider_fields("openai-responses", Map::from([("namespace", "geography")]));
/// assert_eq!(call.provider_field("openai-responses", "namespace").unwrap().as_str(), Some("geography"));
/// assert!(call.provider_field("openai-chat", "namespace").is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct ToolCall {
    /// The id that the result refers to; empty if the model sends none.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text, exactly as the model wrote it.
    pub arguments: String,
    /// Whether the arguments are free text instead of JSON, for tools of some providers.
    pub free_text: bool,
    /// Fields that the provider added and expects back with the call, such as a signature.
    pub provider: Option<Box<ProviderFields>>,
}

impl ToolCall {
    /// Creates a call with an id, a name and JSON arguments.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        let (id, name, arguments) = (id.into(), name.into(), arguments.into());
        Self { id, name, arguments, ..Self::default() }
    }

    /// The same call with fields of a provider, by the name of its protocol, if there are any.
    #[must_use]
    pub fn with_provider_fields(mut self, protocol: impl Into<String>, fields: Map) -> Self {
        if !fields.is_empty() {
            self.provider = Some(Box::new(ProviderFields::new(protocol, fields)));
        }
        self
    }

    /// A field that a provider added to the call, if the call is of its protocol.
    pub fn provider_field(&self, protocol: &str, name: &str) -> Option<&Value> {
        self.provider.as_ref().filter(|own| own.protocol == protocol)?.fields.get(name)
    }
}

/// Fields of a tool call that only one provider understands, in that provider's form. Examples are
/// a signature of the reasoning, the namespace of the tool, and the program that made the call.
/// They are sent back with the call to the same provider, and to no other.
#[derive(Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct ProviderFields {
    /// The name of the protocol that the fields belong to.
    pub protocol: String,
    /// The fields as the protocol writes them. Requests take those that the protocol knows.
    pub fields: Map,
}

impl ProviderFields {
    /// Creates fields with their protocol.
    pub fn new(protocol: impl Into<String>, fields: Map) -> Self {
        Self { protocol: protocol.into(), fields }
    }
}

/// A part of a message that only one provider understands, in that provider's form. Examples are
/// signed or encrypted reasoning, a search that the provider ran itself, and items newer than this
/// library. It is sent back unchanged to the same provider, and to no other.
///
/// ```
/// # use prompty_core as typed_prompty;
/// use typed_prompty::message::ProviderPart;
/// use typed_prompty::value::{Map, Value};
///
/// let value = Map::from([("type", "compaction"), ("content", "…")]);
/// let part = ProviderPart::new("anthropic", Value::from(value));
/// assert_eq!(part.kind(), Some("compaction"));
/// ```
#[derive(Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct ProviderPart {
    /// The name of the protocol that the part belongs to.
    pub protocol: String,
    /// The part as the protocol writes it.
    pub value: Value,
}

impl ProviderPart {
    /// Creates a part with its protocol.
    pub fn new(protocol: impl Into<String>, value: impl Into<Value>) -> Self {
        Self { protocol: protocol.into(), value: value.into() }
    }

    /// The provider's name for this kind of part.
    pub fn kind(&self) -> Option<&str> {
        self.value.get("type").and_then(Value::as_str)
    }
}

/// The result of a tool call.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct ToolResult {
    /// The id of the call.
    pub call_id: String,
    /// The tool's name; empty if only the id identifies the call.
    pub name: String,
    /// The content of the result.
    pub content: Vec<ContentPart>,
    /// Whether the tool failed. Not all protocols can send this, so the text should also say it.
    pub is_error: bool,
}

impl ToolResult {
    /// Creates a result with a single text.
    pub fn new(call_id: impl Into<String>, text: impl Into<String>) -> Self {
        let content = vec![ContentPart::Text(text.into())];
        Self { call_id: call_id.into(), content, ..Self::default() }
    }

    /// The same result, marked as a failure of the tool.
    #[must_use]
    pub fn with_error(mut self) -> Self {
        self.is_error = true;
        self
    }

    /// The same result with the tool's name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }
}

impl From<ToolResult> for Message {
    /// The message that returns the result to the model.
    fn from(result: ToolResult) -> Self {
        Self::new(Role::Tool, ContentPart::ToolResult(result))
    }
}
