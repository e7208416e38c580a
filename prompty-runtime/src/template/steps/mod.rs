//! The engine of the languages that have none of their own: it runs texts, outputs of names, calls of the
//! host's functions, sections, and partials that name themselves.
//!
//! Names are looked up as Mustache does it: first in the item or value of the innermost section, then in
//! those around it, last in the inputs. Beyond Mustache, `list.0` is an item of a list, and empty texts,
//! zero and empty maps are false as they are in the other template languages.

mod arguments;
mod call;
mod compile;
mod engine;
mod path;

pub(super) use engine::StepTemplate;
