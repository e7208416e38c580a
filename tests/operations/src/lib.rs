//! For tests: every operation of templates, with operands as large as a budget allows.
//!
//! The tests of budgets, the benchmark `engines` and the fuzz target `operations` share this list.
//! A test fails if an engine has a name that is not in the list.
#![allow(clippy::panic, reason = "in a test, a panic is a failure")]

mod case;
mod chat_only;
mod engine;
#[cfg(feature = "counting")]
pub mod measure;
mod operation;
mod prompts_only;
mod shape;
mod shared;

pub use case::{Case, Step, cases, pairs};
pub use engine::{Engine, Template};
pub use operation::{Class, Kind, Operand, Operation};
pub use shape::{SHAPES, Shape, shapes};
