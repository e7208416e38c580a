//! A lenient JSON reader for text from models. One state machine reads complete and streamed text,
//! and repairs damage.
//!
//! The machine reads the text once. Where it needs the following text, for example to decide
//! whether a quote closes a string, it looks ahead at most [`characters::MAX_LOOKAHEAD`] bytes. If
//! that much has not arrived yet, it waits. So it never has to take back an event, and the result
//! does not depend on how the text is split.
//!
//! `machine` has the states and the events. `open_string` decides which quote closes a string, with
//! the help of `lookahead` and `quote`. `word` reads numbers, `true` and words without quotes.
//! `characters` has the maximum lookahead, and helpers. [`standard_number`] is also used for the
//! numbers that are written in another form than JSON has.

mod characters;
mod lookahead;
mod machine;
mod open_string;
mod quote;
mod word;

pub(super) use machine::{JsonEvent, JsonMachine, MachineStatus};
pub(super) use word::standard_number;
