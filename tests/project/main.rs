//! Tests of the repository: its documentation, its code, its packages and their dependencies.
//!
//! They are one program, because linking a program takes as long as running its tests.

#[path = "../design.rs"]
mod design;
#[path = "../hygiene.rs"]
mod hygiene;
#[path = "../import_cycles/main.rs"]
mod import_cycles;
#[path = "../readme.rs"]
mod readme;
#[path = "../secrets.rs"]
mod secrets;
#[path = "../tree.rs"]
mod tree;
