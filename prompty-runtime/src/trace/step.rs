//! Events of an analysis: what each of its steps found.

/// Reports what a step found; nothing without the feature `tracing`.
pub(crate) fn step(name: &'static str, found: &str) {
    #[cfg(feature = "tracing")]
    tracing::debug!(step = name, found, "analysis");
    #[cfg(not(feature = "tracing"))]
    let _ = (name, found);
}
