//! Computes an upper bound for the depth of an expression's tree from its tokens.
//!
//! Walks over a tree, and the engine's parser, need stack in proportion to its depth. Not only
//! brackets and blocks make a tree deep. Each operator, filter, `not` or `else` in a chain does
//! too.
//!
//! For example, the tokens of `a + f(b, c + d)` weigh 3 before the bracket, and the bracket 4. In
//! the bracket the heavier part is `c + d`, which weighs 3. So the length is 10.

use crate::jinja::token::TokenKind;

/// The weight of an open bracket, in proportion to the stack that it needs.
pub(in super::super) const BRACKET: usize = 4;

/// An upper bound for the depth of the expressions in one tag: the number of tokens that depend on
/// each other. The items of a list do not depend on each other.
#[derive(Debug)]
pub(in super::super) struct Chain {
    /// For each open bracket: the weight since its last comma, and the maximum weight between
    /// commas.
    levels: Vec<(usize, usize)>,
    /// The sum of the current weights of all levels but the last.
    open: usize,
}

impl Default for Chain {
    fn default() -> Self {
        Self { levels: vec![(0, 0)], open: 0 }
    }
}

impl Chain {
    /// Adds a token of the tag.
    pub(super) fn add_token(&mut self, token: &TokenKind<'_>) {
        match token {
            TokenKind::Operator("(" | "[" | "{") => {
                self.add(BRACKET);
                self.open += self.levels.last().map_or(0, |(part, _)| *part);
                self.levels.push((0, 0));
            }
            TokenKind::Operator(")" | "]" | "}") => {
                if let Some((part, heaviest)) = self.levels.pop() {
                    self.open -= self.levels.last().map_or(0, |(part, _)| *part);
                    self.add(part.max(heaviest));
                }
            }
            TokenKind::Operator(",") => {
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

    /// Returns the weight of the current part, with all open levels around it.
    pub(super) fn length(&self) -> usize {
        self.open + self.levels.last().map_or(0, |(part, _)| *part)
    }
}
