//! From inputs to text.
mod inputs;
pub use inputs::Inputs;
