//! The constraints on a value, merged from the keywords of schemas that must hold together.

use std::rc::Rc;

use prompty_core::ordered_map::OrderedMap;
use prompty_core::schema::{Bounds, Combination, Count, Kinds, LocatedSchema};
use prompty_core::value::Map;

use super::values::ValueSet;

/// The keywords of one schema about an object's properties.
#[derive(Debug, Clone)]
pub(super) struct ObjectKeywords<'s> {
    /// The schema with these keywords.
    pub(super) schema: LocatedSchema<'s>,
    pub(super) properties: Option<&'s Map>,
    /// The schema of `additionalProperties`.
    pub(super) additional: Option<LocatedSchema<'s>>,
}

impl<'s> ObjectKeywords<'s> {
    /// The schema of a property.
    pub(super) fn property(&self, name: &'s str) -> Option<LocatedSchema<'s>> {
        let named = self.properties.and_then(|properties| properties.get(name));
        match named {
            Some(value) => Some(self.schema.property(name, value)),
            None => self.additional.clone(),
        }
    }
}

/// The keywords of one schema about an array's items.
#[derive(Debug, Clone)]
pub(super) struct ArrayKeywords<'s> {
    /// The schemas of the first items (`prefixItems`).
    pub(super) first: Vec<LocatedSchema<'s>>,
    /// The schema of the other items (`items`).
    pub(super) rest: Option<LocatedSchema<'s>>,
}

/// Alternatives of which one must hold.
#[derive(Debug, Clone)]
pub(super) struct AlternativeGroup<'s> {
    /// The schema with the alternatives.
    pub(super) schema: LocatedSchema<'s>,
    pub(super) combination: Combination,
    pub(super) alternatives: Vec<LocatedSchema<'s>>,
}

/// The constraints that schemas that must hold together impose on a value.
#[derive(Debug, Clone, Default)]
pub(super) struct Constraints<'s> {
    /// Whether one of the schemas is `false`, so that it allows no value.
    pub(super) is_impossible: bool,
    /// The kinds that `type` allows.
    pub(super) kinds: Option<Kinds>,
    /// The kinds that other keywords apply to.
    pub(super) implied_kinds: Option<Kinds>,
    /// The values that `const` and `enum` allow.
    pub(super) values: Option<Rc<ValueSet<'s>>>,
    pub(super) bounds: Bounds,
    pub(super) length: Count,
    /// Schemas that limit the length, with the keyword.
    pub(super) lengths: Vec<(LocatedSchema<'s>, &'static str)>,
    pub(super) patterns: Vec<(LocatedSchema<'s>, &'s str)>,
    pub(super) formats: Vec<(LocatedSchema<'s>, &'s str)>,
    pub(super) objects: Vec<ObjectKeywords<'s>>,
    /// Whether `unevaluatedProperties` forbids properties that no schema names.
    pub(super) is_closed_object: bool,
    pub(super) required: OrderedMap<&'s str, ()>,
    /// The allowed numbers of properties.
    pub(super) size: Count,
    /// Schemas that limit the number of properties, with the keyword.
    pub(super) sizes: Vec<(LocatedSchema<'s>, &'static str)>,
    pub(super) arrays: Vec<ArrayKeywords<'s>>,
    /// Whether `unevaluatedItems` forbids items that no schema names.
    pub(super) is_closed_array: bool,
    /// The allowed numbers of items.
    pub(super) items: Count,
    pub(super) groups: Vec<AlternativeGroup<'s>>,
}

impl<'s> Constraints<'s> {
    /// The kinds of values that are meant: those of `type`, or those that other keywords apply to.
    pub(super) fn kinds_meant(&self) -> Kinds {
        self.kinds.or(self.implied_kinds).unwrap_or(Kinds::ANY)
    }

    /// Whether every value is allowed.
    pub(super) fn is_empty(&self) -> bool {
        self.has_only_groups() && self.groups.is_empty()
    }

    /// Whether it is one group of alternatives and nothing else.
    pub(super) fn is_one_group(&self) -> bool {
        self.has_only_groups() && self.groups.len() == 1
    }

    /// Whether nothing is constrained, except for groups. Each other keyword implies a kind.
    fn has_only_groups(&self) -> bool {
        !self.is_impossible
            && self.kinds.is_none()
            && self.implied_kinds.is_none()
            && self.values.is_none()
    }

    /// The number of elements that a copy has.
    pub(super) fn size(&self) -> usize {
        let lists = [
            self.lengths.len() + self.sizes.len() + self.patterns.len() + self.formats.len(),
            self.arrays.iter().map(|array| array.first.len() + 1).sum(),
            self.objects.len() + self.required.len(),
            self.groups.iter().map(|group| group.alternatives.len() + 1).sum(),
        ];
        lists.iter().sum()
    }

    /// Adds kinds that a keyword applies to.
    pub(super) fn imply(&mut self, kinds: Kinds) {
        self.implied_kinds = Some(self.implied_kinds.unwrap_or(Kinds::NONE).union(kinds));
    }
}
