//! Grammars: named rules, each an expression over texts and character classes.

use std::borrow::Cow;

use super::CharacterClass;

/// Named rules, and the root rule that a complete text must match.
///
/// Every rule that is referred to exists, is reachable from the root and matches some text. No rule
/// begins with itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grammar {
    pub(super) rules: Vec<Rule>,
    pub(super) root: RuleId,
}

impl Grammar {
    /// All rules, in the order in which they were added.
    #[doc(hidden)]
    pub fn rules(&self) -> impl ExactSizeIterator<Item = (RuleId, &Rule)> {
        self.rules.iter().enumerate().map(|(at, rule)| (RuleId(at), rule))
    }

    /// The rule with this id.
    pub(super) fn rule(&self, id: RuleId) -> Option<&Rule> {
        self.rules.get(id.0)
    }

    /// The rule's name; empty for an id of another grammar.
    pub(super) fn name(&self, id: RuleId) -> &str {
        self.rule(id).map_or("", Rule::name)
    }
}

/// A rule of a grammar: a name and an expression.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub(super) name: String,
    pub(super) expression: Expression,
}

impl Rule {
    /// The unique name: lowercase letters and digits, with `-` between them.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// The id of a rule in its grammar. It has no meaning in another grammar.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(pub(super) usize);

/// The texts that a rule, or a part of a rule, matches.
///
/// ```
/// # mod typed_prompty { pub use prompty_reply as reply; }
/// use typed_prompty::reply::grammar::{CharacterClass, Expression};
///
/// let digits = Expression::Class(CharacterClass::range('0', '9')).repeated(1, None);
/// let number = Expression::sequence([Expression::text("-").optional(), digits]);
/// assert!(matches!(number, Expression::Sequence(parts) if parts.len() == 2));
/// ```
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Expression {
    /// This text.
    Text(Cow<'static, str>),
    /// One character of a class.
    Class(CharacterClass),
    /// All of these, in sequence. An empty sequence is the empty text.
    Sequence(Vec<Self>),
    /// Any one of these. An empty choice matches no text.
    Choice(Vec<Self>),
    /// A repetition.
    Repeat {
        /// The repeated expression.
        of: Box<Self>,
        /// The minimum number of repetitions.
        at_least: u32,
        /// The maximum number of repetitions, if there is a limit.
        at_most: Option<u32>,
    },
    /// A reference to a rule.
    Rule(RuleId),
    /// Any text, also an empty one, that any of these delimiters can follow, so that the delimiter
    /// is the first one found from the start of the text.
    ///
    /// The text therefore contains none of them. Its end also does not form one with the beginning
    /// of the delimiter that follows. Empty delimiters are ignored.
    Until(Vec<String>),
}

impl Expression {
    /// The empty text.
    pub const EMPTY: Self = Self::Sequence(Vec::new());

    /// An expression that matches no text.
    pub const NOTHING: Self = Self::Choice(Vec::new());

    /// Matches this text.
    pub fn text(text: impl Into<Cow<'static, str>>) -> Self {
        Self::Text(text.into())
    }

    /// Matches all of these, in sequence.
    pub fn sequence(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::Sequence(parts.into_iter().collect())
    }

    /// Matches any one of these.
    pub fn choice(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::Choice(parts.into_iter().collect())
    }

    /// Matches any text, also an empty one, that ends before the first of these delimiters; see
    /// [`Expression::Until`].
    pub fn until(delimiters: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::Until(delimiters.into_iter().map(Into::into).collect())
    }

    /// Matches this or the empty text.
    #[must_use]
    pub fn optional(self) -> Self {
        self.repeated(0, Some(1))
    }

    /// Matches this, repeated within the given limits.
    #[must_use]
    pub fn repeated(self, at_least: u32, at_most: Option<u32>) -> Self {
        Self::Repeat { of: Box::new(self), at_least, at_most }
    }

    /// The number of its parts, including itself.
    pub(super) fn size(&self) -> usize {
        1 + self.parts().iter().map(Self::size).sum::<usize>()
    }

    /// Whether it is an empty choice.
    pub(super) fn is_nothing(&self) -> bool {
        matches!(self, Self::Choice(none) if none.is_empty())
    }

    /// The rule's id if it is only a reference to a rule.
    pub(super) fn as_rule(&self) -> Option<RuleId> {
        match self {
            Self::Rule(id) => Some(*id),
            _ => None,
        }
    }

    /// The direct parts.
    pub(super) fn parts(&self) -> &[Self] {
        match self {
            Self::Sequence(parts) | Self::Choice(parts) => parts,
            Self::Repeat { of, .. } => std::slice::from_ref(of),
            Self::Text(_) | Self::Class(_) | Self::Rule(_) | Self::Until(_) => &[],
        }
    }
}

impl From<&'static str> for Expression {
    fn from(text: &'static str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Expression {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<CharacterClass> for Expression {
    fn from(class: CharacterClass) -> Self {
        Self::Class(class)
    }
}

impl From<RuleId> for Expression {
    fn from(rule: RuleId) -> Self {
        Self::Rule(rule)
    }
}
