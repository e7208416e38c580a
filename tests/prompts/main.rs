//! Prompts in Rust programs: typed, of slots, of several files, and in another template language.
//!
//! One program, since each that is linked takes as long as its tests.

#[path = "../language.rs"]
mod language;
#[path = "../several_files/main.rs"]
mod several_files;
#[path = "../slots.rs"]
mod slots;
#[path = "../typed/main.rs"]
mod typed;
