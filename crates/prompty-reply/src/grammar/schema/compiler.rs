//! The state while a schema is compiled to rules: the grammar, and the keywords that are not
//! enforced.

use std::collections::HashMap;
use std::rc::Rc;

use super::constraints::Constraints;
use super::options::{SchemaOptions, Widened};
use crate::grammar::{GrammarBuilder, Result, RuleId, budget};
use prompty_core::diagnostic::Place;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::ordered_map::OrderedMap;
use prompty_core::schema::LocatedSchema;

/// The maximum nesting depth of schemas. `compile` calls itself for each level, and a schema may
/// contain itself.
const MAX_DEPTH: usize = 64;

/// The maximum number of characters of a name that the names of nested rules contain.
const LONGEST_NAME: usize = 120;

/// The state while a schema is compiled to rules.
pub(super) struct Compiler<'b, 's> {
    pub(super) builder: &'b mut GrammarBuilder,
    root: LocatedSchema<'s>,
    options: &'b SchemaOptions,
    widened: OrderedMap<Widened, ()>,
    /// The rules of schemas that references lead to, by the addresses of the schemas.
    pub(super) references: HashMap<usize, RuleId>,
    /// The constraints of schemas against which values of an `enum` were checked, by the addresses
    /// of the schemas.
    pub(super) known_constraints: HashMap<usize, Rc<Constraints<'s>>>,
}

impl<'b, 's> Compiler<'b, 's> {
    /// Creates a compiler that has not read anything yet.
    pub(super) fn new(
        builder: &'b mut GrammarBuilder,
        root: LocatedSchema<'s>,
        options: &'b SchemaOptions,
    ) -> Self {
        Self {
            builder,
            root,
            options,
            widened: OrderedMap::new(),
            references: HashMap::new(),
            known_constraints: HashMap::new(),
        }
    }

    /// The complete schema.
    pub(super) fn root(&self) -> LocatedSchema<'s> {
        self.root.clone()
    }

    /// The keywords that the grammar does not enforce.
    pub(super) fn into_widened(self) -> Vec<Widened> {
        self.widened.into_keys().collect()
    }

    /// The target of a reference.
    pub(super) fn target(
        &mut self,
        schema: &LocatedSchema<'s>,
        reference: &'s str,
    ) -> Result<LocatedSchema<'s>> {
        self.spend_on_text(schema, reference)?;
        schema.target(reference).ok_or_else(|| {
            let message = format!("`$ref` leads to `{reference}`, which is not in this schema");
            let help = "use a pointer into the schema itself, such as `#/$defs/address`";
            schema.error_at("$ref", message).with_help(help)
        })
    }

    /// Records a keyword that the grammar does not enforce, if the caller allows that. Otherwise it
    /// is an error, with the reason `why`.
    pub(super) fn check_unsupported(
        &mut self,
        schema: &LocatedSchema<'s>,
        keyword: &str,
        why: &str,
    ) -> Result<()> {
        if !self.options.widen {
            let message = format!("a grammar cannot express `{keyword}`: {why}");
            let help = "remove it from the schema, or allow a wider grammar with \
                        `SchemaOptions::widen` or `GrammarOptions::with_widen`";
            return Err(schema.error_at(keyword, message).with_help(help));
        }
        self.record_widened(schema, keyword)
    }

    /// Records a keyword that the grammar does not enforce.
    pub(super) fn record_widened(
        &mut self,
        schema: &LocatedSchema<'s>,
        keyword: &str,
    ) -> Result<()> {
        let widened = Widened::new(keyword, &schema.pointer.to_string());
        self.spend_on_text(schema, &widened.schema)?;
        self.widened.insert(widened, ());
        Ok(())
    }

    /// The name for nested rules of a named rule.
    pub(super) fn child_name(&self, name: &str, child: &str) -> String {
        let mut kept: String = name.chars().take(LONGEST_NAME).collect();
        if !name.is_empty() {
            kept.push('-');
        }
        kept.extend(child.chars().take(LONGEST_NAME));
        kept
    }

    /// Pays for reading a schema.
    pub(super) fn enter(&mut self, schema: &LocatedSchema<'s>, depth: usize) -> Result<()> {
        self.check_depth(schema, depth)?;
        self.spend(schema, budget::PER_SCHEMA)
    }

    /// Checks the nesting depth of a schema.
    pub(super) fn check_depth(&self, schema: &LocatedSchema<'s>, depth: usize) -> Result<()> {
        if depth > MAX_DEPTH {
            let message = format!(
                "the schema is nested more than {MAX_DEPTH} levels deep, or refers to itself endlessly"
            );
            let help = "let a schema refer to itself only from inside `properties` or `items`";
            let error = Error::new(ErrorKind::Limit, message).with_help(help);
            return Err(error.with_place(Place::named(schema.pointer.to_string())));
        }
        Ok(())
    }

    /// Pays for the items of a list that are read, compared or copied.
    pub(super) fn spend_on_items(
        &mut self,
        schema: &LocatedSchema<'s>,
        items: usize,
    ) -> Result<()> {
        self.spend(schema, items.saturating_mul(budget::PER_ITEM))
    }

    /// Pays for a string that is read or written.
    pub(super) fn spend_on_text(&mut self, schema: &LocatedSchema<'s>, text: &str) -> Result<()> {
        self.spend(schema, budget::text_steps(text))
    }

    /// Pays for steps that a schema takes.
    pub(super) fn spend(&mut self, schema: &LocatedSchema<'s>, steps: usize) -> Result<()> {
        self.builder.budget.spend_at(steps, || schema.pointer.to_string())
    }
}
