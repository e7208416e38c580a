//! For tests: every operation of templates, and operands that are as large as a budget admits.
//!
//! The tests of budgets, the benchmark `engines` and the fuzz target `operations` share this list. A
//! name that an engine has and the list has not fails a test, so none is forgotten.
#![allow(clippy::panic, reason = "in a test, a panic is a failure")]

mod both;
mod case;
mod chat;
mod engine;
#[cfg(feature = "counting")]
pub mod measure;
mod operation;
mod prompts;
mod shape;

pub use case::{Case, Step, cases, pairs};
pub use engine::{Engine, Template};
pub use operation::{Class, Kind, Operand, Operation};
pub use shape::{SHAPES, Shape, shapes};
