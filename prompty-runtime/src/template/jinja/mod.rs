//! Jinja2 (§5.5), run by minijinja.
//!
//! [`syntax`] says which templates prompts may have; the checker needs no more. What the portable subset says wins over stock Jinja2:
//! truth values print in lower case, `null` as nothing, `1.0` as `1`; maps keep their order; a missing
//! attribute at any depth is nothing. Nothing in a template reaches files or the network.

#[cfg(feature = "jinja2")]
mod bridge;
#[cfg(feature = "jinja2")]
mod budget;
#[cfg(feature = "jinja2")]
mod costs;
#[cfg(feature = "jinja2")]
mod engine;
#[cfg(feature = "jinja2")]
mod environment;
#[cfg(feature = "jinja2")]
mod filters;
#[cfg(feature = "jinja2")]
mod format;
#[cfg(feature = "jinja2")]
mod given;
#[cfg(feature = "jinja2")]
mod instrument;
mod language;
#[cfg(feature = "jinja2")]
mod messages;
#[cfg(feature = "jinja2")]
mod methods;
#[cfg(feature = "jinja2")]
mod operators;
#[cfg(feature = "jinja2")]
mod prices;
#[cfg(feature = "jinja2")]
mod size;
pub mod syntax;

pub use language::Jinja2;
