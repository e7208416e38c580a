//! The values that are known to be present at a place in the template.
//!
//! In the body of `{% if user.name %}`, `user.name` and its owner `user` are present. The checker
//! calls [`Guards::enter`] with the places of both before it reads the body, and [`Guards::leave`]
//! after it.

use std::collections::{HashMap, HashSet};

use prompty_core::work::add_steps;

/// The identity of a value for guards: a variable, or an attribute or item of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct PlaceId(usize);

#[derive(Debug, Default)]
struct GuardPlace {
    /// The value that has this attribute or item.
    parent: Option<PlaceId>,
    children: HashMap<String, PlaceId>,
}

/// All places, and those whose values are currently known to be present.
#[derive(Debug, Default)]
pub(super) struct Guards {
    places: Vec<GuardPlace>,
    present: HashSet<PlaceId>,
}

impl Guards {
    /// Creates a place that no other value has.
    pub(super) fn fresh(&mut self) -> PlaceId {
        self.places.push(GuardPlace::default());
        PlaceId(self.places.len() - 1)
    }

    /// The place of an attribute or item. The same name always gives the same place.
    pub(super) fn child(&mut self, parent: PlaceId, name: &str) -> PlaceId {
        let known = self.places.get(parent.0).and_then(|place| place.children.get(name));
        if let Some(child) = known {
            return *child;
        }
        self.places.push(GuardPlace { parent: Some(parent), ..GuardPlace::default() });
        let child = PlaceId(self.places.len() - 1);
        if let Some(place) = self.places.get_mut(parent.0) {
            place.children.insert(name.to_owned(), child);
        }
        child
    }

    /// The place and its owners. If an attribute is present, its owners are present, too.
    pub(super) fn chain(&self, place: PlaceId) -> Vec<PlaceId> {
        // An expression limits the length of a chain, but aliases can make it longer.
        let places = std::iter::successors(Some(place), |place| self.parent(*place)).take(65);
        let chain: Vec<PlaceId> = places.collect();
        add_steps(chain.len());
        chain
    }

    /// The place of the value that has this attribute or item.
    pub(super) fn parent(&self, place: PlaceId) -> Option<PlaceId> {
        self.places.get(place.0).and_then(|place| place.parent)
    }

    pub(super) fn is_present(&self, place: PlaceId) -> bool {
        self.present.contains(&place)
    }

    /// Marks the places as present. Returns the places to pass to [`Guards::leave`].
    pub(super) fn enter(&mut self, places: &[PlaceId]) -> Vec<PlaceId> {
        places.iter().copied().filter(|place| self.present.insert(*place)).collect()
    }

    /// Ends what [`Guards::enter`] began.
    pub(super) fn leave(&mut self, entered: &[PlaceId]) {
        for place in entered {
            self.present.remove(place);
        }
    }
}

/// The places that are in both lists.
pub(super) fn in_both(left: &[PlaceId], right: &[PlaceId]) -> Vec<PlaceId> {
    let right: HashSet<&PlaceId> = right.iter().collect();
    left.iter().copied().filter(|place| right.contains(place)).collect()
}
