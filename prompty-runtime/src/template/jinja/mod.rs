//! Jinja2.

mod guard;
mod mistakes;
pub mod syntax;
