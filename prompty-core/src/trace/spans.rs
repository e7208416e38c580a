//! Spans and events through the `tracing` crate. Without the feature `tracing` they do nothing. No
//! other package of the project depends on that crate.

/// Opens a span of the pipeline for the rest of the block.
#[cfg(feature = "tracing")]
#[doc(hidden)]
#[macro_export]
macro_rules! __span {
    ($name:literal $(, $field:ident = $value:expr)* $(,)?) => {
        let _span = $crate::__tracing::info_span!($name $(, $field = $value)*).entered();
    };
}

/// Opens a span of the pipeline for the rest of the block.
#[cfg(not(feature = "tracing"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __span {
    ($name:literal $(, $field:ident = $value:expr)* $(,)?) => {
        let _ = ($(&$value,)*);
    };
}

/// Creates a span for a future; see [`within`].
#[cfg(feature = "tracing")]
#[doc(hidden)]
#[macro_export]
macro_rules! __pending_span {
    ($name:literal $(, $field:ident = $value:expr)* $(,)?) => {
        $crate::trace::PendingSpan {
            span: $crate::__tracing::info_span!($name $(, $field = $value)*),
        }
    };
}

/// Creates a span for a future; see [`within`].
#[cfg(not(feature = "tracing"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __pending_span {
    ($name:literal $(, $field:ident = $value:expr)* $(,)?) => {{
        let _ = ($(&$value,)*);
        $crate::trace::PendingSpan {}
    }};
}

#[doc(hidden)]
pub use __pending_span as pending_span;
#[doc(hidden)]
pub use __span as span;

/// A span that has not been entered.
#[doc(hidden)]
#[derive(Debug)]
pub struct PendingSpan {
    /// The span.
    #[cfg(feature = "tracing")]
    pub span: tracing::Span,
}

/// Runs a future inside a span.
#[doc(hidden)]
pub async fn within<T>(span: PendingSpan, work: impl Future<Output = T>) -> T {
    #[cfg(feature = "tracing")]
    let work = tracing::Instrument::instrument(work, span.span);
    #[cfg(not(feature = "tracing"))]
    let PendingSpan {} = span;
    work.await
}

/// Whether spans are recorded. If not, callers need not print values for them.
#[doc(hidden)]
pub fn is_recorded() -> bool {
    #[cfg(feature = "tracing")]
    return tracing::enabled!(tracing::Level::INFO);
    #[cfg(not(feature = "tracing"))]
    false
}

/// Reports the result of a step of an analysis.
#[doc(hidden)]
pub fn step(name: &'static str, found: &str) {
    #[cfg(feature = "tracing")]
    tracing::debug!(step = name, found, "analysis");
    #[cfg(not(feature = "tracing"))]
    let _ = (name, found);
}

/// The entered span `prepare` of a prompt. Generated code holds it until the prompt is prepared.
#[doc(hidden)]
#[derive(Debug)]
pub struct EnteredSpan {
    #[cfg(feature = "tracing")]
    _span: tracing::span::EnteredSpan,
}

impl EnteredSpan {
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
