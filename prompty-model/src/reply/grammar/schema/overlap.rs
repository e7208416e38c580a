//! Whether the alternatives of `oneOf` can hold at once, which a grammar does not forbid.

use super::compiler::Compiler;
use super::constraints::{Constraints, Group};
use prompty_core::error::Error;
use prompty_core::schema::{Kinds, Located};
use prompty_core::value::{Map, Value};

/// How many alternatives are compared, each with all others.
const MOST_ALTERNATIVES: usize = 200;

/// How many values of alternatives are compared, each with those of another.
const MOST_COMPARISONS: usize = 1_000_000;

/// Notes a `oneOf` whose alternatives may hold at once.
pub(super) fn note<'s>(compiler: &mut Compiler<'_, 's>, group: &Group<'s>) -> Result<(), Error> {
    let mut marks = Vec::new();
    for schema in group.alternatives.iter().take(MOST_ALTERNATIVES) {
        marks.extend(marks_of(compiler, schema));
    }
    let mut comparisons = Comparisons { left: MOST_COMPARISONS };
    let are_apart = marks.len() == group.alternatives.len()
        && marks.iter().enumerate().all(|(index, one)| {
            let others = marks.iter().skip(index + 1);
            others.into_iter().all(|other| comparisons.are_apart(one, other))
        });
    match are_apart {
        true => Ok(()),
        false => compiler.note(&group.schema, group.combination.keyword()),
    }
}

/// What tells an alternative from others.
struct Marks<'s> {
    kinds: Kinds,
    values: Option<Vec<&'s Value>>,
    /// The properties that it requires, and the values that they can have.
    tags: Vec<(&'s str, Vec<&'s Value>)>,
}

fn marks_of<'s>(compiler: &mut Compiler<'_, 's>, schema: &Located<'s>) -> Option<Marks<'s>> {
    // An error is told where the alternative is compiled.
    let mut constraints = Constraints::default();
    constraints.add(compiler, schema, 0).ok()?;
    let mut tags = Vec::new();
    for object in &constraints.objects {
        let properties = object.properties.into_iter().flat_map(Map::iter);
        for (name, value) in properties.filter(|(name, _)| constraints.required.contains(name)) {
            let mut property = Constraints::default();
            property.add(compiler, &object.schema.property(name, value), 0).ok()?;
            tags.extend(property.values.map(|values| (name, values)));
        }
    }
    // A schema without a type is compared as what it is meant to be.
    Some(Marks { kinds: constraints.kinds_meant(), values: constraints.values, tags })
}

/// Comparisons of values that may yet be made. Where there are none left, alternatives count as
/// overlapping.
struct Comparisons {
    left: usize,
}

impl Comparisons {
    /// Whether no value follows both alternatives.
    fn are_apart(&mut self, one: &Marks<'_>, other: &Marks<'_>) -> bool {
        if !one.kinds.intersects(other.kinds) {
            return true;
        }
        if let (Some(values), Some(others)) = (&one.values, &other.values)
            && self.have_none_in_common(values, others)
        {
            return true;
        }
        if has_no_value_of(one, other.kinds) || has_no_value_of(other, one.kinds) {
            return true;
        }
        one.tags.iter().any(|(name, values)| {
            let same = other.tags.iter().filter(|(other, _)| other == name);
            same.into_iter().any(|(_, others)| self.have_none_in_common(values, others))
        })
    }

    fn have_none_in_common(&mut self, values: &[&Value], others: &[&Value]) -> bool {
        match self.left.checked_sub(values.len().saturating_mul(others.len())) {
            Some(left) => {
                self.left = left;
                !values.iter().any(|value| others.contains(value))
            }
            None => false,
        }
    }
}

/// Whether an alternative lists its values, and none of them is of these kinds.
fn has_no_value_of(marks: &Marks<'_>, kinds: Kinds) -> bool {
    marks.values.as_ref().is_some_and(|values| {
        values.iter().all(|value| !kinds.intersects(Kinds::from_value(value)))
    })
}
