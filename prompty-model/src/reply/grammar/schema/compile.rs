//! From a schema to an expression: alternatives, references, and the kinds of values.

use std::collections::{HashMap, HashSet};

use super::basic::Basic;
use super::constraints::Constraints;
use super::{
    SchemaOptions, SchemaRule, Widened, array, enumeration, number, object, overlap, string,
};
use crate::reply::grammar::{Expression, GrammarBuilder, RuleId};
use indexmap::IndexSet;
use prompty_core::diagnostic::Place;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::schema::{Combination, Kinds, Located, MOST_REFERENCES, Pointer};
use prompty_core::value::Value;

/// How deep schemas may stand in schemas.
const DEEPEST: usize = 64;

/// How many schemas are read, counting those that are referred to again and again. What is read or
/// written beside them counts in proportion.
const MOST_WORK: usize = 100_000;

/// Items of a list that count as one schema, such as the names of `required`.
const ITEMS_PER_SCHEMA: usize = 64;

/// Bytes of a text that count as one schema.
const BYTES_PER_SCHEMA: usize = 64;

/// Characters of a name that are kept for the names of rules inside of it.
const LONGEST_NAME: usize = 120;

/// Adds the rule of a schema to a grammar.
pub(super) fn rule(
    builder: &mut GrammarBuilder,
    name: &str,
    schema: &Value,
    options: &SchemaOptions,
) -> Result<SchemaRule, Error> {
    let root = Located::root(schema);
    let mut compiler = Compiler {
        builder,
        root: root.clone(),
        options,
        widened: IndexSet::new(),
        references: HashMap::new(),
        work: 0,
    };
    let rule = compiler.builder.reserve(name);
    compiler.references.extend(root.schema.address().map(|address| (address, rule)));
    let expression = compiler.compile(&[root], name, 0)?;
    compiler.builder.define(rule, expression);
    Ok(SchemaRule { rule, widened: compiler.widened.into_iter().collect() })
}

/// What is known while a schema becomes rules.
pub(super) struct Compiler<'b, 's> {
    pub(super) builder: &'b mut GrammarBuilder,
    root: Located<'s>,
    options: &'b SchemaOptions,
    widened: IndexSet<Widened>,
    /// The rules of schemas that were referred to, by their addresses.
    references: HashMap<usize, RuleId>,
    work: usize,
}

