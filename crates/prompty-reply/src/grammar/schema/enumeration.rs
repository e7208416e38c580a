//! Values that a schema lists with `const` and `enum`, if all other keywords allow them.

use std::collections::HashSet;
use std::rc::Rc;

use super::basic::{BasicRule, after_comma, braced, pair, quoted};
use super::compiler::Compiler;
use super::constraints::Constraints;
use super::{escape, values};
use crate::grammar::{Expression, Result, budget};
use prompty_core::schema::{Combination, Decimal, Kinds, LocatedSchema};
use prompty_core::value::Value;

/// Writes the values that all constraints allow.
pub(super) fn expression<'s>(
    compiler: &mut Compiler<'_, 's>,
    constraints: &Constraints<'s>,
    depth: usize,
) -> Result<Expression> {
    let mut ways = Vec::new();
    let mut known = HashSet::new();
    for value in constraints.values.iter().flat_map(|values| values.iter()) {
        if admits_listed(compiler, constraints, value, depth)? {
            let way = literal(compiler, value, depth)?;
            if known.insert(value.to_json()) {
                ways.push(way);
            }
        }
    }
    Ok(Expression::Choice(ways))
}

/// Writes the JSON texts of one value.
fn literal(compiler: &mut Compiler<'_, '_>, value: &Value, depth: usize) -> Result<Expression> {
    let root = compiler.root();
    compiler.check_depth(&root, depth)?;
    compiler.spend(&root, budget::PER_VALUE)?;
    let space = BasicRule::Space.reference(compiler.builder);
    Ok(match value {
        Value::String(text) => {
            compiler.spend_on_text(&root, text)?;
            quoted(escape::text(text).into())
        }
        Value::Array(items) => {
            let mut all = Vec::with_capacity(items.len());
            for item in items.iter() {
                let item = literal(compiler, item, depth + 1)?;
                all.push(if all.is_empty() { item } else { after_comma(&space, item) });
            }
            braced("[", Expression::Sequence(all), "]", &space)
        }
        Value::Object(map) => {
            let mut all = Vec::with_capacity(map.len());
            for (name, value) in map.iter() {
                compiler.spend_on_text(&root, name)?;
                let value = literal(compiler, value, depth + 1)?;
                let property = pair(quoted(escape::text(name).into()), &space, value);
                all.push(if all.is_empty() { property } else { after_comma(&space, property) });
            }
            braced("{", Expression::Sequence(all), "}", &space)
        }
        scalar => Expression::text(scalar.to_json()),
    })
}

/// Whether the constraints allow a value that `const` and `enum` allow.
fn admits_listed<'s>(
    compiler: &mut Compiler<'_, 's>,
    constraints: &Constraints<'s>,
    value: &'s Value,
    depth: usize,
) -> Result<bool> {
    let schemas = constraints.objects.len() + constraints.arrays.len() + constraints.groups.len();
    let checks = constraints.required.len() + schemas.saturating_mul(values::entries(value));
    compiler.spend_on_items(&compiler.root(), checks.saturating_add(budget::PER_VALUE))?;
    let kinds = constraints.kinds.unwrap_or(Kinds::ANY);
    if constraints.is_impossible || !kinds.intersects(Kinds::from_value(value)) {
        return Ok(false);
    }
    let is_admitted = match value {
        Value::Integer(_) | Value::Float(_) => {
            Decimal::from_value(value).is_none_or(|number| constraints.bounds.contains(&number))
        }
        Value::String(text) => {
            // A pattern could exclude all values, so it is refused. A format rarely excludes one.
            for (schema, _) in &constraints.patterns {
                let why = "it is combined with listed values";
                compiler.check_unsupported(schema, "pattern", why)?;
            }
            for (schema, _) in &constraints.formats {
                compiler.record_widened(schema, "format")?;
            }
            constraints.length.contains(text.chars().count())
        }
        Value::Array(items) => {
            let is_item_named = |index: usize| {
                constraints.arrays.iter().any(|it| it.rest.is_some() || index < it.first.len())
            };
            let last = items.len().checked_sub(1);
            let mut all = constraints.items.contains(items.len())
                && (!constraints.is_closed_array || last.is_none_or(is_item_named));
            for (index, item) in items.iter().enumerate() {
                for array in &constraints.arrays {
                    if let Some(schema) = array.first.get(index).or(array.rest.as_ref()) {
                        all &= matches_schema(compiler, schema, item, depth)?;
                    }
                }
            }
            all
        }
        Value::Object(map) => {
            let mut all = constraints.size.contains(map.len())
                && constraints.required.keys().all(|name| map.contains_key(name));
            for (name, value) in map.iter() {
                let mut is_named = !constraints.is_closed_object;
                for object in &constraints.objects {
                    if let Some(schema) = object.property(name) {
                        is_named = true;
                        all &= matches_schema(compiler, &schema, value, depth)?;
                    }
                }
                all &= is_named;
            }
            all
        }
        Value::Null | Value::Bool(_) => true,
    };
    if !is_admitted {
        return Ok(false);
    }
    for group in &constraints.groups {
        let mut matches = 0;
        for schema in &group.alternatives {
            // One match decides, except for `oneOf`.
            if matches == 0 || group.combination == Combination::OneOf {
                matches += usize::from(matches_schema(compiler, schema, value, depth)?);
            }
        }
        if matches != 1 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a value matches one schema.
fn matches_schema<'s>(
    compiler: &mut Compiler<'_, 's>,
    schema: &LocatedSchema<'s>,
    value: &'s Value,
    depth: usize,
) -> Result<bool> {
    // The constraints of a schema are read once, but a schema may contain itself.
    compiler.check_depth(schema, depth)?;
    let address = schema.schema.address();
    let known = address.and_then(|address| compiler.known_constraints.get(&address)).cloned();
    let constraints = match known {
        Some(known) => known,
        None => {
            let mut constraints = Constraints::default();
            constraints.add(compiler, schema, depth + 1)?;
            let constraints = Rc::new(constraints);
            let new = address.map(|address| (address, Rc::clone(&constraints)));
            compiler.known_constraints.extend(new);
            constraints
        }
    };
    if let Some(values) = &constraints.values {
        compiler.spend(&compiler.root(), budget::value_steps(std::slice::from_ref(value)))?;
        if !values.contains(value) {
            return Ok(false);
        }
    }
    admits_listed(compiler, &constraints, value, depth + 1)
}
