//! The prompt of a request, with what its text says about data: the stage behind `rendered`. It finds
//! data that contains markup of the template, and keeps it from becoming structure.
//!
//! Where some data contains markup, the request is rendered a second time with a harmless placeholder
//! for each such piece. If the two texts are equal except for those pieces, the template writes the data
//! as it writes any other, and the places of the data are known. If they are not, the template split the
//! data or took it for markup, and the prompt is refused.
//!
//! A template can also assemble markup from data that contains none, by splitting and joining it, say.
//! The engine reports when a text was not used as a whole, and `assembled` then finds out which markup
//! comes from data, with the help of `substitution`.
//!
//! `collect` collects the `markup` of a template. A `text_set` searches for all of it at once, after a
//! quick look for `candidates`, and `suffixes` knows the parts of it. `data` walks over the data of a
//! request, `align` compares two texts, `neutralise` breaks markup, and `audit` applies the policy.

mod align;
mod assembled;
mod audit;
mod candidates;
mod collect;
mod data;
mod markup;
mod neutralise;
mod prompt_text;
mod substitution;
mod suffixes;
mod text_set;

pub(super) use audit::{audit, trust};
pub(super) use collect::collect_markup;
pub(super) use markup::Markup;
pub use prompt_text::{DataRange, DataSource, MessageField, PromptPiece, PromptText};
pub(super) use prompt_text::{MaskedText, pieces, split_before_end};
