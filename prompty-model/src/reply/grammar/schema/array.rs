//! Arrays: items in a row, those that come first by their own schemas.

use super::basic::{Basic, braced, further, list};
use super::compile::Compiler;
use super::facts::Facts;
use super::node::Node;
use crate::reply::grammar::Expression;
use prompty_core::error::Error;

pub(super) fn expression<'s>(
    compiler: &mut Compiler<'_, 's>,
    facts: &Facts<'s>,
    name: &str,
    depth: usize,
) -> Result<Expression, Error> {
    let count = facts.items;
    if facts.arrays.is_empty() && count.is_none() {
        return Ok(Basic::Array.of(compiler.builder));
    }
    let space = Basic::Space.of(compiler.builder);
    let first = facts.arrays.iter().map(|part| part.first.len()).max().unwrap_or(0);
    // A list of first items without a word on others is the whole list.
    let is_closed = facts.arrays.iter().any(|part| part.rest.is_none() && !part.first.is_empty());
    let mut least = count.least();
    if first > 0 && count.at_least.is_none() {
        least = u32::try_from(first).unwrap_or(u32::MAX).min(count.at_most.unwrap_or(u32::MAX));
    }
    let mut items = Vec::with_capacity(first);
    for at in 0..first {
        let nodes = nodes_at(facts, at);
        items.push(compiler.compile(&nodes, &format!("{name}-{at}"), depth + 1)?);
    }
    let rest = match is_closed {
        true => Expression::NOTHING,
        false => compiler.compile(&nodes_at(facts, first), &format!("{name}-item"), depth + 1)?,
    };
    if items.is_empty() {
        return Ok(braced("[", list(rest, &space, least, count.at_most), "]", &space));
    }
    Ok(tuple(compiler, name, items, rest, least, count.at_most))
}

/// The schemas that hold for the item at a place.
fn nodes_at<'s>(facts: &Facts<'s>, at: usize) -> Vec<Node<'s>> {
    let node =
        |part: &super::facts::ArrayPart<'s>| part.first.get(at).or(part.rest.as_ref()).cloned();
    facts.arrays.iter().filter_map(node).collect()
}

/// Items by their own schemas, then others; from the last one on, each with all that follow it.
fn tuple(
    compiler: &mut Compiler<'_, '_>,
    name: &str,
    items: Vec<Expression>,
    rest: Expression,
    least: u32,
    most: Option<u32>,
) -> Expression {
    let space = Basic::Space.of(compiler.builder);
    let length = u32::try_from(items.len()).unwrap_or(u32::MAX);
    let others = match most {
        Some(most) if most <= length => Expression::EMPTY,
        _ => further(&space, rest)
            .repeated(least.saturating_sub(length), most.map(|most| most.saturating_sub(length))),
    };
    // What has to be there stands in a row; what may be left out is a rule each, so that none is
    // deep in others.
    let mut tail = others;
    let mut needed = Vec::new();
    for (at, item) in items.into_iter().enumerate().rev() {
        let before = u32::try_from(at).unwrap_or(u32::MAX);
        if most.is_some_and(|most| before >= most) {
            continue;
        }
        let item = if at == 0 { item } else { further(&space, item) };
        if before < least {
            needed.push(item);
            continue;
        }
        let with_rest = Expression::sequence([item, tail]).optional();
        tail = compiler.builder.rule(&format!("{name}-rest"), with_rest).into();
    }
    needed.reverse();
    needed.push(tail);
    braced("[", Expression::Sequence(needed), "]", &space)
}
