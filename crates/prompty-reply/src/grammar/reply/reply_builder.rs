//! The builder of a reply grammar. Other modules add methods for the parts of a reply.
//!
//! A finished grammar can also be written as a structural tag: JSON that lists the opening text, the
//! schema and the closing text of each call. So the builder notes which rules have a schema, and
//! which rules have parts that the tag lists: see [`TagRules`].

use std::collections::HashMap;

use super::derivative::StartContext;
use super::request::GrammarRequest;
use super::structural_tag::TagRules;
use crate::grammar::schema::{SchemaOptions, Widened};
use crate::grammar::{Expression, GrammarBuilder, Result, RuleId, budget};
use crate::layout::LayoutPart;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::schema::Schema;
use prompty_core::value::{Map, Value};

/// The rules of Python literals that already exist, in the grammar of a reply.
#[derive(Default)]
pub(super) struct LiteralRules {
    /// The rule of a literal of any type.
    pub(super) any: Option<RuleId>,
    /// The rules of the schemas that references lead to, in the schema of one tool.
    pub(super) referred: HashMap<String, RuleId>,
}

/// Builds rules for the parts of a reply.
pub(super) struct ReplyGrammarBuilder<'a> {
    /// The layout of the complete reply.
    pub(super) reply: &'a LayoutPart,
    /// The part of the reply that the prompt has already opened.
    pub(super) open_in_prompt: StartContext,
    pub(super) builder: GrammarBuilder,
    pub(super) schema_options: SchemaOptions,
    pub(super) widened: Vec<Widened>,
    /// Information for the structural tag about the rules.
    pub(super) tag_rules: TagRules,
    pub(super) literal_rules: LiteralRules,
    /// The number of schema parts that may still be written as nested tags. References can lead to
    /// any number of parts.
    pub(super) parts_left: usize,
}

/// The maximum number of schema parts of a request that are expanded.
const MOST_PARTS: usize = 500;

impl<'a> ReplyGrammarBuilder<'a> {
    pub(super) fn new(request: &GrammarRequest<'_>, reply: &'a LayoutPart) -> Self {
        Self {
            reply,
            open_in_prompt: request.open_in_prompt,
            builder: GrammarBuilder::new(),
            schema_options: SchemaOptions::new().widen(request.options.widen),
            widened: Vec::new(),
            tag_rules: TagRules::default(),
            literal_rules: LiteralRules::default(),
            parts_left: MOST_PARTS,
        }
    }

    /// Adds a rule for the JSON values of a schema.
    pub(super) fn schema(&mut self, name: &str, schema: &Value) -> Result<Expression> {
        // Lark and the structural tag contain a copy of the schema, so its size is paid for.
        self.builder.budget.spend(budget::value_steps(std::slice::from_ref(schema)))?;
        let found = self.builder.schema(name, schema, &self.schema_options)?;
        self.widened.extend(found.widened);
        let rule = self.builder.name(found.rule).to_owned();
        self.tag_rules.schemas.insert(rule, schema.clone());
        Ok(found.rule.into())
    }

    /// Adds a rule whose parts the structural tag lists separately, such as the texts around the
    /// arguments of a call. Every other rule becomes one grammar in the tag.
    pub(super) fn written_by_parts(&mut self, name: &str, expression: Expression) -> RuleId {
        let rule = self.builder.rule(name, expression);
        self.tag_rules.written_by_parts.insert(self.builder.name(rule).to_owned());
        rule
    }

    /// Adds a rule for the JSON values of a part of a schema. The part is separated from the
    /// schema, with the targets of its references.
    pub(super) fn schema_of_part(
        &mut self,
        name: &str,
        part: &Value,
        root_schema: &Map,
    ) -> Result<Expression> {
        let budget = &mut self.builder.budget;
        let part = Schema::from_map(root_schema)
            .part(part)
            .bundled(&mut |value| budget.spend(budget::value_steps(std::slice::from_ref(value))))?;
        self.schema(name, &part)
    }

    /// Records the given keywords that a schema has and that are not enforced.
    ///
    /// # Errors
    ///
    /// Returns an error for the first such keyword, if that is not allowed.
    pub(super) fn record_unenforced(
        &mut self,
        keywords: &[&str],
        place: &str,
        schema: &Value,
    ) -> Result<()> {
        for keyword in keywords {
            // `uniqueItems: false` demands nothing.
            if schema.get(keyword).is_none_or(|it| it.as_bool() == Some(false)) {
                continue;
            }
            if !self.schema_options.widen {
                let message = format!("the call format cannot express `{keyword}` of `{place}`");
                return Err(Error::new(ErrorKind::Grammar, message).with_help(
                    "remove it from the schema, or allow a wider grammar with \
                     `GrammarOptions::with_widen`",
                ));
            }
            self.widened.push(Widened::new(keyword, place));
        }
        Ok(())
    }
}
