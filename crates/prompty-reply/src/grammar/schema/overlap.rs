//! Whether several alternatives of `oneOf` can hold at once, which a grammar does not prevent.

use std::collections::HashMap;
use std::rc::Rc;

use super::compiler::Compiler;
use super::constraints::{AlternativeGroup, Constraints};
use super::values::ValueSet;
use crate::grammar::Result;
use prompty_core::schema::{Kinds, LocatedSchema};
use prompty_core::value::Map;

/// The maximum number of alternatives that are compared, each with all others. A `oneOf` with more
/// is reported as one whose alternatives may overlap.
const MOST_ALTERNATIVES: usize = 200;

/// Reports a `oneOf` whose alternatives may overlap.
pub(super) fn report_overlap<'s>(
    compiler: &mut Compiler<'_, 's>,
    group: &AlternativeGroup<'s>,
) -> Result<()> {
    let mut features = Vec::new();
    for schema in group.alternatives.iter().take(MOST_ALTERNATIVES) {
        features.extend(features_of(compiler, schema));
    }
    let compared: usize = features.iter().map(AlternativeFeatures::size).sum();
    compiler.spend_on_items(&group.schema, compared.saturating_mul(features.len()))?;
    let are_disjoint = features.len() == group.alternatives.len()
        && features.iter().enumerate().all(|(index, one)| {
            features.iter().skip(index + 1).all(|other| are_disjoint(one, other))
        });
    if are_disjoint {
        Ok(())
    } else {
        compiler.record_widened(&group.schema, group.combination.keyword())
    }
}

/// The features that distinguish an alternative from others.
struct AlternativeFeatures<'s> {
    kinds: Kinds,
    values: Option<Rc<ValueSet<'s>>>,
    /// The kinds of these values.
    kinds_of_values: Kinds,
    /// The required properties with listed values, such as `type` in `{"type": {"const":
    /// "circle"}}`.
    tags: HashMap<&'s str, Vec<Rc<ValueSet<'s>>>>,
}

impl AlternativeFeatures<'_> {
    /// The number of values that are compared with those of another alternative.
    fn size(&self) -> usize {
        let values = self.values.iter().chain(self.tags.values().flatten());
        values.map(|values| 1 + values.len()).sum()
    }
}

/// The features of an alternative. `None` if its schema is not valid.
fn features_of<'s>(
    compiler: &mut Compiler<'_, 's>,
    schema: &LocatedSchema<'s>,
) -> Option<AlternativeFeatures<'s>> {
    // An error is reported when the alternative is compiled.
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
    Some(AlternativeFeatures {
        // A schema without a type is compared with its implied type.
        kinds: constraints.kinds_meant(),
        kinds_of_values: values.map(Kinds::from_value).fold(Kinds::NONE, Kinds::union),
        values: constraints.values,
        tags,
    })
}

/// Whether no value matches both alternatives.
fn are_disjoint(one: &AlternativeFeatures<'_>, other: &AlternativeFeatures<'_>) -> bool {
    if !one.kinds.intersects(other.kinds) {
        return true;
    }
    if let (Some(values), Some(others)) = (&one.values, &other.values)
        && values.is_disjoint_from(others)
    {
        return true;
    }
    if has_no_value_of(one, other.kinds) || has_no_value_of(other, one.kinds) {
        return true;
    }
    one.tags.iter().any(|(name, values)| {
        let others = other.tags.get(name).map(Vec::as_slice).unwrap_or_default();
        values.iter().any(|values| others.iter().any(|others| values.is_disjoint_from(others)))
    })
}

/// Whether an alternative lists its values, and none of them has these kinds.
fn has_no_value_of(features: &AlternativeFeatures<'_>, kinds: Kinds) -> bool {
    features.values.is_some() && !features.kinds_of_values.intersects(kinds)
}
