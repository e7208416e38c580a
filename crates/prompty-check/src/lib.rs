//! Loads and checks the prompts of `typed-prompty`.
//!
//! [`definition`] reads a prompt's source: front matter, references and the template's files.
//! [`check`](mod@check) is the only checker. The macros, programs at run time and editors share it,
//! so they all report the same findings.
//!
//! Programs depend on the facade, `typed-prompty`, which exports this crate.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod check;
pub mod definition;
