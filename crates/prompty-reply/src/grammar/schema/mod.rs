//! From a JSON schema to the rules of a grammar that admits its values as JSON texts.
//!
//! The grammar admits what models write:
//!
//! - The properties of an object stand in the schema's order, required or not, as in the samplers of
//!   other servers. Properties that only `required` names stand behind them. There are no others,
//!   unless `additionalProperties` says so.
//! - A number has at most 16 digits in front of the decimal point and behind it, unless a bound has
//!   more.
//! - Between tokens there is no white space, one blank, or one or two line breaks with an indent.
//! - Where a schema has no `type`, its other keywords imply the types.
//!
//! A keyword that a grammar cannot express is an error. [If asked](SchemaOptions::widen), the grammar
//! leaves it out and reports it.
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
use prompty_core::error::Error;
use prompty_core::value::Value;

impl Grammar {
    /// The grammar of the JSON texts whose values follow a schema.
    ///
    /// # Errors
    /// With [`ErrorKind::Grammar`](prompty_core::ErrorKind::Grammar) where the value is no schema,
    /// where it demands what a grammar cannot express, or where no value follows it; with
    /// [`ErrorKind::Limit`](prompty_core::ErrorKind::Limit) where it is too deep or too large.
    pub fn of_schema(schema: &Value, options: &SchemaOptions) -> Result<SchemaGrammar, Error> {
        let mut builder = GrammarBuilder::new();
        let SchemaRule { rule, widened } = builder.schema("value", schema, options)?;
        Ok(SchemaGrammar { grammar: builder.build(rule)?, widened })
    }
}

impl GrammarBuilder {
    /// A rule for the JSON texts whose values follow a schema. References in it are to itself.
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
    /// As [`Grammar::of_schema`]. Only [`GrammarBuilder::build`] reports that no value follows the
    /// schema.
    pub fn schema(
        &mut self,
        name: &str,
        schema: &Value,
        options: &SchemaOptions,
    ) -> Result<SchemaRule, Error> {
        compile::rule(self, name, schema, options)
    }
}
