//! All that schemas which hold together demand of a value, merged from their keywords.

use std::rc::Rc;

use prompty_core::ordered_map::OrderedMap;
use prompty_core::schema::{Bounds, Combination, Count, Kinds, Located};
use prompty_core::value::Map;

use super::values::Values;

/// What one schema says of an object's properties.
#[derive(Debug, Clone)]
pub(super) struct ObjectKeywords<'s> {
    /// The schema that says it.
    pub(super) schema: Located<'s>,
    pub(super) properties: Option<&'s Map>,
    pub(super) additional: Option<Located<'s>>,
}

impl<'s> ObjectKeywords<'s> {
    /// The schema that it has for a property.
    pub(super) fn property(&self, name: &'s str) -> Option<Located<'s>> {
        let named = self.properties.and_then(|properties| properties.get(name));
        match named {
            Some(value) => Some(self.schema.property(name, value)),
            None => self.additional.clone(),
        }
    }
}

/// What one schema says of an array's items.
#[derive(Debug, Clone)]
pub(super) struct ArrayKeywords<'s> {
    pub(super) first: Vec<Located<'s>>,
    pub(super) rest: Option<Located<'s>>,
}

/// Alternatives of which one has to hold.
#[derive(Debug, Clone)]
pub(super) struct Group<'s> {
    /// The schema that has them.
    pub(super) schema: Located<'s>,
    pub(super) combination: Combination,
    pub(super) alternatives: Vec<Located<'s>>,
}

/// What schemas that hold together demand of a value.
#[derive(Debug, Clone, Default)]
pub(super) struct Constraints<'s> {
    /// Whether one of them is `false`, so that no value follows them.
    pub(super) is_impossible: bool,
    /// The kinds that `type` leaves.
    pub(super) kinds: Option<Kinds>,
    /// The kinds that other keywords are about.
    pub(super) implied_kinds: Option<Kinds>,
    /// The values that `const` and `enum` leave.
    pub(super) values: Option<Rc<Values<'s>>>,
    pub(super) bounds: Bounds,
    pub(super) length: Count,
    /// Schemas that bound the length, with the keyword.
    pub(super) lengths: Vec<(Located<'s>, &'static str)>,
    pub(super) patterns: Vec<(Located<'s>, &'s str)>,
    pub(super) formats: Vec<(Located<'s>, &'s str)>,
    pub(super) objects: Vec<ObjectKeywords<'s>>,
    /// Whether `unevaluatedProperties` forbids properties that no schema names.
    pub(super) is_closed: bool,
    pub(super) required: OrderedMap<&'s str, ()>,
    /// How many properties there may be.
    pub(super) size: Count,
    /// Schemas that bound the number of properties, with the keyword.
    pub(super) sizes: Vec<(Located<'s>, &'static str)>,
    pub(super) arrays: Vec<ArrayKeywords<'s>>,
    /// How many items there may be.
    pub(super) items: Count,
    pub(super) groups: Vec<Group<'s>>,
}

impl<'s> Constraints<'s> {
    /// The kinds of values that are meant: those of `type`, or those that other keywords are about.
    pub(super) fn kinds_meant(&self) -> Kinds {
        self.kinds.or(self.implied_kinds).unwrap_or(Kinds::ANY)
    }

    /// Whether every value is admitted.
    pub(super) fn is_empty(&self) -> bool {
        self.has_only_groups() && self.groups.is_empty()
    }

    /// Whether it is one group of alternatives and nothing else.
    pub(super) fn is_one_group(&self) -> bool {
        self.has_only_groups() && self.groups.len() == 1
    }

    fn has_only_groups(&self) -> bool {
        !self.is_impossible
            && self.kinds.is_none()
            && self.implied_kinds.is_none()
            && self.values.is_none()
    }

    /// How many things there are to copy.
    pub(super) fn size(&self) -> usize {
        let lists = [
            self.lengths.len() + self.sizes.len() + self.patterns.len() + self.formats.len(),
            self.arrays.iter().map(|array| array.first.len() + 1).sum(),
            self.objects.len() + self.required.len(),
            self.groups.iter().map(|group| group.alternatives.len() + 1).sum(),
        ];
        lists.iter().sum()
    }

    pub(super) fn imply(&mut self, kinds: Kinds) {
        self.implied_kinds = Some(self.implied_kinds.unwrap_or(Kinds::NONE).union(kinds));
    }
}
