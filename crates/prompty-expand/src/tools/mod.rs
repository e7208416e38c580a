//! Expands the macros for tools: structs and functions as tools, and enums as sets of tools.
//!
//! As with prompts, each macro reads the user's code, checks it and generates code. Wrong code gets
//! a stub, so that one mistake is one error.

pub(crate) mod derive_tool;
pub(crate) mod derive_tool_set;
pub(crate) mod function;
mod names;
mod options;
