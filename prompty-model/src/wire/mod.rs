//! To the provider and back.

mod anthropic;
mod assembler;
#[cfg(feature = "async-openai")]
pub mod async_openai;
mod body;
mod calls;
mod capabilities;
mod chat;
mod complete;
mod embeddings;
mod error;
mod fields;
mod images;
mod media;
mod models;
mod options;
mod parse;
mod reader;
mod request;
mod responses;
mod stream;
mod turn;
mod whole;

pub use capabilities::CapabilityTable;
pub use embeddings::{EmbeddingRequest, Embeddings};
pub use error::{ProviderError, WireError, WireErrorKind};
pub use images::{GeneratedImage, ImageRequest, Images};
pub use media::audio_format;
pub use models::{ModelInfo, ModelList, ModelListing};
pub use options::{PromptCache, Reasoning};
pub use request::Request;
pub use stream::Stream;
pub use turn::append_turn;

use reader::Reader;

use crate::reply::Reply;

/// The protocol that a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Protocol {
    /// OpenAI's chat completions.
    #[default]
    OpenAiChat,
    /// Chat completions of others, as llama-server, Ollama, vLLM and many hosts have them: what differs is the
    /// name of the limit of tokens.
    OpenAiCompatible,
    /// OpenAI's responses.
    OpenAiResponses,
    /// Anthropic's messages.
    AnthropicMessages,
}

impl Protocol {
    /// The path of requests below the base URL, which ends with the version, such as
    /// `https://api.openai.com/v1`.
    ///
    /// ```
    /// use prompty_model::wire::Protocol;
    ///
    /// assert_eq!(Protocol::OpenAiChat.path(), "/chat/completions");
    /// ```
    pub const fn path(self) -> &'static str {
        match self {
            Self::OpenAiChat | Self::OpenAiCompatible => "/chat/completions",
            Self::OpenAiResponses => "/responses",
            Self::AnthropicMessages => "/messages",
        }
    }

    /// A reader of an answer that comes in pieces.
    pub fn stream(self) -> Stream {
        Stream::with_offered(self, None)
    }

    /// Reads a whole answer by its HTTP status and its body.
    ///
    /// ```
    /// use prompty_model::wire::Protocol;
    ///
    /// let body = br#"{"choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}]}"#;
    /// assert_eq!(Protocol::OpenAiChat.read(200, body)?.content(), "Hello");
    /// # Ok::<(), prompty_model::wire::WireError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Where the status or the body is that of an error, or the body is not that of the protocol.
    pub fn read(self, status: u16, body: &[u8]) -> Result<Reply, WireError> {
        whole::read(Reader::new(self, None), status, body)
    }
}
