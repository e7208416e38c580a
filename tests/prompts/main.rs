//! Prompts in Rust programs: typed, of slots, of several files, in another template language, and what goes
//! wrong with them.
//!
//! One program, since each that is linked takes as long as its tests.

#[path = "../errors.rs"]
mod errors;
#[path = "../language.rs"]
mod language;
#[path = "../several_files/main.rs"]
mod several_files;
#[path = "../slots.rs"]
mod slots;
#[path = "../typed/main.rs"]
mod typed;
