//! The procedural macros of `typed-prompty`.
