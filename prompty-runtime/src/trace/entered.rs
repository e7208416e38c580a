//! A span that generated code holds for as long as it runs.

/// The span `prepare` of a prompt, entered; nothing without the feature `tracing`.
#[derive(Debug)]
pub struct Entered {
    #[cfg(feature = "tracing")]
    _span: tracing::span::EnteredSpan,
}

impl Entered {
    /// Enters the span of a prompt.
    #[inline]
    pub fn prepare(prompt: &'static str) -> Self {
        #[cfg(feature = "tracing")]
        return Self { _span: tracing::info_span!("prepare", prompt).entered() };
        #[cfg(not(feature = "tracing"))]
        {
            let _ = prompt;
            Self {}
        }
    }
}
