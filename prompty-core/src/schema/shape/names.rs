//! The names of shapes that hold themselves: each shape has one, and no two shapes have the same.

use std::sync::Arc;

use super::{Kind, Shape};

/// What the names stand for that a shape has from outside: its own names, and those that are written.
pub(super) type Scope = Vec<(Arc<str>, Arc<str>)>;

/// Shapes that are written by name.
#[derive(Default)]
pub(super) struct Names<'s> {
    defined: Vec<Defined<'s>>,
}

/// A shape that is written by name.
pub(super) struct Defined<'s> {
    own_name: &'s str,
    outer: Scope,
    pub(super) name: Arc<str>,
    pub(super) shape: &'s Shape,
    /// What names inside of the shape stand for.
    pub(super) scope: Scope,
}

impl<'s> Names<'s> {
    /// The name that is written for a recursive shape.
    pub(super) fn define(
        &mut self,
        own: &'s Arc<str>,
        shape: &'s Shape,
        scope: &Scope,
    ) -> Arc<str> {
        let mut free = Vec::new();
        free_names(shape, &mut vec![own], &mut free);
        let outer: Scope =
            scope.iter().filter(|(name, _)| free.contains(&&**name)).cloned().collect();
        let is_same =
            |it: &&Defined<'_>| it.own_name == &**own && it.outer == outer && it.shape == shape;
        if let Some(known) = self.defined.iter().find(is_same) {
            return known.name.clone();
        }
        let name = self.free_name(own);
        let mut scope = outer.clone();
        scope.push((own.clone(), name.clone()));
        self.defined.push(Defined { own_name: own, outer, name: name.clone(), shape, scope });
        name
    }

    fn free_name(&self, wanted: &Arc<str>) -> Arc<str> {
        let is_taken = |name: &str| self.defined.iter().any(|it| &*it.name == name);
        if !is_taken(wanted) {
            return wanted.clone();
        }
        let numbered = (2_usize..).map(|number| format!("{wanted}{number}"));
        numbered.into_iter().find(|name| !is_taken(name)).map_or_else(|| wanted.clone(), Arc::from)
    }

    /// The shapes that are written by name, in the order in which their names were asked for.
    pub(super) fn get(&self, index: usize) -> Option<&Defined<'s>> {
        self.defined.get(index)
    }
}

/// What a name stands for: the innermost shape counts.
pub(super) fn resolve<'n>(scope: &'n Scope, name: &str) -> Option<&'n Arc<str>> {
    scope.iter().rev().find(|(own, _)| &**own == name).map(|(_, written)| written)
}

/// The names that a shape has from outside.
fn free_names<'s>(shape: &'s Shape, bound: &mut Vec<&'s str>, free: &mut Vec<&'s str>) {
    match &shape.kind {
        Kind::Reference(name) if !bound.contains(&&**name) => free.push(name),
        Kind::Recursive(name, inner) => {
            bound.push(name);
            free_names(inner, bound, free);
            bound.pop();
        }
        _ => shape.parts().into_iter().for_each(|part| free_names(part, bound, free)),
    }
}
