//! Converting a JSON schema to the rules of a grammar that matches its values as JSON texts.
//!
//! The grammar matches what models write:
//!
//! - The properties of an object keep the schema's order, required or not, as in the samplers of
//!   other servers. Properties that only `required` names follow them. Other properties are allowed
//!   only by `additionalProperties`.
//! - An array with schemas for its first items (`prefixItems`) is a tuple: all of these items are
//!   required unless `minItems` says otherwise, and other items are allowed only by `items`.
//! - A number has at most 16 digits before the decimal point and 16 after it, unless a bound has
//!   more.
//! - Tokens are separated by nothing, one space, or one or two line breaks with an indent.
//! - If a schema has no `type`, its other keywords imply the types.
//!
//! A keyword that a grammar cannot express is an error. With [`SchemaOptions::widen`], the grammar
//! ignores and reports it.
//!
//! ```
//! # mod typed_prompty { pub use prompty_core::value; pub use prompty_reply as reply; }
//! use typed_prompty::reply::grammar::schema::SchemaOptions;
//! use typed_prompty::reply::grammar::Grammar;
//! use typed_prompty::value::{Map, Value};
//!
//! let schema = Value::from(Map::from([
//!     ("type", Value::from("integer")),
//!     ("minimum", Value::from(1)),
//!     ("maximum", Value::from(5)),
//! ]));
//! let found = Grammar::of_schema(&schema, &SchemaOptions::new())?;
//! assert_eq!(found.grammar.to_gbnf(), "root ::= value\nvalue ::= [1-5]\n");
//! # Ok::<(), prompty_core::Error>(())
//! ```

mod array;
pub(super) mod basic;
mod compile;
mod compiler;
mod constraints;
mod enumeration;
mod escape;
mod format;
mod number;
mod object;
mod options;
mod overlap;
mod pattern;
mod read_constraints;
mod string;
mod values;

pub use options::{SchemaGrammar, SchemaOptions, SchemaRule, Widened};
pub(super) use pattern::is_pattern;

use super::{Grammar, GrammarBuilder};
use compiler::Compiler;
use prompty_core::error::Error;
use prompty_core::schema::LocatedSchema;
use prompty_core::value::Value;

impl Grammar {
    /// Builds the grammar of the JSON texts whose values match a schema.
    ///
    /// # Errors
    /// Returns an error of the kind [`ErrorKind::Grammar`](prompty_core::ErrorKind::Grammar) if the
    /// value is not a schema, if a grammar cannot express it, or if no value matches it. Returns
    /// one of the kind [`ErrorKind::Limit`](prompty_core::ErrorKind::Limit) if it is too deep or
    /// too large.
    pub fn of_schema(schema: &Value, options: &SchemaOptions) -> Result<SchemaGrammar, Error> {
        let mut builder = GrammarBuilder::new();
        let SchemaRule { rule, widened } = builder.schema("value", schema, options)?;
        Ok(SchemaGrammar { grammar: builder.build(rule)?, widened })
    }
}

impl GrammarBuilder {
    /// Adds a rule for the JSON texts whose values match a schema. References in the schema are
    /// relative to it.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::value; pub use prompty_reply as reply; }
    /// use typed_prompty::reply::grammar::schema::SchemaOptions;
    /// use typed_prompty::reply::grammar::{Expression, GrammarBuilder};
    /// use typed_prompty::value::{Map, Value};
    ///
    /// let flag = Value::from(Map::from([("type", "boolean")]));
    /// let mut builder = GrammarBuilder::new();
    /// let arguments = builder.schema("arguments", &flag, &SchemaOptions::new())?.rule;
    /// let call = Expression::sequence(["<call>".into(), arguments.into(), "</call>".into()]);
    /// let call = builder.rule("call", call);
    /// assert!(builder.build(call)?.to_gbnf().contains(r#"call ::= "<call>" arguments "</call>""#));
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns the same errors as [`Grammar::of_schema`]. Only [`GrammarBuilder::build`] reports
    /// that no value matches the schema.
    pub fn schema(
        &mut self,
        name: &str,
        schema: &Value,
        options: &SchemaOptions,
    ) -> Result<SchemaRule, Error> {
        let root = LocatedSchema::root(schema);
        let mut compiler = Compiler::new(self, root.clone(), options);
        let rule = compiler.builder.reserve(name);
        // The reference `#` leads to this rule.
        compiler.references.extend(root.schema.address().map(|address| (address, rule)));
        let expression = compiler.compile(&[root], name, 0)?;
        compiler.builder.define(rule, expression);
        Ok(SchemaRule { rule, widened: compiler.into_widened() })
    }
}
