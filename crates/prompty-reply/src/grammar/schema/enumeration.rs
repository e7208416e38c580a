//! Values that a schema lists: `const` and `enum`, as far as all other keywords admit them.

use std::collections::HashSet;
use std::rc::Rc;

use super::basic::{Basic, braced, further, pair, quoted};
use super::compiler::Compiler;
use super::constraints::Constraints;
use super::{escape, values};
use crate::grammar::{Expression, Result, budget};
use prompty_core::schema::{Decimal, Kinds, Located};
use prompty_core::value::Value;

/// The values that all constraints admit.
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

/// The JSON texts of one value.
fn literal(compiler: &mut Compiler<'_, '_>, value: &Value, depth: usize) -> Result<Expression> {
    let root = compiler.root();
    compiler.check_depth(&root, depth)?;
    compiler.spend(&root, budget::PER_VALUE)?;
    let space = Basic::Space.reference(compiler.builder);
    Ok(match value {
        Value::String(text) => {
            compiler.spend_on_text(&root, text)?;
            quoted(escape::text(text).into())
        }
        Value::Array(items) => {
            let mut all = Vec::with_capacity(items.len());
            for item in items.iter() {
                let item = literal(compiler, item, depth + 1)?;
                all.push(if all.is_empty() { item } else { further(&space, item) });
            }
            braced("[", Expression::Sequence(all), "]", &space)
        }
        Value::Object(map) => {
            let mut all = Vec::with_capacity(map.len());
            for (name, value) in map.iter() {
                compiler.spend_on_text(&root, name)?;
                let value = literal(compiler, value, depth + 1)?;
                let property = pair(quoted(escape::text(name).into()), &space, value);
                all.push(if all.is_empty() { property } else { further(&space, property) });
            }
            braced("{", Expression::Sequence(all), "}", &space)
        }
        scalar => Expression::text(scalar.to_json()),
    })
}

/// Whether the constraints admit a value.
fn admits<'s>(
    compiler: &mut Compiler<'_, 's>,
    constraints: &Constraints<'s>,
    value: &'s Value,
    depth: usize,
) -> Result<bool> {
    if let Some(values) = &constraints.values {
        compiler.spend(&compiler.root(), budget::of_values(std::slice::from_ref(value)))?;
        if !values.contains(value) {
            return Ok(false);
        }
    }
    admits_listed(compiler, constraints, value, depth)
}

/// Whether the constraints admit a value that `const` and `enum` admit.
fn admits_listed<'s>(
    compiler: &mut Compiler<'_, 's>,
    constraints: &Constraints<'s>,
    value: &'s Value,
    depth: usize,
) -> Result<bool> {
    let schemas = constraints.objects.len() + constraints.arrays.len() + constraints.groups.len();
    let held = constraints.required.len() + schemas.saturating_mul(values::entries(value));
    compiler.spend_on_items(&compiler.root(), held.saturating_add(budget::PER_VALUE))?;
    let kinds = constraints.kinds.unwrap_or(Kinds::ANY);
    if constraints.is_impossible || !kinds.intersects(Kinds::from_value(value)) {
        return Ok(false);
    }
    let is_admitted = match value {
        Value::Integer(_) | Value::Float(_) => {
            Decimal::from_value(value).is_none_or(|number| constraints.bounds.contains(&number))
        }
        Value::String(text) => {
            for (schema, _) in &constraints.patterns {
                compiler.cannot_say(schema, "pattern", "values are given beside it")?;
            }
            for (schema, _) in &constraints.formats {
                compiler.note(schema, "format")?;
            }
            constraints.length.contains(text.chars().count())
        }
        Value::Array(items) => {
            let mut all = constraints.items.contains(items.len());
            for (index, item) in items.iter().enumerate() {
                for array in &constraints.arrays {
                    if let Some(schema) = array.first.get(index).or(array.rest.as_ref()) {
                        all &= follows(compiler, schema, item, depth)?;
                    }
                }
            }
            all
        }
        Value::Object(map) => {
            let mut all = constraints.size.contains(map.len())
                && constraints.required.keys().all(|name| map.contains_key(name));
            for (name, value) in map.iter() {
                for object in &constraints.objects {
                    if let Some(schema) = object.property(name) {
                        all &= follows(compiler, &schema, value, depth)?;
                    }
                }
            }
            all
        }
        Value::Null | Value::Bool(_) => true,
    };
    if !is_admitted {
        return Ok(false);
    }
    for group in &constraints.groups {
        let mut follows_one = false;
        for schema in &group.alternatives {
            follows_one = follows_one || follows(compiler, schema, value, depth)?;
        }
        if !follows_one {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a value follows one schema.
fn follows<'s>(
    compiler: &mut Compiler<'_, 's>,
    schema: &Located<'s>,
    value: &'s Value,
    depth: usize,
) -> Result<bool> {
    let address = schema.schema.address();
    let known = address.and_then(|address| compiler.followed.get(&address)).cloned();
    let constraints = match known {
        Some(known) => known,
        None => {
            let mut constraints = Constraints::default();
            constraints.add(compiler, schema, depth + 1)?;
            let constraints = Rc::new(constraints);
            let new = address.map(|address| (address, Rc::clone(&constraints)));
            compiler.followed.extend(new);
            constraints
        }
    };
    admits(compiler, &constraints, value, depth + 1)
}
