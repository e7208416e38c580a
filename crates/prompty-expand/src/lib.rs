//! Implements the macros of `typed-prompty` as a library that needs no compiler.
//!
//! Each function takes the tokens of a macro and returns the generated code. Errors in a prompt
//! become `compile_error!`s in that code, so the functions never fail. Each phase has its modules:
//! `parse` reads the user's tokens, `source` and `literal` find the text of the template, `check`
//! calls the checker, `expand` generates code, and `report` converts diagnostics into errors and
//! warnings of rustc.

// Every program that uses the macros builds this crate and its dependencies for the host, so they
// must be fast to build. The macros read templates, but do not depend on the engines that run them.
// Without the feature `local` they need neither serde nor a crate for regular expressions, and only
// tests need the feature `full` of syn. Small modules replace what the macros need of these, for
// example `parse::expression`. Tests compare such a module with the crate that it replaces, or with
// a simple model.
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate proc_macro;

#[cfg(feature = "local")]
mod chat_template;
mod check;
mod declared_struct;
mod derive_prompt;
mod derive_to_value;
mod errors;
mod expand;
mod expansion;
mod literal;
mod location;
mod model;
mod parse;
#[cfg(feature = "output")]
mod partial;
mod prompt_macro;
mod report;
mod rust_type;
mod slots;
mod source;
#[cfg(test)]
mod tests;
#[cfg(feature = "tools")]
mod tools;
mod type_names;

#[cfg(feature = "local")]
pub use chat_template::expand_chat_template;
pub use derive_prompt::expand_derive_prompt;
pub use derive_to_value::expand_derive_to_value;
#[cfg(feature = "output")]
pub use partial::expand_derive_partial;
pub use prompt_macro::expand_prompt;
#[cfg(feature = "tools")]
pub use tools::derive_tool::expand_derive_tool;
#[cfg(feature = "tools")]
pub use tools::derive_tool_set::expand_derive_tool_set;
#[cfg(feature = "tools")]
pub use tools::function::expand_tool_attribute;
