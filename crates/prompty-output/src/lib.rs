//! Typed outputs and tools: Rust types that describe a model's answers and calls, and readers for
//! both.
//!
//! - [`output`](mod@output): a Rust type is the format of the answer. Its schema is written into
//!   the prompt, and the model's text becomes a value of the type, complete or while it grows.
//! - [`tools`](mod@tools): a Rust type is the arguments of a tool. Its schema is sent with a
//!   request, and a call becomes a value of the type, or an error that the model can read.
//!
//! Both start with the JSON schema of a type and end with JSON text from a model, which the crate
//! reads leniently. The crate sends nothing and does not depend on a provider.
//!
//! ```
//! # mod typed_prompty { pub use prompty_output::output; }
//! use typed_prompty::output::Output;
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct City { name: String, people: u32 }
//!
//! let parsed = Output::<City>::new().parse("Here it is: {name: 'Bonn', people: 330000,}")?;
//! assert_eq!((parsed.value.name.as_str(), parsed.value.people), ("Bonn", 330_000));
//! # Ok::<(), prompty_output::output::OutputError>(())
//! ```
//!
//! Programs depend on the facade, `typed-prompty`, which exports this crate.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "output")]
pub mod output;
#[cfg(feature = "tools")]
pub mod tools;
#[cfg(any(feature = "output", feature = "tools"))]
mod type_cache;
#[cfg(any(feature = "output", feature = "tools"))]
mod type_schema;
#[cfg(any(feature = "output", feature = "tools"))]
mod union_work;
