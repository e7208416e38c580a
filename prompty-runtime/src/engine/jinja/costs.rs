//! The costs of a render's work, in bytes. The constants up to [`SKIPPED`] are for time, as the
//! bytes that could be read meanwhile. Those from [`SLOT`] on are for memory.

use minijinja::Error as EngineError;
use minijinja::value::Value as EngineValue;

use super::bridge::engine_error;
use prompty_core::error::{Error, ErrorKind};

/// The cost of reading an item or entry. It takes about as long as reading this many bytes.
pub(super) const ITEM: usize = 64;
/// The cost of an engine step, for the counts of the tests. In a render, only fuel pays for it.
pub(super) const STEP: usize = 64;
/// The cost of calling a filter or test for an item.
pub(super) const CALL: usize = 512;
/// The cost of a byte if each character is processed separately. That takes several times as
/// long as a copy.
pub(super) const CHARACTER: usize = 8;
/// The cost of a byte of a search string. The search first looks for repetitions in it.
pub(super) const SEARCHED: usize = 4;
/// The cost of measuring an item of an input.
pub(super) const MEASURED: usize = 8;
/// The cost of skipping an item.
pub(super) const SKIPPED: usize = 32;
/// The size of an item in a list.
pub(super) const SLOT: usize = size_of::<EngineValue>();
/// The size of an allocation of a list, map or string, without its contents.
pub(super) const ALLOCATION: usize = 64;
/// The size of an entry in a map, without the contents of its name and value.
pub(super) const ENTRY: usize = 128;
/// Strings up to this length are stored in the item itself.
const INLINE: usize = 22;

/// The size of a string in addition to its item.
pub(super) fn text_room(length: usize) -> usize {
    if length > INLINE { length.saturating_add(ALLOCATION) } else { length }
}

/// The error for a render that exceeds its budget.
pub(super) fn work_limit_error(what: &str, limit: usize) -> EngineError {
    let message = format!("the template {what} more than {limit} bytes of text and lists");
    let help = "raise `max_output` of the render limits";
    engine_error(Error::new(ErrorKind::Limit, message).with_help(help))
}
