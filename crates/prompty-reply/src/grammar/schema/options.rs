//! The options and results of converting a schema to a grammar.

use crate::grammar::{Grammar, RuleId};
use prompty_core::schema;

/// The options of converting a schema to a grammar.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SchemaOptions {
    /// Whether keywords that a grammar cannot express are ignored. If not, they are errors.
    pub widen: bool,
}

impl SchemaOptions {
    /// Creates options with which a keyword that a grammar cannot express is an error.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether keywords that a grammar cannot express are ignored. The grammar then matches
    /// more than the schema.
    #[must_use]
    pub fn widen(mut self, widen: bool) -> Self {
        self.widen = widen;
        self
    }
}

/// The grammar of a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaGrammar {
    /// The grammar.
    pub grammar: Grammar,
    /// The keywords of the schema that it does not enforce.
    pub widened: Vec<Widened>,
}

/// The rule of a schema within a larger grammar.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaRule {
    /// The rule.
    pub rule: RuleId,
    /// The keywords of the schema that it does not enforce.
    pub widened: Vec<Widened>,
}

/// A keyword of a schema that a grammar does not enforce.
///
/// `Display` writes its JSON pointer, such as `#/properties/tags/uniqueItems`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Widened {
    /// The keyword.
    pub keyword: String,
    /// The JSON pointer of the schema that contains it.
    pub schema: String,
}

impl Widened {
    pub(in crate::grammar) fn new(keyword: &str, schema: &str) -> Self {
        Self { keyword: keyword.to_owned(), schema: schema.to_owned() }
    }
}

impl std::fmt::Display for Widened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.schema, schema::escape(&self.keyword))
    }
}
