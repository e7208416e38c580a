//! Patterns of JSON schemas: the part of ECMAScript's regular expressions that a grammar can say.

use super::escape;
use crate::grammar::simplify::one_or_all;
use crate::grammar::{CharacterClass, Expression};
use prompty_core::regular_expression::{self, Dialect, Kind, Node};

/// A pattern, in characters of the text that it is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pattern {
    Class(CharacterClass),
    Sequence(Vec<Self>),
    Choice(Vec<Self>),
    Repeat { of: Box<Self>, at_least: u32, at_most: Option<u32> },
}

/// Whether a grammar can say a pattern.
pub(in crate::grammar) fn is_pattern(text: &str) -> bool {
    Pattern::read(text).is_ok()
}

impl Pattern {
    /// Reads a pattern, as a pattern of whole texts. What it says where that cannot be.
    ///
    /// Where it begins with `^` and ends with `$`, both are of the whole pattern, as those who write
    /// `^a|b$` mean it; without them any text may stand before or behind.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let read = regular_expression::parse(text, Dialect::EcmaScript);
        let node = read.map_err(|error| error.why)?;
        let ways: Vec<&[Node]> = match &node.kind {
            Kind::Choice(ways) => ways.iter().map(parts).collect(),
            _ => vec![parts(&node)],
        };
        let has_start = |way: &&[Node]| matches!(way, [Node { kind: Kind::Start, .. }, ..]);
        let has_end = |way: &&[Node]| matches!(way, [.., Node { kind: Kind::End, .. }]);
        let anchors = ways.iter().filter(|way| has_start(way)).count()
            + ways.iter().filter(|way| has_end(way)).count();
        let is_whole =
            anchors == 2 && ways.first().is_some_and(has_start) && ways.last().is_some_and(has_end);
        let mut found = Vec::with_capacity(ways.len());
        for way in ways {
            let (inner, starts) = match way {
                [Node { kind: Kind::Start, .. }, inner @ ..] => (inner, true),
                _ => (way, false),
            };
            let (inner, ends) = match inner {
                [inner @ .., Node { kind: Kind::End, .. }] => (inner, true),
                _ => (inner, false),
            };
            let mut parts = Vec::new();
            parts.extend((!is_whole && !starts).then(Self::anything));
            for part in inner {
                parts.push(Self::from_node(part)?);
            }
            parts.extend((!is_whole && !ends).then(Self::anything));
            found.push(one_or_all(parts, Self::Sequence));
        }
        Ok(one_or_all(found, Self::Choice))
    }

    /// A part of a pattern, inside of which no anchor can stand.
    fn from_node(node: &Node) -> Result<Self, String> {
        let all = |nodes: &[Node]| nodes.iter().map(Self::from_node).collect::<Result<Vec<_>, _>>();
        Ok(match &node.kind {
            Kind::Class(class) => Self::Class(class.clone()),
            Kind::Any => {
                Self::Class(CharacterClass::from_characters("\n\r\u{2028}\u{2029}").negated())
            }
            Kind::Start | Kind::End => return Err("an anchor inside".to_owned()),
            Kind::Sequence(parts) => one_or_all(all(parts)?, Self::Sequence),
            Kind::Choice(ways) => one_or_all(all(ways)?, Self::Choice),
            Kind::Repeat { of, at_least, at_most, .. } => Self::Repeat {
                of: Box::new(Self::from_node(of)?),
                at_least: *at_least,
                at_most: *at_most,
            },
            Kind::Group { of, .. } => Self::from_node(of)?,
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

    /// The shortest text, and the longest where there is one, in characters.
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

    /// The texts of the pattern as JSON spells them.
    pub(super) fn expression(&self) -> Expression {
        match self {
            Self::Class(class) => escape::one_of(class),
            Self::Sequence(parts) => {
                // Characters in a row are one text.
                let mut row = Vec::new();
                let mut text = String::new();
                for part in parts {
                    match part {
                        Self::Class(class) if class.single().is_some() => {
                            text.extend(class.single());
                        }
                        _ => {
                            row.extend((!text.is_empty()).then(|| escape::text(&text).into()));
                            text.clear();
                            row.push(part.expression());
                        }
                    }
                }
                row.extend((!text.is_empty()).then(|| escape::text(&text).into()));
                Expression::Sequence(row)
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
        Kind::Sequence(parts) => parts,
        _ => std::slice::from_ref(way),
    }
}
