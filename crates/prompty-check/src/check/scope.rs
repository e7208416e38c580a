//! The names that a template can use at a place, and their values.
//!
//! A block takes a [`Scope::mark`] at its start. At its end, [`Scope::end`] restores the bindings
//! at the mark, and remembers the names that ended, for messages. The branches of an `if` have no
//! scope: [`Scope::undo`] restores the bindings after each branch. After the last one, the checker
//! merges what the branches bound, and binds it (`statements`).

use std::collections::HashMap;

use super::types::Value;
use prompty_core::work::add_steps;

/// The kind of construct that binds a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameKind {
    Loop,
    With,
    Set,
    Parameter,
    /// The name of a macro, or `caller`.
    Macro,
}

/// The value of a name, and what bound it.
#[derive(Debug, Clone)]
pub(super) struct NameBinding {
    pub(super) value: Value,
    pub(super) kind: NameKind,
}

/// A name whose block has ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct EndedName {
    pub(super) kind: NameKind,
    /// The kind of block.
    pub(super) block: BlockKind,
}

/// A kind of block that has its own scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockKind {
    Loop,
    With,
    /// The body of a macro or of a `call` block.
    Macro,
}

/// The names that are currently in scope. The end of a block restores the previous bindings.
#[derive(Debug, Default)]
pub(super) struct Scope {
    names: HashMap<String, NameBinding>,
    /// Each name that was bound or hidden, with its binding before that.
    log: Vec<(String, Option<NameBinding>)>,
    /// The names whose blocks have ended.
    ended: HashMap<String, EndedName>,
}

/// A position in the log of bindings.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScopeMark(usize);

impl Scope {
    pub(super) fn get(&self, name: &str) -> Option<&NameBinding> {
        self.names.get(name)
    }

    pub(super) fn bind(&mut self, name: &str, binding: NameBinding) {
        let previous = self.names.insert(name.to_owned(), binding);
        self.log.push((name.to_owned(), previous));
    }

    /// Removes a name from the scope.
    pub(super) fn hide(&mut self, name: &str) {
        if let Some(previous) = self.names.remove(name) {
            self.log.push((name.to_owned(), Some(previous)));
        }
    }

    /// The current position, to return to.
    pub(super) fn mark(&self) -> ScopeMark {
        ScopeMark(self.log.len())
    }

    /// Restores the bindings at a mark. Returns each name that was bound since then with its last
    /// binding, even if the name was hidden later.
    pub(super) fn undo(&mut self, mark: ScopeMark) -> HashMap<String, NameBinding> {
        let mut changed = HashMap::new();
        while self.log.len() > mark.0 {
            add_steps(1);
            let Some((name, previous)) = self.log.pop() else { break };
            let current = match previous {
                Some(previous) => self.names.insert(name.clone(), previous),
                None => self.names.remove(&name),
            };
            // The log is read backwards, so the first binding of a name here is its last one.
            if let Some(current) = current {
                changed.entry(name).or_insert(current);
            }
        }
        changed
    }

    /// Ends a block: restores the bindings at its mark, and remembers the names that are no longer
    /// bound.
    pub(super) fn end(&mut self, mark: ScopeMark, block: BlockKind) {
        for (name, binding) in self.undo(mark) {
            if !self.names.contains_key(&name) {
                self.ended.insert(name, EndedName { kind: binding.kind, block });
            }
        }
    }

    /// The block that bound a name, if that block has ended.
    pub(super) fn ended(&self, name: &str) -> Option<EndedName> {
        self.ended.get(name).copied()
    }

    /// The names that are in scope, for suggestions.
    pub(super) fn names(&self) -> impl Iterator<Item = (&str, NameKind)> {
        self.names.iter().map(|(name, binding)| (name.as_str(), binding.kind))
    }
}
