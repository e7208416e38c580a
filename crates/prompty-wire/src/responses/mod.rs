//! OpenAI's responses.

mod forms;
pub(super) mod parse;
mod read;
mod write;

use super::protocol::Protocol;

pub(super) use read::ResponsesReader;
pub(super) use write::ResponsesBody;

/// The protocol's name in parts that only its providers understand.
pub(super) const PROTOCOL: &str = Protocol::OpenAiResponses.part_name();

/// What the provider says of a call and wants back with it: which group its tool is of, and which program made it.
pub(super) const CALL_FIELDS: &[&str] = &["namespace", "caller"];
