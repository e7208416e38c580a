//! What a stream tells of a value.

use prompty_core::value::Value;

use super::path::Path;

/// What is new of a value.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum OutputEvent {
    /// A text has grown.
    Text {
        /// Which value.
        path: Path,
        /// What came to it.
        delta: String,
    },
    /// A number or a truth value is known, as far as it has come: a number may grow, and it may turn out to
    /// be the beginning of a text without quotes. `null` is told when it is done.
    Scalar {
        /// Which value.
        path: Path,
        /// The value so far.
        value: Value,
    },
    /// A value is whole. Nothing more is told of it, nor of anything in it. A value in which the reply ended is
    /// not told as whole.
    Done {
        /// Which value.
        path: Path,
        /// The whole value, as the model wrote it.
        value: Value,
    },
    /// Another value of the reply is meant than the one that was told, or a key came twice, of which the later
    /// value is taken. All that was told is void, and what holds follows.
    Restarted,
}
