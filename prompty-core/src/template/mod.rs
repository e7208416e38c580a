//! The tree that templates of every language are read into, walks over it, and what the languages have in common
//! that make one text of several files.

pub mod assembly;
mod limits;
mod syntax_error;
pub mod tree;
pub mod walk;

pub use limits::RenderLimits;
pub use syntax_error::SyntaxError;
pub use tree::Template;

/// The variable under which the template of a prompt with an output finds what is said of the answer.
pub const OUTPUT_REQUIREMENT: &str = "output_requirement";
