//! What is done with text of an input that looks as if it opened a message.

/// The treatment of a line in an input that looks like a role marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum OnForgedMarker {
    /// The line stays text of the message that contains it.
    #[default]
    Literal,
    /// The line is an error, as §6.3 requires for strict mode.
    Error,
}
