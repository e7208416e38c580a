//! Ours, typed: a struct that a macro made of the prompt. Not there yet.

use crate::{Inputs, Subject};

/// The subject for each job; `None` until there are typed prompts.
///
/// It takes the form of `hand_built::subject`, with the name `names::TYPED` and
/// `Agreement::Messages`. The prompts' texts are known when `build.rs` runs; it can write the
/// `prompt!` items to `OUT_DIR` with the text inline, as it does for askama.
pub(super) fn subject(_: &Inputs) -> Option<Subject> {
    None
}
