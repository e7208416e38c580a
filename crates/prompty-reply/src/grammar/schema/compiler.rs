//! What is known while a schema becomes rules: the grammar, and what was left out.

use std::collections::HashMap;
use std::rc::Rc;

use super::constraints::Constraints;
use super::options::{SchemaOptions, Widened};
use crate::grammar::{GrammarBuilder, Result, RuleId, budget};
use prompty_core::diagnostic::Place;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::ordered_map::OrderedMap;
use prompty_core::schema::{Located, Pointer};

/// How deep schemas may stand in schemas.
const DEEPEST: usize = 64;

/// Characters of a name that are kept for the names of rules inside of it.
const LONGEST_NAME: usize = 120;

/// What is known while a schema becomes rules.
pub(super) struct Compiler<'b, 's> {
    pub(super) builder: &'b mut GrammarBuilder,
    root: Located<'s>,
    options: &'b SchemaOptions,
    widened: OrderedMap<Widened, ()>,
    /// The rules of schemas that were referred to, by their addresses.
    pub(super) references: HashMap<usize, RuleId>,
    /// What the schemas say that values of an `enum` were held to, by their addresses.
    pub(super) followed: HashMap<usize, Rc<Constraints<'s>>>,
}

impl<'b, 's> Compiler<'b, 's> {
    /// A compiler that has read nothing yet.
    pub(super) fn new(
        builder: &'b mut GrammarBuilder,
        root: Located<'s>,
        options: &'b SchemaOptions,
    ) -> Self {
        Self {
            builder,
            root,
            options,
            widened: OrderedMap::new(),
            references: HashMap::new(),
            followed: HashMap::new(),
        }
    }

    /// The whole schema.
    pub(super) fn root(&self) -> Located<'s> {
        self.root.clone()
    }

    /// The keywords that the grammar does not enforce.
    pub(super) fn into_widened(self) -> Vec<Widened> {
        self.widened.into_keys().collect()
    }

    /// The schema that a reference leads to.
    pub(super) fn target(
        &mut self,
        schema: &Located<'s>,
        reference: &'s str,
    ) -> Result<Located<'s>> {
        self.spend_on_text(schema, reference)?;
        schema.target(reference).ok_or_else(|| {
            let message = format!("`$ref` leads to `{reference}`, which is not in this schema");
            let help = "references are pointers into the schema itself, such as `#/$defs/address`";
            schema.error_at("$ref", message).with_help(help)
        })
    }

    /// Notes a keyword that the grammar does not enforce, where the caller allows that.
    pub(super) fn cannot_say(
        &mut self,
        schema: &Located<'s>,
        keyword: &str,
        why: &str,
    ) -> Result<()> {
        if !self.options.widen {
            let message = format!("a grammar cannot say `{keyword}`: {why}");
            let help = "leave it out of the schema, or allow the grammar to admit more with \
                        `SchemaOptions::widen`";
            return Err(schema.error_at(keyword, message).with_help(help));
        }
        self.note(schema, keyword)
    }

    /// Notes a keyword that the grammar does not enforce.
    pub(super) fn note(&mut self, schema: &Located<'s>, keyword: &str) -> Result<()> {
        let widened = Widened::new(keyword, &schema.pointer.to_string());
        self.spend_on_text(schema, &widened.schema)?;
        self.widened.insert(widened, ());
        Ok(())
    }

    /// The name for the rules of what stands inside of something that has a name.
    pub(super) fn child_name(&self, name: &str, child: &str) -> String {
        let mut kept: String = name.chars().take(LONGEST_NAME).collect();
        if !name.is_empty() {
            kept.push('-');
        }
        kept.extend(child.chars().take(LONGEST_NAME));
        kept
    }

    /// Pays for a schema that is read.
    pub(super) fn enter(&mut self, schema: &Located<'s>, depth: usize) -> Result<()> {
        self.check_depth(schema, depth)?;
        self.spend(schema, budget::PER_SCHEMA)
    }

    /// Checks how deep something stands in the whole.
    pub(super) fn check_depth(&self, schema: &Located<'s>, depth: usize) -> Result<()> {
        if depth > DEEPEST {
            let message =
                format!("the schema is more than {DEEPEST} deep, or refers to itself without end");
            let help = "a schema may refer to itself from inside of `properties` or `items` only";
            return Err(limit(&schema.pointer, message, help));
        }
        Ok(())
    }

    /// Pays for the items of a list that are read, compared or copied.
    pub(super) fn spend_on_items(&mut self, schema: &Located<'s>, items: usize) -> Result<()> {
        self.spend(schema, items.saturating_mul(budget::PER_ITEM))
    }

    /// Pays for a text that is read or written.
    pub(super) fn spend_on_text(&mut self, schema: &Located<'s>, text: &str) -> Result<()> {
        self.spend(schema, budget::of_text(text))
    }

    /// Pays for steps that a schema takes.
    pub(super) fn spend(&mut self, schema: &Located<'s>, steps: usize) -> Result<()> {
        self.builder.budget.spend_at(steps, || schema.pointer.to_string())
    }
}

fn limit(place: &Pointer<'_>, message: impl Into<String>, help: &str) -> Error {
    let error = Error::new(ErrorKind::Limit, message).with_help(help);
    error.with_place(Place::named(place.to_string()))
}
