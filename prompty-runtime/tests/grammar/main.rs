//! Grammars: what they admit in every form, and which schemas they can say.
#![cfg(feature = "reply")]

mod builder;
mod forms;
mod random;
mod schema;
mod support;
mod until;
