//! Arrays: the first items with their own schemas, then the others.

use super::basic::{BasicRule, after_comma, braced, list};
use super::compiler::Compiler;
use super::constraints::{ArrayKeywords, Constraints};
use crate::grammar::{Expression, Result};
use prompty_core::schema::LocatedSchema;

/// The expression of arrays that match the constraints.
pub(super) fn expression<'s>(
    compiler: &mut Compiler<'_, 's>,
    constraints: &Constraints<'s>,
    name: &str,
    depth: usize,
) -> Result<Expression> {
    let (arrays, count) = (&constraints.arrays, constraints.items);
    if arrays.is_empty() && count.is_none() {
        return Ok(BasicRule::Array.reference(compiler.builder));
    }
    let space = BasicRule::Space.reference(compiler.builder);
    let first = arrays.iter().map(|array| array.first.len()).max().unwrap_or(0);
    // JSON Schema allows fewer items than `prefixItems` has, and any others if `items` is missing.
    // The grammar is stricter, as for the properties of an object (see `mod.rs`).
    let is_closed = arrays.iter().any(|array| array.rest.is_none() && !array.first.is_empty());
    let at_least = count.at_least.unwrap_or_else(|| {
        let all_first = u32::try_from(first).unwrap_or(u32::MAX);
        all_first.min(count.at_most.unwrap_or(u32::MAX))
    });
    let mut items = Vec::with_capacity(first);
    for index in 0..first {
        // The schemas of the item may be in several places, so an error about the cost names the
        // root.
        compiler.spend_on_items(&compiler.root(), arrays.len())?;
        let schemas = schemas_of_item(arrays, index);
        let name = compiler.child_name(name, &index.to_string());
        items.push(compiler.compile(&schemas, &name, depth + 1)?);
    }
    let rest = match is_closed {
        // No text matches, so no further item is possible.
        true => Expression::NOTHING,
        false => {
            let name = compiler.child_name(name, "item");
            compiler.compile(&schemas_of_item(arrays, first), &name, depth + 1)?
        }
    };
    if items.is_empty() {
        let name = compiler.child_name(name, "item");
        let rest = compiler.builder.shared(&name, rest);
        return Ok(braced("[", list(rest, &space, at_least, count.at_most), "]", &space));
    }
    Ok(tuple(compiler, name, items, rest, at_least, count.at_most))
}

/// The schemas that apply to the item at an index.
fn schemas_of_item<'s>(arrays: &[ArrayKeywords<'s>], index: usize) -> Vec<LocatedSchema<'s>> {
    let schema =
        |array: &ArrayKeywords<'s>| array.first.get(index).or(array.rest.as_ref()).cloned();
    arrays.iter().filter_map(schema).collect()
}

/// The first items with their own schemas, then the others. An optional item is optional together
/// with all items after it: `[ A ("," B ("," C)?)? ]`.
fn tuple(
    compiler: &mut Compiler<'_, '_>,
    name: &str,
    items: Vec<Expression>,
    rest: Expression,
    at_least: u32,
    at_most: Option<u32>,
) -> Expression {
    let space = BasicRule::Space.reference(compiler.builder);
    let length = u32::try_from(items.len()).unwrap_or(u32::MAX);
    let others = match at_most {
        Some(at_most) if at_most <= length => Expression::EMPTY,
        _ => after_comma(&space, rest).repeated(
            at_least.saturating_sub(length),
            at_most.map(|at_most| at_most.saturating_sub(length)),
        ),
    };
    // Required items are in one sequence. Each optional item is a rule, so the expressions do not
    // nest deeply.
    let mut tail = others;
    let mut required = Vec::new();
    for (index, item) in items.into_iter().enumerate().rev() {
        let before = u32::try_from(index).unwrap_or(u32::MAX);
        if at_most.is_some_and(|at_most| before >= at_most) {
            continue;
        }
        let item = if index == 0 { item } else { after_comma(&space, item) };
        if before < at_least {
            required.push(item);
            continue;
        }
        let with_rest = Expression::sequence([item, tail]).optional();
        tail = compiler.builder.rule(&format!("{name}-rest"), with_rest).into();
    }
    required.reverse();
    required.push(tail);
    braced("[", Expression::Sequence(required), "]", &space)
}
