//! Keys of objects that are none of those that have a name.

use std::collections::BTreeMap;

use super::basic::quoted;
use super::spelled;
use crate::reply::grammar::{CharacterClass, Expression, GrammarBuilder};

/// How many characters of a key stand in one rule.
const PER_RULE: usize = 8;

#[derive(Default)]
struct Node {
    depth: usize,
    children: BTreeMap<char, usize>,
    is_key: bool,
}

/// A key in its quotes that is none of these. Its characters are spelled in one way each, so that no
/// other spelling of a key is taken for a new one.
pub(super) fn other_than(builder: &mut GrammarBuilder, keys: &[&str]) -> Expression {
    let any = spelled::one_of(&CharacterClass::any());
    let any: Expression = builder.rule("key-char", any).into();
    let mut nodes = vec![Node::default()];
    for key in keys {
        let mut at = 0;
        for character in key.chars() {
            let new = nodes.len();
            let Some(node) = nodes.get_mut(at) else { break };
            let depth = node.depth + 1;
            at = *node.children.entry(character).or_insert(new);
            if at == new {
                nodes.push(Node { depth, ..Node::default() });
            }
        }
        if let Some(node) = nodes.get_mut(at) {
            node.is_key = true;
        }
    }
    // From the ends of the keys on: children stand behind their parents.
    let mut made: Vec<Option<Expression>> = Vec::new();
    made.resize_with(nodes.len(), || None);
    for (at, node) in nodes.iter().enumerate().rev() {
        let known: CharacterClass = node.children.keys().map(|&key| (key, key)).collect();
        let mut ways = Vec::with_capacity(node.children.len() + 2);
        for (&character, &child) in &node.children {
            let Some(rest) = made.get_mut(child).and_then(Option::take) else { continue };
            let text = spelled::text(character.encode_utf8(&mut [0; 4]));
            ways.push(Expression::sequence([text.into(), rest]));
        }
        let other = spelled::one_of(&known.negated());
        ways.push(Expression::sequence([other, any.clone().repeated(0, None)]));
        if !node.is_key {
            ways.push(Expression::EMPTY);
        }
        let mut expression = Expression::Choice(ways);
        if at > 0 && node.depth % PER_RULE == 0 {
            expression = builder.rule("other-key", expression).into();
        }
        if let Some(made) = made.get_mut(at) {
            *made = Some(expression);
        }
    }
    let whole = made.first_mut().and_then(Option::take).unwrap_or(Expression::EMPTY);
    quoted(whole)
}
