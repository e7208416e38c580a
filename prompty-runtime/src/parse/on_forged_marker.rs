//! The treatment of text in an input that looks like a role marker.

/// The treatment of a line in an input that looks like a role marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum OnForgedMarker {
    /// The line stays text of its message.
    #[default]
    Literal,
    /// The line is an error, as §6.3 requires for strict mode.
    Error,
}

/// The beginning of a text's first line, for an error message.
pub(super) fn excerpt(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(60).collect()
}
