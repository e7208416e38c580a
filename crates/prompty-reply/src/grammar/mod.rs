//! Grammars that restrict a model's sampler, and the forms that servers accept.
//!
//! A [`Grammar`] is a small value: named rules over texts and character classes. All forms are
//! written from it, so they match the same texts.
//!
//! [`ReplyParser::grammar`](crate::ReplyParser::grammar) builds the grammar of a reply, and
//! [`Grammar::of_schema`] that of JSON. The [`schema`] module has an example.

mod budget;
mod builder;
mod condition;
mod delimiters;
mod expression;
mod fields;
mod gbnf;
mod lark;
mod lower;
mod notation;
mod reply;
pub mod schema;
mod simplify;

pub use builder::GrammarBuilder;
pub use expression::{Expression, Grammar, Rule, RuleId};
pub use prompty_core::regular_expression::CharacterClass;
pub use reply::{GrammarOptions, GrammarStart, ReplyGrammar, Trigger};
pub(super) use reply::{GrammarRequest, StartContext};

/// The result of building a grammar, inside the crate.
type Result<T, E = prompty_core::error::Error> = std::result::Result<T, E>;
