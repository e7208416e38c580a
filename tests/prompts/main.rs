//! Tests of prompts in Rust programs: typed prompts, slots, several files, a custom template
//! language, and errors.
//!
//! They are one program, because linking a program takes as long as running its tests.

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
