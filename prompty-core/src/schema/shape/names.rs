//! Unique names for the definitions of recursive shapes.
//!
//! Two different recursive shapes may both have the name `Node`. The first is written as `Node`,
//! the second as `Node2`. While the content of the second is written, the scope has the pair
//! (`Node`, `Node2`), so [`resolve`] finds the right definition for a reference to `Node`.

use std::sync::Arc;

use super::{Shape, ShapeKind};

/// The names that are visible inside of a shape, each with its written name. The innermost is last.
pub(super) type NameScope = Vec<(Arc<str>, Arc<str>)>;

/// Recursive shapes that are written as definitions.
#[derive(Default)]
pub(super) struct DefinitionNames<'s> {
    defined: Vec<NamedDefinition<'s>>,
}

/// A recursive shape and its name.
pub(super) struct NamedDefinition<'s> {
    /// The name of the shape, which need not be unique.
    own_name: &'s str,
    /// The names of outer shapes that it refers to. If they differ, equal shapes mean different
    /// things.
    outer: NameScope,
    /// The written name, which is unique.
    pub(super) name: Arc<str>,
    pub(super) shape: &'s Shape,
    /// The names that are visible inside of the shape.
    pub(super) scope: NameScope,
}

impl<'s> DefinitionNames<'s> {
    /// Returns the written name of a recursive shape, and adds the shape if it is new. Equal shapes
    /// share a name.
    pub(super) fn define(
        &mut self,
        own: &'s Arc<str>,
        shape: &'s Shape,
        scope: &NameScope,
    ) -> Arc<str> {
        let mut free = Vec::new();
        free_names(shape, &mut vec![own], &mut free);
        let outer: NameScope =
            scope.iter().filter(|(name, _)| free.contains(&&**name)).cloned().collect();
        let is_same = |it: &&NamedDefinition<'_>| {
            it.own_name == &**own && it.outer == outer && it.shape == shape
        };
        if let Some(known) = self.defined.iter().find(is_same) {
            return known.name.clone();
        }
        let name = unused_name(own, |name| self.defined.iter().any(|it| &*it.name == name));
        let mut scope = outer.clone();
        scope.push((own.clone(), name.clone()));
        let definition = NamedDefinition { own_name: own, outer, name: name.clone(), shape, scope };
        self.defined.push(definition);
        name
    }

    /// A definition by its index, in the order in which they were defined.
    pub(super) fn get(&self, index: usize) -> Option<&NamedDefinition<'s>> {
        self.defined.get(index)
    }
}

/// The wanted name, or with a number after it if it is taken: `Node`, `Node2`, `Node3`.
pub(super) fn unused_name(wanted: &str, is_taken: impl Fn(&str) -> bool) -> Arc<str> {
    let numbered = (2_usize..).map(|number| format!("{wanted}{number}"));
    let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
    names.find(|name| !is_taken(name)).map_or_else(|| wanted.into(), Arc::from)
}

/// The written name for a shape's own name. The innermost definition takes precedence.
pub(super) fn resolve<'n>(scope: &'n NameScope, name: &str) -> Option<&'n Arc<str>> {
    scope.iter().rev().find(|(own, _)| &**own == name).map(|(_, written)| written)
}

/// Collects the names that a shape refers to but does not define.
fn free_names<'s>(shape: &'s Shape, bound: &mut Vec<&'s str>, free: &mut Vec<&'s str>) {
    match &shape.kind {
        ShapeKind::Reference(name) if !bound.contains(&&**name) => free.push(name),
        ShapeKind::Recursive(name, inner) => {
            bound.push(name);
            free_names(inner, bound, free);
            bound.pop();
        }
        _ => shape.parts().into_iter().for_each(|part| free_names(part, bound, free)),
    }
}
