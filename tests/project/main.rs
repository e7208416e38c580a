//! What the repository promises of itself: its texts, its packages and what they link.
//!
//! One program, since each that is linked takes as long as its tests.

#[path = "../design.rs"]
mod design;
#[path = "../hygiene.rs"]
mod hygiene;
#[path = "../readme.rs"]
mod readme;
#[path = "../tree.rs"]
mod tree;
#[path = "../walls/main.rs"]
mod walls;
