//! Spans around work that waits.

/// A span that is not entered yet; nothing without the feature `tracing`.
pub(crate) struct Pending {
    #[cfg(feature = "tracing")]
    pub(crate) span: tracing::Span,
}

/// Makes a span for work that waits; see [`within`].
macro_rules! span_of {
    ($name:literal $(, $field:ident = $value:expr)* $(,)?) => {{
        #[cfg(not(feature = "tracing"))]
        let _ = ($(&$value,)*);
        $crate::trace::Pending {
            #[cfg(feature = "tracing")]
            span: tracing::info_span!($name $(, $field = $value)*),
        }
    }};
}

pub(crate) use span_of;

/// Runs waiting work inside a span.
pub(crate) async fn within<T>(span: Pending, work: impl Future<Output = T>) -> T {
    #[cfg(feature = "tracing")]
    let work = tracing::Instrument::instrument(work, span.span);
    #[cfg(not(feature = "tracing"))]
    let Pending {} = span;
    work.await
}
