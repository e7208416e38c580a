//! Data that spells the template's own markup: found, and kept from becoming structure.
//!
//! The text of a prompt is what the template writes. Where some data holds markup, the template is
//! run once more with a harmless word in the place of each such piece. Where the two texts are the
//! same but for those pieces, the data stands whole between what the template writes for any other
//! data, and it is known where. Where they are not, the template took the data apart, or took it for
//! markup, and the prompt is refused.
//!
//! A template can also make markup out of data that holds none: by splitting and joining it, say. The
//! engine notes where a text was not used whole, and `origin` tells whose the markup is then, by data
//! in `disguise`.
//!
//! `find` gathers the markup (`markup`, `trie`) of a template, `data` walks through what the caller
//! gave, `align` lays the two texts side by side, `neutral` breaks markup, and `ranges` says it all.

mod align;
mod data;
mod disguise;
mod find;
mod guard;
mod markup;
mod neutral;
mod origin;
mod ranges;
mod trie;
mod written;

pub(super) use data::Asked;
pub(super) use guard::guarded;
pub(super) use markup::Markup;
pub use ranges::{ControlTokens, DataRange, DataSource, MessageField, PromptPiece};
pub(super) use ranges::{masked, pieces};
