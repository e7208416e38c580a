//! The protocols that providers speak.

/// The protocol that a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Protocol {
    /// OpenAI's chat completions, below `https://api.openai.com/v1`.
    #[default]
    OpenAiChat,
    /// Chat completions of other servers, such as llama-server, Ollama, vLLM and many hosts. Only
    /// the name of the token limit differs. Base URLs are for example `http://127.0.0.1:8080/v1`
    /// (llama-server), `http://127.0.0.1:11434/v1` (Ollama) and `http://127.0.0.1:8000/v1` (vLLM).
    OpenAiCompatible,
    /// OpenAI's responses, below `https://api.openai.com/v1`.
    OpenAiResponses,
    /// Anthropic's messages, below `https://api.anthropic.com/v1`.
    AnthropicMessages,
}

impl Protocol {
    /// The path of requests below the base URL, which ends with the version, such as
    /// `https://api.openai.com/v1`. [`headers`](Self::headers) are the headers.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_wire as wire; }
    /// use typed_prompty::wire::Protocol;
    ///
    /// assert_eq!(Protocol::OpenAiChat.path(), "/chat/completions");
    /// ```
    pub const fn path(self) -> &'static str {
        self.rules().path
    }
}
