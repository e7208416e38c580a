//! Values that are given: `const` and `enum`.

use super::admits;
use super::basic::{Basic, braced, further, pair, quoted};
use super::compile::Compiler;
use super::facts::Facts;
use super::spelled;
use crate::reply::grammar::Expression;
use prompty_core::error::Error;
use prompty_core::value::Value;

/// Those of the values that all else admits.
pub(super) fn expression<'s>(
    compiler: &mut Compiler<'_, 's>,
    facts: &Facts<'s>,
    depth: usize,
) -> Result<Expression, Error> {
    let mut ways = Vec::new();
    for value in facts.fixed.iter().flatten() {
        if admits::admits(compiler, facts, value, depth)? {
            let way = literal(compiler, value, depth)?;
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
    }
    Ok(Expression::Choice(ways))
}

/// The JSON texts of one value.
fn literal(
    compiler: &mut Compiler<'_, '_>,
    value: &Value,
    depth: usize,
) -> Result<Expression, Error> {
    compiler.work("#", depth)?;
    let space = Basic::Space.of(compiler.builder);
    Ok(match value {
        Value::String(text) => quoted(spelled::text(text).into()),
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
                let value = literal(compiler, value, depth + 1)?;
                let property = pair(quoted(spelled::text(name).into()), &space, value);
                all.push(if all.is_empty() { property } else { further(&space, property) });
            }
            braced("{", Expression::Sequence(all), "}", &space)
        }
        scalar => Expression::text(scalar.to_json()),
    })
}
