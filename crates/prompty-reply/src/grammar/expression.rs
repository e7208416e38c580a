//! What a grammar is: named rules, each an expression over texts and classes of characters.

use std::borrow::Cow;

use super::CharacterClass;

/// Named rules, and the one that a whole text has to follow.
///
/// Every rule that it names is there, can be reached from the root and admits some text, and none
/// begins with itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grammar {
    pub(super) rules: Vec<Rule>,
    pub(super) root: RuleId,
}

impl Grammar {
    /// All rules, in the order in which they were made.
    #[doc(hidden)]
    pub fn rules(&self) -> impl ExactSizeIterator<Item = (RuleId, &Rule)> {
        self.rules.iter().enumerate().map(|(at, rule)| (RuleId(at), rule))
    }

    /// All rules, by their ids.
    pub(super) fn all_rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The rule of an id.
    pub(super) fn rule(&self, id: RuleId) -> Option<&Rule> {
        self.rules.get(id.0)
    }

    /// The rule's name; nothing for an id of another grammar.
    pub(super) fn name(&self, id: RuleId) -> &str {
        self.rule(id).map_or("", Rule::name)
    }
}

/// A rule of a grammar: a name, and what it stands for.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub(super) name: String,
    pub(super) expression: Expression,
}

impl Rule {
    /// Its name: small letters and digits, with `-` between them, unlike all others of the grammar.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it stands for.
    pub(super) fn expression(&self) -> &Expression {
        &self.expression
    }
}

/// Which rule of its grammar; of no meaning in another.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(pub(super) usize);

/// What texts a rule, or a part of it, admits.
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
    /// All of these, one behind the other. Of none: the empty text.
    Sequence(Vec<Self>),
    /// Any one of these. Of none: no text at all.
    Choice(Vec<Self>),
    /// This again and again.
    Repeat {
        /// What is repeated.
        of: Box<Self>,
        /// How often at least.
        at_least: u32,
        /// How often at most, where there is a limit.
        at_most: Option<u32>,
    },
    /// What a rule stands for.
    Rule(RuleId),
    /// Any text, even none, behind which one of these delimiters can stand, so that the delimiter is
    /// the first to be found from the text's start on.
    ///
    /// So the text holds none of them, and its end forms none with the beginning of whichever
    /// follows. Delimiters that are empty count as not there.
    Until(Vec<String>),
}

impl Expression {
    /// The empty text.
    pub const EMPTY: Self = Self::Sequence(Vec::new());

    /// No text at all: what holds this cannot be written.
    pub const NOTHING: Self = Self::Choice(Vec::new());

    /// This text.
    pub fn text(text: impl Into<Cow<'static, str>>) -> Self {
        Self::Text(text.into())
    }

    /// All of these, one behind the other.
    pub fn sequence(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::Sequence(parts.into_iter().collect())
    }

    /// Any one of these.
    pub fn choice(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::Choice(parts.into_iter().collect())
    }

    /// Any text, even none, that ends before the first of these delimiters: see
    /// [`Expression::Until`].
    pub fn until(delimiters: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::Until(delimiters.into_iter().map(Into::into).collect())
    }

    /// This, or nothing.
    #[must_use]
    pub fn optional(self) -> Self {
        self.repeated(0, Some(1))
    }

    /// This, so often at least and at most.
    #[must_use]
    pub fn repeated(self, at_least: u32, at_most: Option<u32>) -> Self {
        Self::Repeat { of: Box::new(self), at_least, at_most }
    }

    /// The number of parts that it is made of, itself among them.
    pub(super) fn size(&self) -> usize {
        1 + self.parts().iter().map(Self::size).sum::<usize>()
    }

    /// Whether it is the choice of none.
    pub(super) fn is_nothing(&self) -> bool {
        matches!(self, Self::Choice(none) if none.is_empty())
    }

    /// The rule that it names and no more.
    pub(super) fn as_rule(&self) -> Option<RuleId> {
        match self {
            Self::Rule(id) => Some(*id),
            _ => None,
        }
    }

    /// The parts right inside of it.
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
