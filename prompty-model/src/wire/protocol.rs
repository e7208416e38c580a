//! The protocols that providers speak.

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
}
