//! JSON text: the one reader, the one writer and the one table of escapes. What reads JSON piece by
//! piece, or writes other values as JSON, uses this table, too.
//!
//! **Half of a surrogate pair.** JSON can write one half of a UTF-16 pair alone, as `"\ud83d"`, and
//! models do so when a limit cuts an emoji in two. Python keeps such a half; a Rust text cannot. It is
//! read as U+FFFD, the replacement character, wherever JSON is read: to refuse it would lose a whole
//! reply or file over one character that nobody can see.
//!
//! Only for the other packages of typed-prompty.

mod escape;
mod read;
mod write;

pub use escape::{
    Escape, SpecialBytes, escape_ascii_byte, escape_text, read_escape, replace_lone_surrogates,
};
pub use read::{JsonError, Limits, is_number, read, read_prefix, with_digits_around_point};
pub use write::{JsonStyle, JsonWriter, to_string, write_float, write_string};
