//! Objects: properties in the schema's order.

use super::basic::{Basic, braced, list, pair, quoted};
use super::compile::Compiler;
use super::facts::{Facts, ObjectPart};
use super::keys;
use super::node::Node;
use super::spelled;
use crate::reply::grammar::Expression;
use crate::reply::grammar::row::row;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::Value;

/// How many characters a name has at most, where others are told from it.
const LONGEST_NAME: usize = 500;

pub(super) fn expression<'s>(
    compiler: &mut Compiler<'_, 's>,
    facts: &Facts<'s>,
    name: &str,
    depth: usize,
) -> Result<Expression, Error> {
    if facts.objects.is_empty()
        && facts.required.is_empty()
        && facts.size.is_none()
        && !facts.closed
    {
        return Ok(Basic::Object.of(compiler.builder));
    }
    let names = names(facts);
    let space = Basic::Space.of(compiler.builder);
    let additional = additional(compiler, facts, &names, name, depth)?;
    let mut properties = Vec::new();
    for property in &names {
        let nodes = nodes_of(facts, property);
        let value = match is_open(facts) || is_named(facts, property) {
            true => compiler.compile(&nodes, &format!("{name}-{property}"), depth + 1)?,
            false => Expression::NOTHING,
        };
        let key = quoted(spelled::text(property).into());
        let kv = compiler.builder.rule(property, pair(key, &space, value)).into();
        properties.push((kv, facts.required.contains(property)));
    }
    if !facts.size.is_none() {
        if names.is_empty() {
            let all = match additional {
                Some(additional) => {
                    list(additional, &space, facts.size.least(), facts.size.at_most)
                }
                None if facts.size.least() > 0 => return Ok(Expression::NOTHING),
                None => Expression::EMPTY,
            };
            return Ok(braced("{", all, "}", &space));
        }
        let required = properties.iter().filter(|(_, is_required)| *is_required).count();
        size(compiler, facts, required, properties.len(), additional.is_some())?;
    }
    let separator = Expression::sequence([",".into(), space.clone()]);
    let inner = row(compiler.builder, properties, additional, &separator);
    Ok(braced("{", inner, "}", &space))
}

/// The names that are known, in order: those with a schema, then those that are only required.
fn names<'s>(facts: &Facts<'s>) -> Vec<&'s str> {
    let mut names: Vec<&str> = Vec::new();
    let mut known = std::collections::HashSet::new();
    let with_schema = facts
        .objects
        .iter()
        .filter_map(|part| part.properties.as_ref())
        .flat_map(|(_, properties)| properties.keys());
    for name in with_schema.chain(facts.required.iter().copied()) {
        if known.insert(name) {
            names.push(name);
        }
    }
    names
}

/// Whether there may be properties that are not named. What names some and says nothing of others
/// is meant to be all.
fn is_open(facts: &Facts<'_>) -> bool {
    let says = facts.objects.iter().any(|part| part.additional.is_some());
    let names = facts.objects.iter().any(|part| part.properties.is_some());
    says || !(names || facts.closed)
}

fn is_named(facts: &Facts<'_>, name: &str) -> bool {
    let has = |part: &ObjectPart<'_>| {
        part.properties.as_ref().is_some_and(|(_, properties)| properties.contains_key(name))
    };
    // What is required has to be possible.
    facts.objects.iter().any(has) || facts.required.contains(&name)
}

/// The schemas that hold for a property.
fn nodes_of<'s>(facts: &Facts<'s>, name: &str) -> Vec<Node<'s>> {
    let node = |part: &ObjectPart<'s>| {
        let named = part
            .properties
            .as_ref()
            .and_then(|(node, properties)| Some(node.child(name, properties.get(name)?)));
        named.or_else(|| part.additional.clone())
    };
    facts.objects.iter().filter_map(node).collect()
}

/// A property that is not named, where there may be one.
fn additional<'s>(
    compiler: &mut Compiler<'_, 's>,
    facts: &Facts<'s>,
    names: &[&'s str],
    name: &str,
    depth: usize,
) -> Result<Option<Expression>, Error> {
    let nodes: Vec<Node<'s>> =
        facts.objects.iter().filter_map(|part| part.additional.clone()).collect();
    let is_closed = nodes.iter().any(|node| *node.value == Value::Bool(false));
    if !is_open(facts) || is_closed {
        return Ok(None);
    }
    let value = compiler.compile(&nodes, &format!("{name}-other"), depth + 1)?;
    let space = Basic::Space.of(compiler.builder);
    let key = match names.is_empty() {
        true => Basic::Text.of(compiler.builder),
        false if names.iter().any(|name| name.chars().nth(LONGEST_NAME).is_some()) => {
            let message = "a property's name is too long for telling it from others";
            return Err(Error::new(ErrorKind::Limit, message));
        }
        false => keys::other_than(compiler.builder, names),
    };
    let property = compiler.builder.rule(&format!("{name}-other"), pair(key, &space, value));
    Ok(Some(property.into()))
}

/// Whether a count of properties says anything beside their names.
fn size<'s>(
    compiler: &mut Compiler<'_, 's>,
    facts: &Facts<'s>,
    required: usize,
    all: usize,
    is_open: bool,
) -> Result<(), Error> {
    let all = if is_open { usize::MAX } else { all };
    for (node, keyword) in &facts.sizes {
        let is_implied = match *keyword {
            "minProperties" => u32::try_from(required).unwrap_or(u32::MAX) >= facts.size.least(),
            _ => facts.size.contains(all.max(facts.size.least() as usize)),
        };
        if !is_implied {
            compiler.cannot_say(node, keyword, "it would have to count named properties")?;
        }
    }
    Ok(())
}
