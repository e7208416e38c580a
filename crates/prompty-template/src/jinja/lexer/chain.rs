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
#[derive(Debug, Default)]
pub(in super::super) struct Chain {
    /// The current part, which is in the innermost open bracket.
    current: ChainLevel,
    /// The parts that contain it, from the outside in.
    outer: Vec<ChainLevel>,
    /// The sum of the weights of `outer`.
    outer_weight: usize,
}

/// The parts between the commas in a bracket.
#[derive(Debug, Default)]
struct ChainLevel {
    /// The weight since the last comma.
    weight: usize,
    /// The maximum weight between commas.
    heaviest: usize,
}

impl Chain {
    /// Adds a token of the tag.
    pub(super) fn add_token(&mut self, token: &TokenKind<'_>) {
        match token {
            TokenKind::Operator("(" | "[" | "{") => {
                self.current.weight += BRACKET;
                self.outer_weight += self.current.weight;
                self.outer.push(std::mem::take(&mut self.current));
            }
            TokenKind::Operator(")" | "]" | "}") => {
                let outer = self.outer.pop().unwrap_or_default();
                let inner = std::mem::replace(&mut self.current, outer);
                self.outer_weight -= self.current.weight;
                self.current.weight += inner.weight.max(inner.heaviest);
            }
            TokenKind::Operator(",") => {
                let weight = std::mem::take(&mut self.current.weight);
                self.current.heaviest = self.current.heaviest.max(weight);
            }
            _ => self.current.weight += 1,
        }
    }

    /// Returns the weight of the current part, with all open levels around it.
    pub(super) fn length(&self) -> usize {
        self.outer_weight + self.current.weight
    }
}
