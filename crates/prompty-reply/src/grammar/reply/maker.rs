//! What makes the rules of a reply grammar. Other files add methods for the parts of a reply.

use std::collections::HashMap;

use super::derivative::Inside;
use super::request::Request;
use super::structural_tag::Layout;
use crate::grammar::schema::{SchemaOptions, Widened};
use crate::grammar::{Expression, GrammarBuilder, Result, RuleId, budget};
use crate::layout::Part;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::schema::Schema;
use prompty_core::value::{Map, Value};

/// Makes rules for the parts of a reply.
pub(super) struct Maker<'a> {
    pub(super) reply: &'a Part,
    pub(super) inside: Inside,
    pub(super) builder: GrammarBuilder,
    pub(super) schema_options: SchemaOptions,
    pub(super) widened: Vec<Widened>,
    pub(super) layout: Layout,
    /// The rule of any literal, once there is one.
    pub(super) any_literal: Option<RuleId>,
    /// The rules of literals that references name, in the schema of one tool.
    pub(super) referred: HashMap<String, RuleId>,
    /// So many parts of a schema may yet be looked into: references may name more than there is.
    pub(super) parts: usize,
}

/// Parts of the schemas of a request that are looked into one by one.
const MOST_PARTS: usize = 500;

impl<'a> Maker<'a> {
    pub(super) fn new(request: &Request<'_>, reply: &'a Part) -> Self {
        Self {
            reply,
            inside: request.inside,
            builder: GrammarBuilder::new(),
            schema_options: SchemaOptions::new().widen(request.options.widen),
            widened: Vec::new(),
            layout: Layout::default(),
            any_literal: None,
            referred: HashMap::new(),
            parts: MOST_PARTS,
        }
    }

    /// A rule for the JSON values of a schema.
    pub(super) fn schema(&mut self, name: &str, schema: &Value) -> Result<Expression> {
        // The other forms hold the schema as it is.
        self.builder.budget.spend(budget::of_values(std::slice::from_ref(schema)))?;
        let found = self.builder.schema(name, schema, &self.schema_options)?;
        self.widened.extend(found.widened);
        self.layout.schema(self.builder.name(found.rule), schema);
        Ok(found.rule.into())
    }

    /// A rule whose parts a structural tag tells apart.
    pub(super) fn by_parts(&mut self, name: &str, expression: Expression) -> RuleId {
        let rule = self.builder.rule(name, expression);
        self.layout.by_parts(self.builder.name(rule));
        rule
    }

    /// A rule for the JSON values of a part of a schema. It goes on alone, with what its references
    /// lead to.
    pub(super) fn schema_of_part(
        &mut self,
        name: &str,
        part: &Value,
        whole: &Map,
    ) -> Result<Expression> {
        let budget = &mut self.builder.budget;
        let part = Schema::from_map(whole)
            .part(part)
            .bundled(&mut |value| budget.spend(budget::of_values(std::slice::from_ref(value))))?;
        self.schema(name, &part)
    }

    /// Notes those of some keywords that a schema has and no value is held to.
    ///
    /// # Errors
    ///
    /// The first of them, where that is not allowed.
    pub(super) fn widen(&mut self, keywords: &[&str], place: &str, schema: &Value) -> Result<()> {
        for keyword in keywords {
            if schema.get(keyword).is_none_or(|it| it.as_bool() == Some(false)) {
                continue;
            }
            if !self.schema_options.widen {
                let message =
                    format!("`{keyword}` of `{place}` cannot be said in the form of these calls");
                return Err(Error::new(ErrorKind::Grammar, message)
                    .with_help("allow it to be widened, or leave the keyword out"));
            }
            self.widened.push(Widened::new(keyword, place));
        }
        Ok(())
    }
}
