//! The Lark form, which llguidance takes.
//!
//! llguidance reads a text in two steps: a lexer cuts it into lexemes, each as long as it can be,
//! and an Earley parser takes these. The form leaves to it what it does best: a JSON value that
//! follows a schema is `%json`, and what stands between two such values is one lexeme, free text and
//! markers together. (A `lazy` lexeme for the free text alone would end with the first marker just
//! as well; but where reasoning and content may both come next, the lexer would have to choose
//! between them at their first character.)
//!
//! Where the longest lexeme could be the wrong one, characters are lexemes: in a grammar that has
//! neither free text nor such schemas and is not one lexeme as a whole, in rules that lead to
//! themselves, and in values of schemas that the engine reads otherwise than our rules.

mod json_schema;
mod rules;
mod terminals;

use std::collections::HashMap;

use super::Grammar;
use prompty_core::value::Value;

impl Grammar {
    /// The grammar in the Lark dialect of llguidance, in rules and terminals alone: it admits what
    /// the GBNF form admits. [`ReplyGrammar::to_lark`](super::ReplyGrammar::to_lark) leaves JSON to
    /// the engine.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_reply as reply; }
    /// use typed_prompty::reply::grammar::{Expression, GrammarBuilder};
    ///
    /// let mut builder = GrammarBuilder::new();
    /// let list = builder.reserve("list");
    /// let inner = Expression::sequence(["x".into(), list.into()]).optional();
    /// builder.define(list, Expression::sequence(["[".into(), inner, "]".into()]));
    /// assert_eq!(
    ///     builder.build(list)?.to_lark(),
    ///     "start: list\nlist: \"[\" (\"x\" list)? \"]\"\n",
    /// );
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    pub fn to_lark(&self) -> String {
        rules::write(self, &HashMap::new())
    }
}

/// A grammar whose rules of these names hold JSON values: llguidance reads their schemas.
///
/// All of them or none: where the arguments of a call come before its name, the values of several
/// schemas begin at the same place, and the lexer can only cut all of them in the same way.
pub(super) fn with_schemas(grammar: &Grammar, schemas: &HashMap<String, Value>) -> String {
    let schemas = schemas.iter().filter(|(_, schema)| !json_schema::is_of_words(schema));
    let read = |(rule, schema)| (String::as_str(rule), json_schema::for_engine(schema));
    let mut read: HashMap<&str, Option<String>> = schemas.map(read).collect();
    if read.values().any(Option::is_none) {
        read.values_mut().for_each(|schema| *schema = None);
    }
    rules::write(grammar, &read)
}
