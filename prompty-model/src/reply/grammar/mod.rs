//! Grammars that a model's sampler can be held to, and the forms that servers take them in.
//!
//! A [`Grammar`] is one small value: named rules over texts and classes of characters. All forms are
//! written from it, so that they admit the same texts.
//!
//! ```
//! use prompty_model::reply::grammar::{Expression, GrammarBuilder};
//!
//! let mut builder = GrammarBuilder::new();
//! let answer = builder.rule("answer", Expression::choice(["yes".into(), "no".into()]));
//! let grammar = builder.build(answer)?;
//! assert_eq!(grammar.rule(grammar.root()).map(|rule| rule.name()), Some("answer"));
//! # Ok::<(), prompty_core::Error>(())
//! ```

mod builder;
mod clean;
mod expression;
mod gbnf;
mod lark;
mod notation;
mod order;
mod plain;
mod row;
pub mod schema;
mod until;
mod whole;

pub use super::character_class::CharacterClass;
pub use builder::GrammarBuilder;
pub use expression::{Expression, Grammar, Rule, RuleId};
pub use whole::{GrammarOptions, GrammarStart, ReplyGrammar, Trigger};
pub(super) use whole::{Inside, Request};
