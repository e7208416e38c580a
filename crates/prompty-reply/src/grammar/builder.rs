//! Making a grammar: rules by name, and what is made sure of when it is whole.

use std::collections::{HashMap, HashSet};

use super::budget::Budget;
use super::expression::{Expression, Grammar, Rule, RuleId};
use super::simplify;
use prompty_core::error::Error;

/// How many characters of a wanted name are kept.
const LONGEST_NAME: usize = 40;

/// The parts of an expression that may stand in several places without a rule of its own.
const MOST_COPIED: usize = 16;

/// Makes a [`Grammar`], rule by rule.
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
    rules: Vec<Rule>,
    names: HashSet<String>,
    /// How often a name was wanted.
    wanted: HashMap<String, usize>,
    /// The rules that all schemas share, by their wanted names.
    pub(super) basics: HashMap<&'static str, RuleId>,
    pub(super) budget: Budget,
}

impl GrammarBuilder {
    /// A grammar without rules.
    pub fn new() -> Self {
        Self::default()
    }

    /// A rule for the expression. Its name is the one given, as far as it can be: made of small
    /// letters, digits and `-`, and unlike the names that are there.
    pub fn rule(&mut self, name: &str, expression: Expression) -> RuleId {
        let id = self.reserve(name);
        self.define(id, expression);
        id
    }

    /// A rule that is [defined](Self::define) later, so that others, or itself, can speak of it.
    /// Where it never is, it admits nothing.
    pub fn reserve(&mut self, name: &str) -> RuleId {
        let name = self.unique(&legal(name));
        self.rules.push(Rule { name, expression: Expression::NOTHING });
        RuleId(self.rules.len() - 1)
    }

    /// Says what a rule stands for, in place of what was said of it before.
    pub fn define(&mut self, id: RuleId, expression: Expression) {
        if let Some(rule) = self.rules.get_mut(id.0) {
            rule.expression = expression;
        }
    }

    /// An expression that will stand in several places: a rule of its own, unless it is small.
    /// Otherwise lists in lists would double with each level.
    pub(super) fn shared(&mut self, name: &str, expression: Expression) -> Expression {
        match expression.size() > MOST_COPIED {
            true => self.rule(name, expression).into(),
            false => expression,
        }
    }

    /// The rules so far, by their ids.
    pub(super) fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The name of a rule; nothing for an id of another grammar.
    pub(super) fn name(&self, id: RuleId) -> &str {
        self.rules.get(id.0).map_or("", Rule::name)
    }

    /// The grammar in which whole texts follow the root.
    ///
    /// Rules that the root does not lead to are left out, and so are alternatives that no text can
    /// follow.
    ///
    /// # Errors
    /// With [`ErrorKind::Grammar`](prompty_core::ErrorKind::Grammar) if no text can follow the root, or if
    /// a rule begins with itself, which no sampler can follow. With
    /// [`ErrorKind::Limit`](prompty_core::ErrorKind::Limit) if the delimiters of its free texts are too
    /// long: for each set of delimiters the square of its length counts, 16,000,000 in all.
    pub fn build(self, root: RuleId) -> Result<Grammar, Error> {
        simplify::build(self.rules, root)
    }

    /// Its rules as they are.
    pub(super) fn into_rules(self) -> Vec<Rule> {
        self.rules
    }

    fn unique(&mut self, base: &str) -> String {
        let count = self.wanted.entry(base.to_owned()).or_default();
        let mut name = base.to_owned();
        loop {
            *count += 1;
            if *count > 1 {
                name = format!("{base}-{count}");
            }
            // The forms call the rule of whole texts so.
            if name != "root" && name != "start" && self.names.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// The name in the letters that all forms can spell.
fn legal(name: &str) -> String {
    let mut legal = String::new();
    for character in name.chars() {
        if legal.len() >= LONGEST_NAME {
            break;
        }
        match character.to_ascii_lowercase() {
            letter @ 'a'..='z' => legal.push(letter),
            digit @ '0'..='9' if !legal.is_empty() => legal.push(digit),
            digit @ '0'..='9' => legal.extend(["n", digit.encode_utf8(&mut [0; 4])]),
            _ if legal.is_empty() || legal.ends_with('-') => {}
            _ => legal.push('-'),
        }
    }
    let kept = legal.trim_end_matches('-').len();
    legal.truncate(kept);
    if legal.is_empty() { "rule".to_owned() } else { legal }
}
