//! Whether the alternatives of `oneOf` can hold at once, which a grammar does not forbid.

use std::collections::HashMap;
use std::rc::Rc;

use super::compiler::Compiler;
use super::constraints::{Constraints, Group};
use super::values::Values;
use crate::grammar::Result;
use prompty_core::schema::{Kinds, Located};
use prompty_core::value::Map;

/// How many alternatives are compared, each with all others. A `oneOf` of more is noted as one whose
/// alternatives may hold at once.
const MOST_ALTERNATIVES: usize = 200;

/// Notes a `oneOf` whose alternatives may hold at once.
pub(super) fn note<'s>(compiler: &mut Compiler<'_, 's>, group: &Group<'s>) -> Result<()> {
    let mut marks = Vec::new();
    for schema in group.alternatives.iter().take(MOST_ALTERNATIVES) {
        marks.extend(marks_of(compiler, schema));
    }
    let compared: usize = marks.iter().map(Marks::size).sum();
    compiler.spend_on_items(&group.schema, compared.saturating_mul(marks.len()))?;
    let are_apart = marks.len() == group.alternatives.len()
        && marks
            .iter()
            .enumerate()
            .all(|(index, one)| marks.iter().skip(index + 1).all(|other| are_apart(one, other)));
    if are_apart { Ok(()) } else { compiler.note(&group.schema, group.combination.keyword()) }
}

/// What tells an alternative from others.
struct Marks<'s> {
    kinds: Kinds,
    values: Option<Rc<Values<'s>>>,
    /// The kinds of these values.
    kinds_of_values: Kinds,
    /// The properties that it requires, and the values that they can have.
    tags: HashMap<&'s str, Vec<Rc<Values<'s>>>>,
}

impl Marks<'_> {
    /// The number of values that are compared with those of another alternative.
    fn size(&self) -> usize {
        let values = self.values.iter().chain(self.tags.values().flatten());
        values.map(|values| 1 + values.len()).sum()
    }
}

fn marks_of<'s>(compiler: &mut Compiler<'_, 's>, schema: &Located<'s>) -> Option<Marks<'s>> {
    // An error is told where the alternative is compiled.
    let mut constraints = Constraints::default();
    constraints.add(compiler, schema, 0).ok()?;
    let mut tags: HashMap<&str, Vec<_>> = HashMap::new();
    for object in &constraints.objects {
        let properties = object.properties.into_iter().flat_map(Map::iter);
        for (name, value) in properties.filter(|(name, _)| constraints.required.contains_key(name))
        {
            let mut property = Constraints::default();
            property.add(compiler, &object.schema.property(name, value), 0).ok()?;
            if let Some(values) = property.values {
                tags.entry(name).or_default().push(values);
            }
        }
    }
    let values = constraints.values.iter().flat_map(|values| values.iter());
    Some(Marks {
        // A schema without a type is compared as what it is meant to be.
        kinds: constraints.kinds_meant(),
        kinds_of_values: values.map(Kinds::from_value).fold(Kinds::NONE, Kinds::union),
        values: constraints.values,
        tags,
    })
}

/// Whether no value follows both alternatives.
fn are_apart(one: &Marks<'_>, other: &Marks<'_>) -> bool {
    if !one.kinds.intersects(other.kinds) {
        return true;
    }
    if let (Some(values), Some(others)) = (&one.values, &other.values)
        && values.is_apart_from(others)
    {
        return true;
    }
    if has_no_value_of(one, other.kinds) || has_no_value_of(other, one.kinds) {
        return true;
    }
    one.tags.iter().any(|(name, values)| {
        let others = other.tags.get(name).map(Vec::as_slice).unwrap_or_default();
        values.iter().any(|values| others.iter().any(|others| values.is_apart_from(others)))
    })
}

/// Whether an alternative lists its values, and none of them is of these kinds.
fn has_no_value_of(marks: &Marks<'_>, kinds: Kinds) -> bool {
    marks.values.is_some() && !marks.kinds_of_values.intersects(kinds)
}
