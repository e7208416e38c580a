//! Whether the alternatives of `oneOf` can hold at once, which a grammar does not forbid.

use super::compile::Compiler;
use super::facts::{Facts, Group, Kinds};
use super::node::Node;
use prompty_core::value::Value;

/// How many alternatives are compared, each with all others.
const MOST: usize = 200;

/// Notes a `oneOf` whose alternatives may hold at once.
pub(super) fn note<'s>(compiler: &mut Compiler<'_, 's>, group: &Group<'s>) {
    let mut marks = Vec::new();
    for schema in group.schemas.iter().take(MOST) {
        marks.extend(marks_of(compiler, schema));
    }
    let are_apart = marks.len() == group.schemas.len()
        && marks
            .iter()
            .enumerate()
            .all(|(at, one)| marks.iter().skip(at + 1).all(|other| one.is_apart_from(other)));
    if !are_apart {
        compiler.note(&group.of, group.keyword);
    }
}

/// What tells an alternative from others.
struct Marks<'s> {
    kinds: Kinds,
    fixed: Option<Vec<&'s Value>>,
    /// The properties that it requires, and the values that they can have.
    tags: Vec<(&'s str, Vec<&'s Value>)>,
}

fn marks_of<'s>(compiler: &mut Compiler<'_, 's>, schema: &Node<'s>) -> Option<Marks<'s>> {
    // What cannot be read is told where it is compiled.
    let mut facts = Facts::default();
    facts.gather(compiler, schema, 0).ok()?;
    let mut tags = Vec::new();
    for part in &facts.objects {
        let Some((node, properties)) = &part.properties else { continue };
        for (name, property) in properties.iter().filter(|(name, _)| facts.required.contains(name))
        {
            let mut value = Facts::default();
            value.gather(compiler, &node.child(name, property), 0).ok()?;
            tags.extend(value.fixed.map(|fixed| (name, fixed)));
        }
    }
    // Objects without a type are compared as what they are meant to be.
    Some(Marks { kinds: facts.meant(), fixed: facts.fixed, tags })
}

impl Marks<'_> {
    fn is_apart_from(&self, other: &Self) -> bool {
        if self.kinds.and(other.kinds).is_none() {
            return true;
        }
        let none_of =
            |these: &[&Value], those: &[&Value]| !these.iter().any(|one| those.contains(one));
        let by_value = |fixed: &Option<Vec<&Value>>, other: &Self| {
            fixed.as_ref().is_some_and(|fixed| {
                fixed.iter().all(|value| other.kinds.and(Kinds::of(value)).is_none())
            })
        };
        match (&self.fixed, &other.fixed) {
            (Some(one), Some(two)) if none_of(one, two) => return true,
            _ if by_value(&self.fixed, other) || by_value(&other.fixed, self) => return true,
            _ => {}
        }
        self.tags.iter().any(|(name, values)| {
            let same = other.tags.iter().filter(|(other, _)| other == name);
            same.into_iter().any(|(_, others)| none_of(values, others))
        })
    }
}
