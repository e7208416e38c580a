//! Patterns of JSON schemas: the part of ECMAScript's regular expressions that a grammar can
//! express.

use super::escape;
use crate::grammar::simplify::one_or_all;
use crate::grammar::{CharacterClass, Expression};
use prompty_core::regular_expression::{self, Dialect, Node, NodeKind};

/// A pattern over the characters of the string that it matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pattern {
    Class(CharacterClass),
    Sequence(Vec<Self>),
    Choice(Vec<Self>),
    Repeat { of: Box<Self>, at_least: u32, at_most: Option<u32> },
}

/// Whether a grammar can express a pattern.
pub(in crate::grammar) fn is_pattern(text: &str) -> bool {
    Pattern::read(text).is_ok()
}

impl Pattern {
    /// Parses a pattern into one that matches complete strings. The error names an unsupported
    /// part.
    ///
    /// If the pattern begins with `^` and ends with `$`, both anchors apply to the complete
    /// pattern, which is what authors of `^a|b$` mean. Without anchors, any text may precede or
    /// follow.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let read = regular_expression::parse(text, Dialect::EcmaScript);
        let node = read.map_err(|error| error.why)?;
        let ways: Vec<&[Node]> = match &node.kind {
            NodeKind::Choice(ways) => ways.iter().map(parts).collect(),
            _ => vec![parts(&node)],
        };
        let has_start = |way: &&[Node]| matches!(way, [Node { kind: NodeKind::Start, .. }, ..]);
        let has_end = |way: &&[Node]| matches!(way, [.., Node { kind: NodeKind::End, .. }]);
        let anchors = ways.iter().filter(|way| has_start(way)).count()
            + ways.iter().filter(|way| has_end(way)).count();
        let has_outer_anchors =
            anchors == 2 && ways.first().is_some_and(has_start) && ways.last().is_some_and(has_end);
        let mut found = Vec::with_capacity(ways.len());
        for way in ways {
            let (inner, starts) = match way {
                [Node { kind: NodeKind::Start, .. }, inner @ ..] => (inner, true),
                _ => (way, false),
            };
            let (inner, ends) = match inner {
                [inner @ .., Node { kind: NodeKind::End, .. }] => (inner, true),
                _ => (inner, false),
            };
            let mut parts = Vec::new();
            parts.extend((!has_outer_anchors && !starts).then(Self::anything));
            for part in inner {
                parts.push(Self::from_node(part)?);
            }
            parts.extend((!has_outer_anchors && !ends).then(Self::anything));
            found.push(one_or_all(parts, Self::Sequence));
        }
        Ok(one_or_all(found, Self::Choice))
    }

    /// Converts a part of a pattern. It cannot contain an anchor.
    fn from_node(node: &Node) -> Result<Self, String> {
        let all = |nodes: &[Node]| nodes.iter().map(Self::from_node).collect::<Result<Vec<_>, _>>();
        Ok(match &node.kind {
            NodeKind::Class(class) => Self::Class(class.clone()),
            NodeKind::Any => {
                Self::Class(CharacterClass::from_characters("\n\r\u{2028}\u{2029}").negated())
            }
            NodeKind::Start | NodeKind::End => {
                return Err("`^` or `$` is not at the start or the end of the pattern".to_owned());
            }
            NodeKind::Sequence(parts) => one_or_all(all(parts)?, Self::Sequence),
            NodeKind::Choice(ways) => one_or_all(all(ways)?, Self::Choice),
            NodeKind::Repeat { of, at_least, at_most, .. } => Self::Repeat {
                of: Box::new(Self::from_node(of)?),
                at_least: *at_least,
                at_most: *at_most,
            },
            NodeKind::Group { of, .. } => Self::from_node(of)?,
        })
    }

    /// The number of its parts, and of the ranges of its classes.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Class(class) => class.ranges().len() + 1,
            Self::Sequence(parts) | Self::Choice(parts) => {
                parts.iter().map(Self::size).sum::<usize>() + 1
            }
            Self::Repeat { of, .. } => of.size() + 1,
        }
    }

    /// The lengths of the shortest string and of the longest one, if there is one, in characters.
    pub(super) fn lengths(&self) -> (u64, Option<u64>) {
        match self {
            Self::Class(_) => (1, Some(1)),
            Self::Sequence(parts) => {
                parts.iter().map(Self::lengths).fold((0, Some(0)), |all, part| {
                    let longest = all.1.zip(part.1).map(|(all, part)| all.saturating_add(part));
                    (all.0.saturating_add(part.0), longest)
                })
            }
            Self::Choice(parts) => parts
                .iter()
                .map(Self::lengths)
                .reduce(|all, part| {
                    (all.0.min(part.0), all.1.zip(part.1).map(|(all, part)| all.max(part)))
                })
                .unwrap_or((0, Some(0))),
            Self::Repeat { of, at_least, at_most } => {
                let (shortest, longest) = of.lengths();
                let longest = match longest {
                    Some(0) => Some(0),
                    _ => longest
                        .zip(*at_most)
                        .map(|(longest, at_most)| longest.saturating_mul(at_most.into())),
                };
                (shortest.saturating_mul((*at_least).into()), longest)
            }
        }
    }

    /// The strings of the pattern as JSON writes them.
    pub(super) fn expression(&self) -> Expression {
        match self {
            Self::Class(class) => escape::one_of(class),
            Self::Sequence(parts) => {
                // Consecutive characters are one text.
                let mut sequence = Vec::new();
                let mut text = String::new();
                for part in parts {
                    match part {
                        Self::Class(class) if class.single().is_some() => {
                            text.extend(class.single());
                        }
                        _ => {
                            sequence.extend((!text.is_empty()).then(|| escape::text(&text).into()));
                            text.clear();
                            sequence.push(part.expression());
                        }
                    }
                }
                sequence.extend((!text.is_empty()).then(|| escape::text(&text).into()));
                Expression::Sequence(sequence)
            }
            Self::Choice(parts) => Expression::choice(parts.iter().map(Self::expression)),
            Self::Repeat { of, at_least, at_most } => of.expression().repeated(*at_least, *at_most),
        }
    }

    fn anything() -> Self {
        let any = Self::Class(CharacterClass::any());
        Self::Repeat { of: Box::new(any), at_least: 0, at_most: None }
    }
}

/// The parts of an alternative.
fn parts(way: &Node) -> &[Node] {
    match &way.kind {
        NodeKind::Sequence(parts) => parts,
        _ => std::slice::from_ref(way),
    }
}
