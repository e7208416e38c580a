//! Audits the prompt of a request: finds data that contains markup of the template, and keeps it
//! from becoming structure. It is the stage after `rendering`.
//!
//! If data contains markup, the request is rendered a second time, with a harmless placeholder for
//! each such piece of data. If the two texts are equal except for those pieces, the template writes
//! this data like any other, and its places are known. Otherwise the template split the data or
//! took it for markup, and the prompt is refused.
//!
//! A template can also assemble markup from data that contains none, for example by splitting and
//! joining it. The engine reports only whether a text was split or changed, because recording the
//! origin of each character would make all of its operations slower. Then `assembled_markup` finds
//! out which markup comes from data, with the help of `substitution`.
//!
//! `collect` collects the `markup` of a template. A `text_set` searches for all of it at once,
//! after a fast search for `candidates`; `suffixes` answers whether a text is part of it. `data`
//! visits the data of a request, `align` compares two texts, `neutralise` breaks markup, and
//! `auditor` applies the policy.

mod align;
mod assembled_markup;
mod auditor;
mod candidates;
mod collect;
mod data;
mod markup;
mod neutralise;
mod prompt_text;
mod substitution;
mod suffixes;
mod text_set;

pub(super) use auditor::{audit, prompt_without_audit};
pub(super) use collect::collect_markup;
pub(super) use markup::Markup;
pub use prompt_text::{DataRange, DataSource, MessageField, PromptPiece, PromptText};
pub(super) use prompt_text::{MaskedText, pieces, split_before_end};
