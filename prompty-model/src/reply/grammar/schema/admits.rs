//! Whether a given value follows a schema: which values of an `enum` are left beside other keywords.

use super::compile::Compiler;
use super::decimal::Decimal;
use super::facts::{Facts, Kinds};
use prompty_core::error::Error;
use prompty_core::value::Value;

pub(super) fn admits<'s>(
    compiler: &mut Compiler<'_, 's>,
    facts: &Facts<'s>,
    value: &'s Value,
    depth: usize,
) -> Result<bool, Error> {
    let kinds = facts.kinds.unwrap_or(Kinds::ALL);
    let is_fixed = facts.fixed.as_ref().is_none_or(|fixed| fixed.contains(&value));
    if facts.nothing || !is_fixed || kinds.and(Kinds::of(value)).is_none() {
        return Ok(false);
    }
    let admitted = match value {
        Value::Integer(_) | Value::Float(_) => {
            Decimal::of(value).is_none_or(|number| facts.bounds.contains(&number))
        }
        Value::String(text) => {
            for (node, _) in &facts.patterns {
                compiler.cannot_say(node, "pattern", "values are given beside it")?;
            }
            for (node, _) in &facts.formats {
                compiler.note(node, "format");
            }
            facts.length.contains(text.chars().count())
        }
        Value::Array(items) => {
            let mut all = facts.items.contains(items.len());
            for (at, item) in items.iter().enumerate() {
                for part in &facts.arrays {
                    if let Some(node) = part.first.get(at).or(part.rest.as_ref()) {
                        all &= follows(compiler, node, item, depth)?;
                    }
                }
            }
            all
        }
        Value::Object(map) => {
            let mut all = facts.size.contains(map.len())
                && facts.required.iter().all(|name| map.contains_key(name));
            for (name, value) in map.iter() {
                for part in &facts.objects {
                    let named = part.properties.as_ref().and_then(|(node, properties)| {
                        Some(node.child(name, properties.get(name)?))
                    });
                    if let Some(node) = named.or(part.additional.clone()) {
                        all &= follows(compiler, &node, value, depth)?;
                    }
                }
            }
            all
        }
        Value::Null | Value::Bool(_) => true,
    };
    if !admitted {
        return Ok(false);
    }
    for group in &facts.groups {
        let mut any = false;
        for schema in &group.schemas {
            any = any || follows(compiler, schema, value, depth)?;
        }
        if !any {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a value follows one schema.
fn follows<'s>(
    compiler: &mut Compiler<'_, 's>,
    node: &super::node::Node<'s>,
    value: &'s Value,
    depth: usize,
) -> Result<bool, Error> {
    let mut facts = Facts::default();
    facts.gather(compiler, node, depth + 1)?;
    admits(compiler, &facts, value, depth + 1)
}