impl<'s> Compiler<'_, 's> {
    /// The whole schema.
    pub(super) fn root(&self) -> Located<'s> {
        self.root.clone()
    }

    /// The expression of schemas that hold together.
    pub(super) fn compile(
        &mut self,
        schemas: &[Located<'s>],
        name: &str,
        depth: usize,
    ) -> Result<Expression, Error> {
        if let [schema] = schemas
            && let Some(reference) = schema.schema.only_reference()
        {
            return self.reference(schema, reference, depth);
        }
        let mut constraints = Constraints::default();
        for schema in schemas {
            constraints.add(self, schema, depth)?;
        }
        self.expression(constraints, name, depth)
    }

    /// The expression of merged constraints.
    fn expression(
        &mut self,
        mut constraints: Constraints<'s>,
        name: &str,
        depth: usize,
    ) -> Result<Expression, Error> {
        if constraints.is_impossible {
            return Ok(Expression::NOTHING);
        }
        if constraints.is_empty() {
            return Ok(Basic::Value.reference(self.builder));
        }
        if constraints.values.is_some() {
            return enumeration::expression(self, &constraints, depth);
        }
        let is_one_group = constraints.is_one_group();
        let Some(group) = constraints.groups.pop() else {
            return self.expression_of_kinds(&constraints, name, depth);
        };
        if group.combination == Combination::OneOf {
            overlap::note(self, &group)?;
        }
        let mut ways = Vec::with_capacity(group.alternatives.len());
        for (index, schema) in group.alternatives.iter().enumerate() {
            self.enter(schema, depth)?;
            let name = self.child_name(name, &index.to_string());
            // An alternative that is only a reference is the rule of its target, unless other
            // constraints hold as well.
            ways.push(if is_one_group {
                self.compile(std::slice::from_ref(schema), &name, depth + 1)?
            } else {
                self.spend_on_items(schema, constraints.size())?;
                let mut constraints = constraints.clone();
                constraints.add(self, schema, depth + 1)?;
                self.expression(constraints, &name, depth + 1)?
            });
        }
        Ok(Expression::Choice(ways))
    }

    fn expression_of_kinds(
        &mut self,
        constraints: &Constraints<'s>,
        name: &str,
        depth: usize,
    ) -> Result<Expression, Error> {
        let kinds = constraints.kinds_meant();
        let bounds = &constraints.bounds;
        let mut ways = Vec::new();
        if kinds.contains(Kinds::OBJECT) {
            ways.push(object::expression(self, constraints, name, depth)?);
        }
        if kinds.contains(Kinds::ARRAY) {
            ways.push(array::expression(self, constraints, name, depth)?);
        }
        if kinds.contains(Kinds::STRING) {
            ways.push(string::expression(self, constraints)?);
        }
        if kinds.contains(Kinds::NUMBER) {
            ways.push(match bounds.is_none() {
                true => Basic::Number.reference(self.builder),
                false => number::number(bounds),
            });
        } else if kinds.contains(Kinds::INTEGER) {
            ways.push(match bounds.is_none() {
                true => Basic::Integer.reference(self.builder),
                false => number::integer(bounds),
            });
        }
        if kinds.contains(Kinds::BOOLEAN) {
            ways.extend(["true".into(), "false".into()]);
        }
        if kinds.contains(Kinds::NULL) {
            ways.push("null".into());
        }
        Ok(Expression::Choice(ways))
    }

    /// The rule of what a reference leads to: one rule, however often it is referred to.
    fn reference(
        &mut self,
        schema: &Located<'s>,
        reference: &'s str,
        depth: usize,
    ) -> Result<Expression, Error> {
        let target = self.target_with_keywords(schema, reference)?;
        let known = target.schema.address().and_then(|address| self.references.get(&address));
        if let Some(&known) = known {
            return Ok(known.into());
        }
        self.enter(schema, depth)?;
        let name = target.pointer.last_name().map(|name| self.child_name("", name));
        let name = name.unwrap_or_default();
        let rule = self.builder.reserve(&name);
        self.references.extend(target.schema.address().map(|address| (address, rule)));
        let expression = self.compile(&[target], &name, depth + 1)?;
        self.builder.define(rule, expression);
        Ok(rule.into())
    }

    /// The schema that a reference leads to, unless that only leads back to where it came from.
    fn target_with_keywords(
        &mut self,
        schema: &Located<'s>,
        reference: &'s str,
    ) -> Result<Located<'s>, Error> {
        let target = self.target(schema, reference)?;
        let mut known: HashSet<Option<usize>> = HashSet::from([schema.schema.address()]);
        let mut next = target.clone();
        // A longer chain of references is too deep anyway.
        for _ in 0..MOST_REFERENCES {
            let Some(further) = next.schema.only_reference() else { break };
            if !known.insert(next.schema.address()) {
                let place = &next.pointer;
                let message = format!("`$ref` leads to `{place}`, which only leads on to itself");
                let help = "let one of these definitions say what the value is, such as its `type`";
                return Err(schema.error_at("$ref", message).with_help(help));
            }
            next = self.target(&next, further)?;
        }
        Ok(target)
    }

    /// The schema that a reference leads to.
    pub(super) fn target(
        &mut self,
        schema: &Located<'s>,
        reference: &'s str,
    ) -> Result<Located<'s>, Error> {
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
    ) -> Result<(), Error> {
        if !self.options.widen {
            let message = format!("a grammar cannot say `{keyword}`: {why}");
            let help = "leave it out of the schema, or allow the grammar to admit more with \
                        `SchemaOptions::widen`";
            return Err(schema.error_at(keyword, message).with_help(help));
        }
        self.note(schema, keyword)
    }

    /// Notes a keyword that the grammar does not enforce.
    pub(super) fn note(&mut self, schema: &Located<'s>, keyword: &str) -> Result<(), Error> {
        let widened = Widened::new(keyword, &schema.pointer.to_string());
        self.spend_on_text(schema, &widened.schema)?;
        self.widened.insert(widened);
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

    /// Counts a schema that is read.
    pub(super) fn enter(&mut self, schema: &Located<'s>, depth: usize) -> Result<(), Error> {
        if depth > DEEPEST {
            let message =
                format!("the schema is more than {DEEPEST} deep, or refers to itself without end");
            let help = "a schema may refer to itself from inside of `properties` or `items` only";
            return Err(limit(&schema.pointer, message, help));
        }
        self.spend(schema, 1)
    }

    /// Counts the items of a list that are read, compared or copied.
    pub(super) fn spend_on_items(
        &mut self,
        schema: &Located<'s>,
        items: usize,
    ) -> Result<(), Error> {
        self.spend(schema, items / ITEMS_PER_SCHEMA)
    }

    /// Counts a text that is read or written.
    pub(super) fn spend_on_text(&mut self, schema: &Located<'s>, text: &str) -> Result<(), Error> {
        self.spend(schema, text.len() / BYTES_PER_SCHEMA)
    }

    fn spend(&mut self, schema: &Located<'s>, schemas: usize) -> Result<(), Error> {
        self.work = self.work.saturating_add(schemas);
        if self.work > MOST_WORK {
            let help = "leave definitions out that are not needed, or say less of their values";
            return Err(limit(&schema.pointer, "the schema is too large for a grammar", help));
        }
        Ok(())
    }
}

fn limit(place: &Pointer<'_>, message: impl Into<String>, help: &str) -> Error {
    let error = Error::new(ErrorKind::Limit, message).with_help(help);
    error.at(Place::named(place.to_string()))
}
