//! Cutting a grammar into terminals, and rules over them.

use std::collections::HashSet;

use indexmap::IndexSet;

use crate::reply::grammar::clean::{each_rule, fixpoint};
use crate::reply::grammar::expression::{Expression, Grammar, Rule, RuleId};
use crate::reply::grammar::until::Automaton;

/// What is not to be one terminal.
#[derive(Debug, Default)]
pub(super) struct Cuts {
    /// Nothing but single characters is.
    pub(super) all: bool,
    these: HashSet<Expression>,
    /// Rules that are no part of a terminal.
    open: HashSet<RuleId>,
}

impl Cuts {
    /// Keeps the rules that are large out of terminals; whether there are any.
    pub(super) fn open_large(&mut self, grammar: &Grammar) -> bool {
        let sizes = sizes(grammar);
        let before = self.open.len();
        let large = |(_, size): &(RuleId, &usize)| **size > LARGE && **size < usize::MAX;
        let ids = grammar.rules().map(|(id, _)| id);
        self.open.extend(ids.zip(&sizes).filter(large).map(|(id, _)| id));
        self.open.len() > before
    }

    /// Cuts these terminals into smaller ones.
    pub(super) fn add(&mut self, shaped: &Shaped<'_>, units: &[usize]) {
        self.these.extend(units.iter().filter_map(|&unit| shaped.units.get_index(unit).cloned()));
    }
}

/// From how many characters on a rule is large.
const LARGE: usize = 400;

