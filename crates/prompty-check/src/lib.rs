//! Loads and checks the prompts of `typed-prompty`.
//!
//! [`definition`] reads a prompt: its front matter, the environment variables and files that the
//! front matter refers to, and the files of its template. [`check`](mod@check) reports the mistakes
//! in a prompt. The macros, programs at run time and editors all use this crate, so they report the
//! same findings.
//!
//! Programs do not use this crate directly: `typed-prompty` exports it.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod check;
pub mod definition;
