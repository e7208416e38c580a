//! Compiling a schema to an expression: alternatives, references, and the kinds of values.
//!
//! `compile` merges schemas that must hold together into [`Constraints`]. If these have a group of
//! alternatives (`anyOf`, `oneOf`), each alternative is merged with the rest: `{"minimum": 1,
//! "anyOf": [A, B]}` is `A` with the minimum, or `B` with the minimum. Without alternatives, there
//! is one expression for each kind of value that is allowed.

use std::collections::HashSet;

use super::basic::BasicRule;
use super::compiler::Compiler;
use super::constraints::Constraints;
use super::{array, enumeration, number, object, overlap, string};
use crate::grammar::{Expression, Result, budget};
use prompty_core::schema::{Combination, Kinds, LocatedSchema, MOST_REFERENCES};

impl<'s> Compiler<'_, 's> {
    /// Compiles schemas that must hold together.
    pub(super) fn compile(
        &mut self,
        schemas: &[LocatedSchema<'s>],
        name: &str,
        depth: usize,
    ) -> Result<Expression> {
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
    ) -> Result<Expression> {
        if constraints.is_impossible {
            return Ok(Expression::NOTHING);
        }
        if constraints.is_empty() {
            return Ok(BasicRule::Value.reference(self.builder));
        }
        if constraints.values.is_some() {
            return enumeration::expression(self, &constraints, depth);
        }
        // One group is expanded. Its alternatives have copies of all other constraints, also of the
        // other groups.
        let is_one_group = constraints.is_one_group();
        let Some(group) = constraints.groups.pop() else {
            return self.expression_of_kinds(&constraints, name, depth);
        };
        if group.combination == Combination::OneOf {
            overlap::report_overlap(self, &group)?;
        }
        let mut ways = Vec::with_capacity(group.alternatives.len());
        for (index, schema) in group.alternatives.iter().enumerate() {
            self.enter(schema, depth)?;
            let name = self.child_name(name, &index.to_string());
            // An alternative that is only a reference is the rule of its target, unless there are
            // other constraints.
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

    /// The expression of constraints without listed values and alternatives: one for each kind.
    fn expression_of_kinds(
        &mut self,
        constraints: &Constraints<'s>,
        name: &str,
        depth: usize,
    ) -> Result<Expression> {
        let kinds = constraints.kinds_meant();
        let bounds = &constraints.bounds;
        if kinds.intersects(Kinds::NUMBER) {
            let steps = bounds.digits().saturating_mul(budget::PER_DIGIT);
            self.spend(&self.root(), steps)?;
        }
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
                true => BasicRule::Number.reference(self.builder),
                false => number::number(bounds),
            });
        } else if kinds.contains(Kinds::INTEGER) {
            ways.push(match bounds.is_none() {
                true => BasicRule::Integer.reference(self.builder),
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

    /// Returns the rule of a reference's target. There is one rule for any number of references.
    fn reference(
        &mut self,
        schema: &LocatedSchema<'s>,
        reference: &'s str,
        depth: usize,
    ) -> Result<Expression> {
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

    /// Returns the target of a reference, unless the target only leads back to the reference.
    fn target_with_keywords(
        &mut self,
        schema: &LocatedSchema<'s>,
        reference: &'s str,
    ) -> Result<LocatedSchema<'s>> {
        let target = self.target(schema, reference)?;
        let mut known: HashSet<Option<usize>> = HashSet::from([schema.schema.address()]);
        let mut next = target.clone();
        // A longer chain of references is too deep anyway.
        for _ in 0..MOST_REFERENCES {
            let Some(next_reference) = next.schema.only_reference() else { break };
            if !known.insert(next.schema.address()) {
                let place = &next.pointer;
                let message = format!("`$ref` leads to `{place}`, which only refers to itself");
                let help = "add a keyword such as `type` to one of these definitions";
                return Err(schema.error_at("$ref", message).with_help(help));
            }
            next = self.target(&next, next_reference)?;
        }
        Ok(target)
    }
}
