//! Building a grammar from named rules.

use std::collections::{HashMap, HashSet};

use super::budget::Budget;
use super::expression::{Expression, Grammar, Rule, RuleId};
use super::simplify;
use prompty_core::error::Error;

/// The maximum number of characters that a rule's name keeps of the requested name.
const LONGEST_NAME: usize = 40;

/// The maximum size of an expression that is copied to several places instead of becoming a rule.
const LARGEST_COPIED: usize = 16;

/// Builds a [`Grammar`], rule by rule.
///
/// ```
/// # mod typed_prompty { pub use prompty_reply as reply; }
/// use typed_prompty::reply::grammar::{Expression, GrammarBuilder};
///
/// // A list of lists, and so on: `[[],[[]]]`.
/// let mut builder = GrammarBuilder::new();
/// let list = builder.reserve("list");
/// let more = Expression::sequence([",".into(), list.into()]).repeated(0, None);
/// let items = Expression::sequence([list.into(), more]).optional();
/// builder.define(list, Expression::sequence(["[".into(), items, "]".into()]));
/// assert!(builder.build(list).is_ok());
/// ```
#[doc(hidden)]
#[derive(Debug, Clone, Default)]
pub struct GrammarBuilder {
    /// The rules so far, by their ids.
    pub(super) rules: Vec<Rule>,
    names: HashSet<String>,
    /// How often each name was requested.
    requested: HashMap<String, usize>,
    /// The rules that all schemas share, by their requested names.
    pub(super) basics: HashMap<&'static str, RuleId>,
    pub(super) budget: Budget,
}

impl GrammarBuilder {
    /// Creates a builder without rules.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a rule for the expression. Its name is similar to the given one, but unique, and made
    /// of lowercase letters, digits and `-`.
    pub fn rule(&mut self, name: &str, expression: Expression) -> RuleId {
        let id = self.reserve(name);
        self.define(id, expression);
        id
    }

    /// Adds a rule that is [defined](Self::define) later, so that other rules or the rule itself
    /// can refer to it. A rule that is never defined matches nothing.
    pub fn reserve(&mut self, name: &str) -> RuleId {
        let name = self.unique(&legal_name(name));
        self.rules.push(Rule { name, expression: Expression::NOTHING });
        RuleId(self.rules.len() - 1)
    }

    /// Sets the expression of a rule, and replaces an earlier one.
    pub fn define(&mut self, id: RuleId, expression: Expression) {
        if let Some(rule) = self.rules.get_mut(id.0) {
            rule.expression = expression;
        }
    }

    /// Returns an expression for use in several places: a separate rule, unless it is small.
    /// Without the rule, nested lists would double in size with each level.
    pub(super) fn shared(&mut self, name: &str, expression: Expression) -> Expression {
        match expression.size() > LARGEST_COPIED {
            true => self.rule(name, expression).into(),
            false => expression,
        }
    }

    /// The name of a rule; empty for an id of another grammar.
    pub(super) fn name(&self, id: RuleId) -> &str {
        self.rules.get(id.0).map_or("", Rule::name)
    }

    /// Builds the grammar in which complete texts match the root.
    ///
    /// Rules that the root does not reach are left out, and so are alternatives that no text
    /// matches.
    ///
    /// # Errors
    /// Returns an error of the kind [`ErrorKind::Grammar`](prompty_core::ErrorKind::Grammar) if no
    /// text matches the root, or if a rule begins with itself, which no sampler can process.
    /// Returns one of the kind [`ErrorKind::Limit`](prompty_core::ErrorKind::Limit) if the
    /// delimiters of its free texts are too long. The squares of the lengths of each set of
    /// delimiters may add up to 16,000,000.
    pub fn build(self, root: RuleId) -> Result<Grammar, Error> {
        simplify::build(self.rules, root)
    }

    fn unique(&mut self, base: &str) -> String {
        let count = self.requested.entry(base.to_owned()).or_default();
        let mut name = base.to_owned();
        loop {
            *count += 1;
            if *count > 1 {
                name = format!("{base}-{count}");
            }
            // The written forms use these names for the rule of complete texts.
            if name != "root" && name != "start" && self.names.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// Converts a name to the characters that all written forms allow: `get_Time!` becomes `get-time`.
fn legal_name(name: &str) -> String {
    let mut legal = String::new();
    for character in name.chars() {
        if legal.len() >= LONGEST_NAME {
            break;
        }
        match character.to_ascii_lowercase() {
            letter @ 'a'..='z' => legal.push(letter),
            digit @ '0'..='9' if !legal.is_empty() => legal.push(digit),
            // `2nd` becomes `n2nd`.
            digit @ '0'..='9' => legal.extend(["n", digit.encode_utf8(&mut [0; 4])]),
            _ if legal.is_empty() || legal.ends_with('-') => {}
            _ => legal.push('-'),
        }
    }
    let kept = legal.trim_end_matches('-').len();
    legal.truncate(kept);
    if legal.is_empty() { "rule".to_owned() } else { legal }
}
