//! How deep the tree of an expression can become at most, known from its tokens.
//!
//! Walks over a tree, and the engine's parser, take stack in proportion to its depth. Brackets and
//! blocks are not alone in making it deep: each link of a chain of operators, filters, `not` or
//! `else` does too.

use crate::jinja::token::Kind;

/// What an open bracket weighs, in proportion to the stack that it takes.
pub(in super::super) const BRACKET: usize = 4;

/// An upper bound for the depth of the expressions in one tag: how many tokens depend on each other.
/// The items of a list do not.
#[derive(Debug)]
pub(in super::super) struct Chain {
    /// For each open bracket: the weight of the part since its last comma, and of its heaviest part.
    levels: Vec<(usize, usize)>,
    /// The parts of all levels but the last, together.
    open: usize,
}

impl Default for Chain {
    fn default() -> Self {
        Self { levels: vec![(0, 0)], open: 0 }
    }
}

impl Chain {
    /// Reads one more token of the tag.
    pub(super) fn add_token(&mut self, token: &Kind<'_>) {
        match token {
            Kind::Operator("(" | "[" | "{") => {
                self.add(BRACKET);
                self.open += self.levels.last().map_or(0, |(part, _)| *part);
                self.levels.push((0, 0));
            }
            Kind::Operator(")" | "]" | "}") => {
                if let Some((part, heaviest)) = self.levels.pop() {
                    self.open -= self.levels.last().map_or(0, |(part, _)| *part);
                    self.add(part.max(heaviest));
                }
            }
            Kind::Operator(",") => {
                if let Some((part, heaviest)) = self.levels.last_mut() {
                    *heaviest = (*heaviest).max(*part);
                    *part = 0;
                }
            }
            _ => self.add(1),
        }
    }

    fn add(&mut self, weight: usize) {
        match self.levels.last_mut() {
            Some((part, _)) => *part += weight,
            None => self.levels.push((weight, 0)),
        }
    }

    /// The weight of the part that the last token belongs to, with all that is open around it.
    pub(super) fn length(&self) -> usize {
        self.open + self.levels.last().map_or(0, |(part, _)| *part)
    }
}
