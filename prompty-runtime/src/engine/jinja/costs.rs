//! What the work of a render costs, in bytes: the prices that the budget and those who pay agree on.

use minijinja::Error as EngineError;
use minijinja::value::Value as EngineValue;

use super::bridge::engine_error;
use prompty_core::error::{Error, ErrorKind};

/// What reading an item or entry costs: it takes about as long as so many bytes of text.
pub(super) const ITEM: usize = 64;
/// What a step of the engine stands for, beside the fuel that it costs.
pub(super) const STEP: usize = 64;
/// What calling a filter or test for an item costs.
pub(super) const CALL: usize = 512;
/// What looking at a byte costs where each letter is looked at by itself: it takes several times as long
/// as copying the byte.
pub(super) const LETTER: usize = 8;
/// What a byte of a text that is searched for costs: the search looks for repetitions in it first.
pub(super) const SOUGHT: usize = 4;
/// What measuring an item of an input costs.
pub(super) const MEASURED: usize = 8;
/// What passing over an item costs.
pub(super) const SKIPPED: usize = 32;
/// The room of an item in a list.
pub(super) const SLOT: usize = size_of::<EngineValue>();
/// The room of a list, map or text of its own, beside what it holds.
pub(super) const ALLOCATION: usize = 64;
/// The room of an entry in a map, beside what its name and its value hold.
pub(super) const ENTRY: usize = 128;
/// Texts up to this length lie in the item itself.
const INLINE: usize = 22;
/// The room that a text takes beside its item.
pub(super) fn text_room(length: usize) -> usize {
    if length > INLINE { length.saturating_add(ALLOCATION) } else { length }
}

/// The error of a render that would do more than it may.
pub(super) fn too_much(what: &str, limit: usize) -> EngineError {
    let message = format!("the template {what} more than {limit} bytes of text and lists");
    let help = "raise `max_output` of the render limits if that is meant";
    engine_error(Error::new(ErrorKind::Limit, message).with_help(help))
}
