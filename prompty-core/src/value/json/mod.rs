//! Reads and writes JSON text, with a single table of escapes. Code that reads JSON piece by piece,
//! or that writes other values as JSON, uses the same table.
//!
//! **Half of a surrogate pair.** JSON can contain one half of a UTF-16 pair, such as `"\ud83d"`.
//! Models write one if a limit cuts an emoji in two. Python keeps such a half, but a Rust string
//! cannot. All readers of JSON here replace it by U+FFFD, because an error would lose a complete
//! reply or file for a single invisible character. The lenient reader of model answers, which can
//! report a repair, keeps the escape as text.
//!
//! **serde_json.** Text that is read as a Rust type is not read as a `Value` first. Such a type may
//! hold more digits than a `Value`, and serde's errors name the field.
//!
//! Only for the other packages of typed-prompty.

mod escape;
mod read;
mod write;

pub use escape::{
    Escape, SpecialBytes, escape_ascii_byte, escape_text, read_escape, replace_lone_surrogates,
};
pub use read::{
    JsonError, Limits, is_number, is_written_as, read, read_number, read_prefix, whole_number,
    with_digits_around_point,
};
pub use write::{JsonStyle, JsonWriter, to_string, write_float, write_string};
