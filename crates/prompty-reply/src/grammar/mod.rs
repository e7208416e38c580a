//! Grammars that a model's sampler can be held to, and the forms that servers take them in.
//!
//! A [`Grammar`] is one small value: named rules over texts and classes of characters. All forms are
//! written from it, so that they admit the same texts.
//!
//! A [`ReplyParser`](crate::ReplyParser::grammar) makes that of a reply, and [`Grammar::of_schema`] that of
//! JSON. The [`schema`] module has an example.

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
pub(super) use reply::{Inside, Request};

/// The result of what makes a grammar, inside of the crate.
type Result<T, E = prompty_core::error::Error> = std::result::Result<T, E>;