/// How many characters each rule is made of, with those of the rules that it speaks of. The largest
/// number for those that contain themselves, or are too deep.
fn sizes(grammar: &Grammar) -> Vec<usize> {
    let mut sizes = vec![usize::MAX; grammar.rules.len()];
    for _ in 0..64 {
        let mut changed = false;
        for (at, rule) in grammar.rules.iter().enumerate() {
            let size = size(&rule.expression, &sizes);
            if let Some(known) = sizes.get_mut(at)
                && *known != size
            {
                *known = size;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    sizes
}

fn size(expression: &Expression, rules: &[usize]) -> usize {
    match expression {
        Expression::Text(text) => text.chars().count(),
        Expression::Class(_) => 1,
        Expression::Until(delimiters) => delimiters.iter().map(|text| 2 * text.len()).sum(),
        Expression::Rule(id) => rules.get(id.0).copied().unwrap_or(usize::MAX),
        _ => {
            let parts = expression.parts().iter().map(|part| size(part, rules));
            parts.fold(0, usize::saturating_add)
        }
    }
}

/// A rule, or a part of one, over terminals.
#[derive(Debug, Clone)]
pub(super) enum Shape {
    /// A terminal, by its number.
    Unit(usize),
    Sequence(Vec<Self>),
    Choice(Vec<Self>),
    Repeat {
        of: Box<Self>,
        at_least: u32,
        at_most: Option<u32>,
    },
    /// A rule, by its place among the shaped ones.
    Rule(usize),
}

/// A grammar that is cut into terminals.
#[derive(Debug)]
pub(super) struct Shaped<'g> {
    pub(super) grammar: &'g Grammar,
    /// The terminals.
    pub(super) units: IndexSet<Expression>,
    /// The rules over them, by name. The first is that of whole texts.
    pub(super) rules: Vec<(String, Shape)>,
}

impl<'g> Shaped<'g> {
    pub(super) fn of(grammar: &'g Grammar, cuts: &Cuts) -> Self {
        // What does not contain itself is regular.
        let regular = fixpoint(&grammar.rules, |expression, found| {
            let mut all = true;
            each_rule(expression, &mut |id| all &= found.get(id.0).copied().unwrap_or_default());
            all
        });
        let regular = without_open(grammar, regular, &cuts.open);
        let mut shaper = Shaper {
            cuts,
            regular,
            shaped: Shaped { grammar, units: IndexSet::new(), rules: Vec::new() },
            places: vec![None; grammar.rules.len()],
            waiting: Vec::new(),
        };
        shaper.place(grammar.root);
        while let Some((place, expression)) = shaper.waiting.pop() {
            let shape = shaper.shape(&expression, true);
            if let Some((_, rule)) = shaper.shaped.rules.get_mut(place) {
                *rule = shape;
            }
        }
        shaper.shaped
    }
}

/// The rules that are still regular where some are no part of terminals.
fn without_open(grammar: &Grammar, mut regular: Vec<bool>, open: &HashSet<RuleId>) -> Vec<bool> {
    open.iter().for_each(|id| regular.iter_mut().skip(id.0).take(1).for_each(|is| *is = false));
    let mut changed = !open.is_empty();
    while changed {
        changed = false;
        for (at, rule) in grammar.rules.iter().enumerate() {
            let mut all = true;
            each_rule(&rule.expression, &mut |id| {
                all &= regular.get(id.0).copied().unwrap_or_default();
            });
            if let Some(is @ true) = regular.get_mut(at)
                && !all
            {
                *is = false;
                changed = true;
            }
        }
    }
    regular
}

struct Shaper<'c, 'g> {
    cuts: &'c Cuts,
    regular: Vec<bool>,
    shaped: Shaped<'g>,
    /// Where the grammar's rules are among the shaped ones.
    places: Vec<Option<usize>>,
    /// Rules that are not shaped yet.
    waiting: Vec<(usize, Expression)>,
}

impl Shaper<'_, '_> {
    fn place(&mut self, id: RuleId) -> usize {
        if let Some(Some(place)) = self.places.get(id.0) {
            return *place;
        }
        let Some(rule) = self.shaped.grammar.rule(id) else { return 0 };
        let (name, expression) = (rule.name().to_owned(), rule.expression().clone());
        let place = self.add(name, expression);
        if let Some(known) = self.places.get_mut(id.0) {
            *known = Some(place);
        }
        place
    }

    fn add(&mut self, name: String, expression: Expression) -> usize {
        let place = self.shaped.rules.len();
        self.shaped.rules.push((name, Shape::Choice(Vec::new())));
        self.waiting.push((place, expression));
        place
    }

    fn is_regular(&self, expression: &Expression) -> bool {
        let mut all = true;
        each_rule(expression, &mut |id| {
            all &= self.regular.get(id.0).copied().unwrap_or_default();
        });
        all
    }

    /// Whether it may be one terminal.
    fn is_unit(&self, expression: &Expression) -> bool {
        match expression {
            Expression::Class(_) => true,
            Expression::Text(text) if text.chars().nth(1).is_none() => true,
            Expression::Sequence(parts) if parts.is_empty() => false,
            _ => {
                !self.cuts.all
                    && !self.cuts.these.contains(expression)
                    && self.is_regular(expression)
            }
        }
    }

    fn unit(&mut self, expression: &Expression) -> Shape {
        Shape::Unit(self.shaped.units.insert_full(expression.clone()).0)
    }

    /// The shape; of what is a rule's whole, rules that stand alone are not taken for terminals.
    fn shape(&mut self, expression: &Expression, whole: bool) -> Shape {
        if self.is_unit(expression) && !(whole && matches!(expression, Expression::Rule(_))) {
            return self.unit(expression);
        }
        match expression {
            Expression::Text(text) => {
                let mut row = Vec::new();
                for character in text.chars() {
                    row.push(self.unit(&Expression::text(character.to_string())));
                }
                Shape::Sequence(row)
            }
            Expression::Class(_) => self.unit(expression),
            Expression::Rule(id) => Shape::Rule(self.place(*id)),
            Expression::Until(delimiters) => self.until(delimiters),
            Expression::Repeat { of, at_least, at_most } => Shape::Repeat {
                of: Box::new(self.shape(of, false)),
                at_least: *at_least,
                at_most: *at_most,
            },
            Expression::Choice(parts) => self.choice(parts, expression),
            Expression::Sequence(parts) => self.sequence(parts, expression),
        }
    }

    /// Alternatives; the regular ones together are one terminal.
    fn choice(&mut self, parts: &[Expression], whole: &Expression) -> Shape {
        let mut ways = Vec::new();
        let mut regular = Vec::new();
        // A choice that was cut is not put together again.
        let together = !self.is_regular(whole);
        for part in parts {
            match together && self.is_unit(part) {
                true => regular.push(part.clone()),
                false => ways.push(self.shape(part, false)),
            }
        }
        match regular.len() {
            0 => {}
            1 => regular.iter().for_each(|part| ways.push(self.unit(part))),
            _ => ways.push(self.shape(&Expression::Choice(regular), false)),
        }
        Shape::Choice(ways)
    }

    /// A row; neighbours that are regular are one terminal.
    fn sequence(&mut self, parts: &[Expression], whole: &Expression) -> Shape {
        let mut row = Vec::new();
        let mut run: Vec<Expression> = Vec::new();
        let together = !self.is_regular(whole);
        for (at, part) in parts.iter().enumerate() {
            if together && self.is_unit(part) {
                run.push(part.clone());
                continue;
            }
            // Text up to a delimiter has to be one terminal with the delimiter.
            let needed =
                |part: &&Expression| !matches!(part, Expression::Repeat { at_least: 0, .. });
            if matches!(run.iter().rev().find(needed), Some(Expression::Until(_)))
                && let Some(ways) = self.ways(part)
            {
                let behind = parts.get(at + 1..).unwrap_or_default();
                row.push(self.spread(&run, ways, behind));
                return Shape::Sequence(row);
            }
            self.end_run(&mut run, &mut row);
            row.push(self.shape(part, false));
        }
        self.end_run(&mut run, &mut row);
        Shape::Sequence(row)
    }

    fn end_run(&mut self, run: &mut Vec<Expression>, row: &mut Vec<Shape>) {
        let mut run = std::mem::take(run);
        match run.len() {
            0 => {}
            1 => run.drain(..).for_each(|part| row.push(self.unit(&part))),
            _ => row.push(self.shape(&Expression::Sequence(run), false)),
        }
    }

    /// The alternatives that a part is made of.
    fn ways(&self, part: &Expression) -> Option<Vec<Expression>> {
        match part {
            Expression::Choice(ways) => Some(ways.clone()),
            Expression::Repeat { of, at_least: 0, at_most } => {
                let more = of.as_ref().clone().repeated(0, at_most.map(|at_most| at_most - 1));
                let first = match at_most {
                    Some(1) => of.as_ref().clone(),
                    _ => Expression::sequence([of.as_ref().clone(), more]),
                };
                Some(vec![Expression::EMPTY, first])
            }
            Expression::Rule(id) => match self.shaped.grammar.rule(*id).map(Rule::expression) {
                Some(part @ (Expression::Choice(_) | Expression::Repeat { .. })) => self.ways(part),
                Some(part @ (Expression::Sequence(_) | Expression::Rule(_))) => {
                    Some(vec![part.clone()])
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// A run in front of each of the alternatives, and what stands behind them.
    fn spread(
        &mut self,
        run: &[Expression],
        ways: Vec<Expression>,
        behind: &[Expression],
    ) -> Shape {
        let behind = match behind {
            [] => None,
            _ if behind.iter().all(|part| self.is_regular(part)) => Some(Ok(behind.to_vec())),
            _ => {
                let name = format!("rest--{}", self.shaped.rules.len());
                Some(Err(self.add(name, Expression::Sequence(behind.to_vec()))))
            }
        };
        let mut spread = Vec::with_capacity(ways.len());
        for way in ways {
            let mut row = run.to_vec();
            match way {
                Expression::Sequence(parts) => row.extend(parts),
                way => row.push(way),
            }
            let mut rest = None;
            match &behind {
                Some(Ok(parts)) => row.extend(parts.iter().cloned()),
                Some(Err(place)) => rest = Some(Shape::Rule(*place)),
                None => {}
            }
            let shape = self.shape(&Expression::Sequence(row), false);
            spread.push(match rest {
                Some(rest) => Shape::Sequence(vec![shape, rest]),
                None => shape,
            });
        }
        Shape::Choice(spread)
    }

    /// Text up to a delimiter, character by character.
    fn until(&mut self, delimiters: &[String]) -> Shape {
        let automaton = Automaton::of(delimiters);
        let first = self.shaped.rules.len();
        for state in 0..automaton.states.len() {
            let name = format!("until--{}", first + state);
            self.shaped.rules.push((name, Shape::Choice(Vec::new())));
        }
        for (at, state) in automaton.states.iter().enumerate() {
            let mut ways = Vec::new();
            for (&target, class) in state.steps.iter().filter(|(_, class)| !class.is_empty()) {
                let character = self.unit(&class.clone().into());
                ways.push(Shape::Sequence(vec![character, Shape::Rule(first + target)]));
            }
            if state.may_end {
                ways.push(Shape::Sequence(Vec::new()));
            }
            if let Some((_, rule)) = self.shaped.rules.get_mut(first + at) {
                *rule = Shape::Choice(ways);
            }
        }
        Shape::Rule(first)
    }
}
