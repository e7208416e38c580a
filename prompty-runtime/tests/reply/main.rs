//! Reading replies with formats written by hand: one file for each thing that a model writes.
#![cfg(feature = "reply")]

mod calls;
mod edges;
mod headers;
mod malformed;
mod reasoning;
mod support;
mod values;
