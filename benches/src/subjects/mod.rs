//! The subjects that do the jobs.

mod hand_built;
mod ours_dynamic;
mod ours_typed;
mod peer;
mod raw_minijinja;
mod with_askama;

use crate::{Inputs, Subject};

/// All subjects of a job, in the order of the table.
pub(crate) fn all(inputs: &Inputs) -> Vec<Subject> {
    let mut subjects = vec![
        hand_built::subject(inputs),
        with_askama::subject(inputs),
        raw_minijinja::subject(inputs),
        ours_dynamic::subject(inputs),
        peer::subject(inputs),
    ];
    subjects.insert(4, ours_typed::subject(inputs));
    subjects
}
