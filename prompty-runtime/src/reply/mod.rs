//! What a model answered, structured: reasoning, content and tool calls, whole or as a stream.

pub mod format;
