//! Spans around work that is done at once.

/// Opens a span of the pipeline for the rest of the block; nothing without the feature `tracing`.
macro_rules! span {
    ($name:literal $(, $field:ident = $value:expr)* $(,)?) => {
        #[cfg(feature = "tracing")]
        let _span = tracing::info_span!($name $(, $field = $value)*).entered();
        #[cfg(not(feature = "tracing"))]
        let _ = ($(&$value,)*);
    };
}

pub(crate) use span;
