//! The names that a template can use at a place, and what they stand for.

use std::collections::HashMap;

use super::types::Value;
use prompty_core::work::add_steps;

/// What kind of name it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameKind {
    Loop,
    With,
    Set,
    Parameter,
    Macro,
}

/// What a name stands for.
#[derive(Debug, Clone)]
pub(super) struct Binding {
    pub(super) value: Value,
    pub(super) kind: NameKind,
}

/// A name whose block has ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ended {
    pub(super) kind: NameKind,
    /// Whether the block was a loop.
    pub(super) block: Block,
}

/// What ends a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    Loop,
    With,
    Macro,
}

/// The names that can be used now. Blocks mark where they begin and undo what they bound.
#[derive(Debug, Default)]
pub(super) struct Scope {
    names: HashMap<String, Binding>,
    log: Vec<(String, Option<Binding>)>,
    ended: HashMap<String, Ended>,
}

/// A point to go back to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark(usize);

impl Scope {
    pub(super) fn get(&self, name: &str) -> Option<&Binding> {
        self.names.get(name)
    }

    pub(super) fn bind(&mut self, name: &str, binding: Binding) {
        let previous = self.names.insert(name.to_owned(), binding);
        self.log.push((name.to_owned(), previous));
    }

    /// Hides a name.
    pub(super) fn hide(&mut self, name: &str) {
        if let Some(previous) = self.names.remove(name) {
            self.log.push((name.to_owned(), Some(previous)));
        }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark(self.log.len())
    }

    /// Undoes what was bound since, and gives it back: of each name the last binding.
    pub(super) fn undo(&mut self, mark: Mark) -> HashMap<String, Binding> {
        let mut changed = HashMap::new();
        while self.log.len() > mark.0 {
            add_steps(1);
            let Some((name, previous)) = self.log.pop() else { break };
            let current = match previous {
                Some(previous) => self.names.insert(name.clone(), previous),
                None => self.names.remove(&name),
            };
            if let Some(current) = current {
                changed.entry(name).or_insert(current);
            }
        }
        changed
    }

    /// Ends a block: what was bound in it is gone.
    pub(super) fn end(&mut self, mark: Mark, block: Block) {
        for (name, binding) in self.undo(mark) {
            if !self.names.contains_key(&name) {
                self.ended.insert(name, Ended { kind: binding.kind, block });
            }
        }
    }

    /// The block that a name was bound in, if it was and has ended.
    pub(super) fn ended(&self, name: &str) -> Option<Ended> {
        self.ended.get(name).copied()
    }

    /// The names that can be used, for suggestions.
    pub(super) fn names(&self) -> impl Iterator<Item = (&str, NameKind)> {
        self.names.iter().map(|(name, binding)| (name.as_str(), binding.kind))
    }
}
