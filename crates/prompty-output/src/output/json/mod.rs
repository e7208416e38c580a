//! JSON as models write it: one machine that reads whole texts and growing ones, and mends what it can.
//!
//! The machine goes through the text once. Where it must see what follows (does this quote close the
//! text?) it looks ahead, at most [`reach::REACH`] bytes, and waits if that much has not come. So it
//! tells nothing that it would have to take back, and a text in pieces gives the same as the whole.

mod behind;
mod machine;
mod quote;
mod reach;
mod text;
mod word;

pub(super) use machine::{Event, Fate, Machine};
pub(super) use word::finite;
