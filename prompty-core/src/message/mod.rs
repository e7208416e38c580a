//! Roles, messages and their parts, tools and calls of them; and how they are read from the form of
//! chat APIs. Requests to providers are the matter of the crate `prompty-wire`.
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
//! With the feature `serde`, messages, tools, media and calls have forms of their own, which keep all
//! that they hold and read back. They are no provider's: a service stores them and a `wire::Request`
//! sends them.
//!
//! | type | form |
//! |---|---|
//! | [`Message`] | `{role, parts: [part, …], metadata?}` |
//! | [`ContentPart`] | `{kind, …}`: `value` of texts; what stands below of the others |
//! | [`Media`] | `{value, mediaType?, detail?, name?}` |
//! | [`ToolCall`] | `{kind: "tool_call", id, name, arguments, freeText?, provider?: {protocol, fields}}` |
//! | [`ToolResult`] | `{kind: "tool_result", callId, name?, isError?, content: [part, …]}` |
//! | [`ToolSpec`] | `{kind: "function", name, description?, parameters, strict?}` |

mod call_form;
mod content;
mod convert;
mod generation_options;
#[doc(hidden)]
pub mod marker_line;
mod media;
mod openai;
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
    FlatMessage, add_metadata, flatten, part_from_openai, tool_choice_to_openai, tool_from_openai,
};
pub use openai::{messages_from_openai, tools_from_openai, tools_to_openai};
pub use rich_kind::RichKind;
pub use thread_roles::ThreadRoles;
pub use tool::{Strictness, ToolChoice, ToolSpec};

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
/// # use prompty_core as typed_prompty;
/// use typed_prompty::message::{Message, Role};
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
    /// What only one provider understands, in its own form.
    Provider(ProviderPart),
}

impl ContentPart {
    /// The text, if this is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The image, file or audio, if this is one.
    #[doc(hidden)]
    pub fn as_media(&self) -> Option<&Media> {
        match self {
            Self::Image(media) | Self::File(media) | Self::Audio(media) => Some(media),
            _ => None,
        }
    }

    /// The image, file or audio, if this is one.
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

/// A call of a tool that a model made.
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
    /// What the answer refers to; empty where the model gives none.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text, kept as the model wrote it.
    pub arguments: String,
    /// Whether the arguments are free text and no JSON, as some providers have such tools.
    pub free_text: bool,
    /// What only the provider that made the call says of it and wants back with it, such as a signature.
    pub provider: Option<Box<ProviderFields>>,
}

impl ToolCall {
    /// A call by id, name and JSON arguments.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
            free_text: false,
            provider: None,
        }
    }

    /// The same call with what only a provider says of it, by the name of its protocol. Where there is nothing to
    /// say, the call stays as it is.
    #[must_use]
    pub fn with_provider_fields(mut self, protocol: impl Into<String>, fields: Map) -> Self {
        if !fields.is_empty() {
            self.provider = Some(Box::new(ProviderFields::new(protocol, fields)));
        }
        self
    }

    /// What a provider says of the call under a name, if the call is of its protocol.
    pub fn provider_field(&self, protocol: &str, name: &str) -> Option<&Value> {
        self.provider.as_ref().filter(|own| own.protocol == protocol)?.fields.get(name)
    }
}

/// What only one provider says of a call beside what a call is for all, in the form in which the provider sent it:
/// the signature of the thoughts that led to it, the namespace of its tool, the program that made it. It goes back
/// to the same provider with the call, and to no other.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct ProviderFields {
    /// The name of the protocol that the fields belong to.
    pub protocol: String,
    /// The fields as the protocol writes them. Requests take those that the protocol knows.
    pub fields: Map,
}

impl ProviderFields {
    /// Fields by their protocol, in the form of the protocol.
    pub fn new(protocol: impl Into<String>, fields: Map) -> Self {
        Self { protocol: protocol.into(), fields }
    }
}

/// A part of a message that only one provider understands, in the form in which the provider sent it:
/// signed or encrypted reasoning, a search that the provider ran itself, a kind of item that is newer
/// than this library. It goes back to the same provider as it is, and to no other.
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
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct ProviderPart {
    /// The name of the protocol that the part belongs to.
    pub protocol: String,
    /// The part as the protocol writes it.
    pub value: Value,
}

impl ProviderPart {
    /// A part by its protocol, in the form of the protocol.
    pub fn new(protocol: impl Into<String>, value: impl Into<Value>) -> Self {
        Self { protocol: protocol.into(), value: value.into() }
    }

    /// What kind of part it is, as the provider names it.
    pub fn kind(&self) -> Option<&str> {
        self.value.get("type").and_then(Value::as_str)
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
    /// Whether the answer says that the tool failed. Only some protocols have a place for it; the text should say it,
    /// too.
    pub is_error: bool,
}

impl ToolResult {
    /// An answer of one text.
    pub fn new(call_id: impl Into<String>, text: impl Into<String>) -> Self {
        let content = vec![ContentPart::Text(text.into())];
        Self { call_id: call_id.into(), name: String::new(), content, is_error: false }
    }

    /// The same answer, which says that the tool failed.
    #[must_use]
    pub fn with_error(mut self) -> Self {
        self.is_error = true;
        self
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
