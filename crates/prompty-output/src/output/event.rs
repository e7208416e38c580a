//! The events of an output stream.

use prompty_core::value::Value;

use super::path::Path;

/// A change of a value.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum OutputEvent {
    /// A string has grown.
    Text {
        /// The path of the value.
        path: Path,
        /// The new part of the string.
        delta: String,
    },
    /// A number or a boolean, as far as it has arrived. A number may still grow, or turn out to be
    /// the beginning of a string without quotes. For `null` there is only [`Done`](Self::Done).
    Scalar {
        /// The path of the value.
        path: Path,
        /// The value so far.
        value: Value,
    },
    /// A value is complete. No further events follow about it or its parts. This event is missing
    /// for a value in which the reply ends.
    Done {
        /// The path of the value.
        path: Path,
        /// The complete value, as the model wrote it.
        value: Value,
    },
    /// All earlier events are void, and the events that follow replace them. This happens if
    /// another value of the reply is the intended one, or if a key occurs twice and the later value
    /// counts.
    Restarted,
}
