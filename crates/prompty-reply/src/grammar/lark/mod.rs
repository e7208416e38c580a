//! Lark, the form that llguidance accepts.
//!
//! llguidance reads a text in two steps: a lexer splits it into lexemes, each as long as possible,
//! and an Earley parser reads these. A JSON value that matches a schema is written as `%json`.
//! Everything between two such values is one lexeme, free text and markers together. (A `lazy`
//! lexeme for the free text alone would also end at the first marker. But if both reasoning and
//! content may follow, the lexer would have to choose between them at their first character.)
//!
//! Characters are lexemes if the longest lexeme could be the wrong one: in a grammar that has
//! neither free text nor schemas and cannot be a single lexeme; in recursive rules; and in values
//! of schemas that the engine reads differently.

mod json_schema;
mod rules;
mod terminals;

use std::collections::HashMap;

use super::Grammar;
use prompty_core::value::Value;

impl Grammar {
    /// Writes the grammar in llguidance's dialect of Lark, with only rules and terminals. It
    /// matches the same texts as the GBNF form.
    /// [`ReplyGrammar::to_lark`](super::ReplyGrammar::to_lark) leaves JSON to the engine.
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

/// Writes a grammar in which llguidance reads the JSON values of the named rules by their schemas.
///
/// It does so for all of the rules or for none. If the arguments of a call precede its name, the
/// values of several schemas begin at the same position, and the lexer can only split all of them
/// in the same way.
pub(super) fn with_schemas(grammar: &Grammar, schemas: &HashMap<String, Value>) -> String {
    // Our rules for scalars become a part of the lexeme around them.
    let schemas = schemas.iter().filter(|(_, schema)| !json_schema::has_only_scalars(schema));
    let by_rule = |(rule, schema)| (String::as_str(rule), json_schema::for_engine(schema));
    let mut by_rule: rules::SchemasByRule<'_> = schemas.map(by_rule).collect();
    if by_rule.values().any(Option::is_none) {
        by_rule.values_mut().for_each(|schema| *schema = None);
    }
    rules::write(grammar, &by_rule)
}
