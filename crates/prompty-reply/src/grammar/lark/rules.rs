//! Rules over terminals: which texts are one lexeme, and which are read character by character.

use std::collections::HashMap;
use std::fmt::Write;

use super::terminals::{self, FreeTexts, Terminals};
use crate::grammar::condition::{Condition, fixpoint};
use crate::grammar::expression::{Expression, Grammar, Rule, RuleId};
use crate::grammar::lower;
use crate::grammar::notation::{Around, Notation, grouped, joined};
use crate::grammar::simplify::{End, each_at_end, each_rule, has, reachable, when_nullable};
use prompty_core::ordered_map::OrderedMap;
use prompty_core::work::add_steps;

/// The steps that may be spent on taking parts apart, for each part of the grammar: to find what ends
/// free text, parts are copied, and a part may be followed by many others.
const STEPS_PER_PART: usize = 32;

/// Steps that even a small grammar has.
const LEAST_STEPS: usize = 100_000;

/// Bytes of a regular expression that are written in a step.
const BYTES_PER_STEP: usize = 16;

/// How deep parts are taken apart that stand in each other.
const DEEPEST: usize = 100;

/// Rules of JSON values, by their names. The text is the schema that the engine is given; where
/// there is none, our own rules say what the values are.
pub(super) type Schemas<'s> = HashMap<&'s str, Option<String>>;

/// The whole grammar. Where lexemes would take too much, free text is read character by character, too.
pub(super) fn write(grammar: &Grammar, schemas: &Schemas<'_>) -> String {
    // Without free text, no part is taken apart: then there are no steps that could run out.
    let in_lexemes = write_in_lexemes(grammar, schemas);
    in_lexemes
        .or_else(|| write_in_lexemes(&lower::lower(grammar), &HashMap::new()))
        .unwrap_or_default()
}

fn write_in_lexemes(grammar: &Grammar, schemas: &Schemas<'_>) -> Option<String> {
    let mut writer = Writer::new(grammar, schemas);
    let root = writer.grammar.root;
    let mut out = format!("start: {}\n", writer.reference(root));
    let mut written = 0;
    while let Some((&id, ())) = writer.named.get_index(written) {
        writer.rule(id, &mut out);
        written += 1;
    }
    let steps_are_left = writer.steps.is_some();
    let mut terminals = Terminals::new(&writer.grammar, &mut writer.free_texts);
    for (lexeme, &at) in &writer.lexemes {
        terminals.define(&terminals::name_of_lexeme(at), lexeme, &mut out);
    }
    terminals.define_rules(&mut out);
    steps_are_left.then_some(out)
}

struct Writer<'s> {
    grammar: Grammar,
    schemas: &'s Schemas<'s>,
    /// Whether one regular expression can say all of it: no rule leads to itself, nor to JSON.
    is_regular: bool,
    /// Which rules admit the empty text.
    nullable: Vec<bool>,
    /// Which rules can begin with free text.
    free: Vec<bool>,
    /// Which rules can end with it.
    open: Vec<bool>,
    /// The rules that other rules name, in the order in which they are written.
    named: OrderedMap<RuleId, ()>,
    /// The numbers of their names.
    lexemes: OrderedMap<Expression, usize>,
    free_texts: FreeTexts,
    /// So many steps may yet be spent on taking parts apart: a part can lead to itself. Nothing where
    /// there were too few, so that what is written is of no use.
    steps: Option<usize>,
    depth: usize,
}

/// What begins with a lexeme, and the parts behind that.
struct Lexed {
    lexeme: Expression,
    behind: Vec<Expression>,
}

impl<'s> Writer<'s> {
    fn new(grammar: &Grammar, schemas: &'s Schemas<'s>) -> Self {
        // What the engine reads needs no rules of ours.
        let rules = grammar.rules().map(|(id, rule)| match schemas.get(rule.name()) {
            Some(Some(_)) => Rule { name: rule.name.clone(), expression: id.into() },
            _ => rule.clone(),
        });
        let grammar = reachable(rules.collect(), grammar.root);
        let parts: usize = grammar.rules.iter().map(|rule| rule.expression.size()).sum();
        let steps = parts.saturating_mul(STEPS_PER_PART).saturating_add(LEAST_STEPS);
        // A JSON value is no part of a lexeme, as if its rule led to itself.
        let mut known = grammar.rules.clone();
        for (at, rule) in known.iter_mut().enumerate() {
            if schemas.contains_key(rule.name.as_str()) {
                rule.expression = RuleId(at).into();
            }
        }
        let regular = fixpoint(&known, |expression| {
            let mut rules = Vec::new();
            each_rule(expression, &mut |id| rules.push(Condition::Rule(id)));
            Condition::all(rules.into_iter())
        });
        let is_regular = has(&regular, grammar.root);
        let nullable = fixpoint(&known, when_nullable);
        let free = fixpoint(&known, |expression| when_free(End::Front, expression, &nullable));
        let open = fixpoint(&known, |expression| when_free(End::Back, expression, &nullable));
        Self {
            grammar,
            schemas,
            is_regular,
            nullable,
            free,
            open,
            named: OrderedMap::new(),
            lexemes: OrderedMap::new(),
            free_texts: FreeTexts::default(),
            steps: Some(steps),
            depth: 0,
        }
    }

    /// A rule by its name; it is written later.
    fn reference(&mut self, id: RuleId) -> String {
        self.named.insert(id, ());
        rule_name(self.grammar.name(id))
    }

    fn rule(&mut self, id: RuleId, out: &mut String) {
        let Some(Rule { name, expression }) = self.grammar.rule(id).cloned() else { return };
        let mut body = String::new();
        match self.schemas.get(name.as_str()) {
            Some(Some(schema)) => body = format!("%json {schema}"),
            _ if self.is_regular => {
                self.lexeme(expression, &mut body);
            }
            _ => self.expression(&expression, Around::Nothing, &mut body),
        }
        // Writing into a string does not fail.
        let _ = writeln!(out, "{}: {body}", rule_name(&name));
    }

    /// Counts steps before they are made; whether there are enough.
    fn spend(&mut self, steps: usize) -> bool {
        add_steps(steps);
        self.steps = self.steps.and_then(|left| left.checked_sub(steps));
        self.steps.is_some()
    }

    /// Counts the steps of going through parts.
    fn spend_on(&mut self, parts: &[Expression]) -> bool {
        self.spend(parts.iter().map(Expression::size).sum())
    }

    fn is_nullable(&self, expression: &Expression) -> bool {
        each_at_end(End::Front, expression, &self.nullable, &mut |_| {})
    }

    fn begins_with_free_text(&self, expression: &Expression) -> bool {
        has_free_text_at(End::Front, expression, &self.nullable, &self.free)
    }

    fn ends_with_free_text(&self, expression: &Expression) -> bool {
        has_free_text_at(End::Back, expression, &self.nullable, &self.open)
    }

    /// A lexeme, by a name.
    fn lexeme(&mut self, expression: Expression, out: &mut String) {
        if !self.is_regular {
            let free_texts = expression.parts().iter().filter_map(|part| match part {
                Expression::Until(delimiters) => Some(self.free_texts.written(delimiters).len()),
                _ => None,
            });
            let written: usize = free_texts.sum();
            self.spend(written / BYTES_PER_STEP);
        }
        let next = self.lexemes.len();
        let number = *self.lexemes.get_or_insert_with(expression, || next);
        out.push_str(&terminals::name_of_lexeme(number));
    }

    /// Parts one behind the other. From where free text can begin they are cut into lexemes.
    fn sequence(&mut self, parts: &[Expression], out: &mut String) {
        if parts.is_empty() {
            return out.push_str("\"\"");
        }
        let mut parts = parts;
        while self.steps.is_some() {
            let (front, rest, is_open) = self.cut(parts);
            self.spend(front.len());
            joined(front, " ", out, |part, out| self.expression(part, Around::Sequence, out));
            let Some((first, behind)) = rest.split_first() else { return };
            out.push_str(if front.is_empty() { "" } else { " " });
            let mut lexeme = FreeText::default();
            let lexed = if is_open { Err(rest) } else { lexeme.take(rest) };
            parts = match lexed {
                Ok(behind) => {
                    self.lexeme(Expression::Sequence(lexeme.parts), out);
                    behind
                }
                Err(_) if !is_open => return self.free_text(rest, Around::Sequence, out),
                Err(_) => match self.ways_in_front(first, behind) {
                    Some(ways) => {
                        return grouped(ways.len() > 1, out, |out| {
                            self.depth += 1;
                            joined(&ways, " | ", out, |way, out| self.sequence(way, out));
                            self.depth -= 1;
                        });
                    }
                    None => {
                        self.expression(first, Around::Sequence, out);
                        behind
                    }
                },
            };
            if parts.is_empty() {
                return;
            }
            out.push(' ');
        }
    }

    /// The parts that are written as they are, and the rest: either the first of these ends with free
    /// text, which is cut together with what is behind the part, or free text can begin there.
    fn cut<'e>(&self, parts: &'e [Expression]) -> (&'e [Expression], &'e [Expression], bool) {
        let free = parts.iter().position(|part| self.begins_with_free_text(part));
        let lexed = free.map_or(parts.len(), |free| {
            // What may be left out in front of it begins at the same place.
            let mut front = parts.iter().take(free);
            front.rposition(|part| !self.is_nullable(part)).map_or(0, |last| last + 1)
        });
        let mut closed = parts.iter().take(lexed.min(parts.len().saturating_sub(1)));
        let open = closed.position(|part| self.ends_with_free_text(part));
        let (front, rest) = parts.split_at(open.unwrap_or(lexed).min(parts.len()));
        (front, rest, open.is_some())
    }

    /// Parts that begin with free text: one lexeme up to the end of what ends the free text, for each
    /// way in which they can go on there.
    fn free_text(&mut self, parts: &[Expression], around: Around, out: &mut String) {
        let mut ways = Vec::new();
        self.lex(FreeText::default(), parts, &mut ways);
        if self.steps.is_none() {
            return;
        }
        grouped(
            around > Around::Nothing && ways.len() > 1 || around == Around::Repeat,
            out,
            |out| {
                joined(&ways, " | ", out, |Lexed { lexeme, behind }, out| {
                    self.lexeme(lexeme.clone(), out);
                    if !behind.is_empty() {
                        out.push(' ');
                        self.sequence(behind, out);
                    }
                });
            },
        );
    }

    /// Adds the parts to a lexeme, up to the end of the delimiter of its free text.
    fn lex(&mut self, mut lexeme: FreeText, parts: &[Expression], found: &mut Vec<Lexed>) {
        let behind = match lexeme.take(parts) {
            Ok(behind) => behind,
            Err(rest) => {
                if let Some((first, behind)) = rest.split_first()
                    && let Some(ways) = self.ways_in_front(first, behind)
                {
                    self.depth += 1;
                    for way in ways {
                        self.spend(lexeme.parts.len() + lexeme.delimiters.len());
                        self.lex(lexeme.clone(), &way, found);
                    }
                    self.depth -= 1;
                    return;
                }
                rest
            }
        };
        if self.spend_on(behind) {
            let lexeme = Expression::Sequence(lexeme.parts);
            found.push(Lexed { lexeme, behind: behind.to_vec() });
        }
    }

    /// The alternatives of a part, each with what is behind the part; none where it is a JSON value, or
    /// where that goes on for too long.
    fn ways_in_front(
        &mut self,
        part: &Expression,
        behind: &[Expression],
    ) -> Option<Vec<Vec<Expression>>> {
        let rule = match part {
            Expression::Rule(id) => self.grammar.rule(*id).map(Rule::expression),
            _ => None,
        };
        // The alternatives are copied, and each is followed by what is behind.
        let copied = 2 * rule.unwrap_or(part).size() + 1;
        if self.depth >= DEEPEST || !self.spend(copied) || !self.spend_on(behind) {
            return None;
        }
        let ways = self.ways(part)?;
        let behind = self.as_one(behind);
        let ways = ways.into_iter().map(|way| match way {
            Expression::Sequence(parts) => parts.into_iter().chain(behind.clone()).collect(),
            way => std::iter::once(way).chain(behind.clone()).collect(),
        });
        Some(ways.collect())
    }

    /// The alternatives that a part is made of; none where it is a JSON value.
    fn ways(&self, part: &Expression) -> Option<Vec<Expression>> {
        match part {
            Expression::Choice(ways) => Some(ways.clone()),
            Expression::Repeat { of, at_least, at_most } => {
                let at_most = at_most.map(|at_most| at_most.saturating_sub(1));
                let more = of.as_ref().clone().repeated(at_least.saturating_sub(1), at_most);
                let some = match at_most {
                    Some(0) => of.as_ref().clone(),
                    _ => Expression::sequence([of.as_ref().clone(), more]),
                };
                let none = (*at_least == 0).then_some(Expression::EMPTY);
                Some(none.into_iter().chain([some]).collect())
            }
            Expression::Rule(id) => {
                let rule = self.grammar.rule(*id)?;
                let is_json = self.schemas.contains_key(rule.name());
                (!is_json).then(|| vec![rule.expression.clone()])
            }
            _ => Some(vec![part.clone()]),
        }
    }

    /// Parts as one, which a new rule stands for where they are several.
    fn as_one(&mut self, parts: &[Expression]) -> Option<Expression> {
        match parts {
            [] => None,
            [part] => Some(part.clone()),
            _ => {
                let expression = Expression::Sequence(parts.to_vec());
                let at = self.grammar.rules.len();
                self.nullable.push(self.is_nullable(&expression));
                self.free.push(self.begins_with_free_text(&expression));
                self.open.push(self.ends_with_free_text(&expression));
                // No other rule has such a name.
                self.grammar.rules.push(Rule { name: format!("rest--{at}"), expression });
                Some(RuleId(at).into())
            }
        }
    }
}

impl Notation for Writer<'_> {
    fn atom(&mut self, atom: &Expression, around: Around, out: &mut String) {
        match atom {
            Expression::Text(text) => {
                let characters: Vec<String> = text.chars().map(String::from).collect();
                let is_one = characters.len() == 1;
                grouped(around == Around::Repeat && !is_one, out, |out| {
                    joined(&characters, " ", out, |one, out| terminals::string(one, out));
                });
            }
            Expression::Class(class) => terminals::character(class, out),
            Expression::Rule(id) => out.push_str(&self.reference(*id)),
            // It begins with free text.
            _ => {}
        }
    }

    fn expression(&mut self, expression: &Expression, around: Around, out: &mut String) {
        match expression {
            _ if self.begins_with_free_text(expression) => {
                self.free_text(std::slice::from_ref(expression), around, out);
            }
            Expression::Sequence(parts) => {
                grouped(around == Around::Repeat, out, |out| self.sequence(parts, out));
            }
            _ => self.compound(expression, around, out),
        }
    }
}

/// Free text and what ends it, as the parts of a lexeme.
#[derive(Debug, Clone, Default)]
struct FreeText {
    parts: Vec<Expression>,
    /// The delimiters of the free text that is open.
    delimiters: Vec<String>,
    /// The fixed text behind it.
    fixed: String,
}

impl FreeText {
    fn push(&mut self, part: &Expression) {
        match part {
            Expression::Until(delimiters) => {
                self.fixed.clear();
                self.delimiters.extend(delimiters.iter().cloned());
            }
            Expression::Text(text) => self.fixed.push_str(text),
            _ => {}
        }
        self.parts.push(part.clone());
    }

    /// Takes parts up to the end of the delimiter, and gives those behind it. An error are the parts
    /// from that one on which has to be taken apart first.
    fn take<'e>(
        &mut self,
        mut parts: &'e [Expression],
    ) -> Result<&'e [Expression], &'e [Expression]> {
        while let Some((part, behind)) = parts.split_first() {
            if is_atom(part) {
                self.push(part);
                parts = behind;
                if self.is_ended() {
                    break;
                }
                continue;
            }
            match self.is_ending() || matches!(part, Expression::Class(_)) {
                true => break,
                false => return Err(parts),
            }
        }
        Ok(parts)
    }

    /// Whether what was read is the end of free text. A beginning of a delimiter may still be a part
    /// of the text.
    fn is_ended(&self) -> bool {
        self.is_ending()
            && (self.delimiters.is_empty()
                || self.delimiters.iter().any(|it| self.fixed.contains(it)))
    }

    /// Whether something was read behind the free text.
    fn is_ending(&self) -> bool {
        !self.fixed.is_empty()
    }
}

/// Whether an expression is a part of a lexeme as it is: free text, a fixed one, or one that may be
/// left out.
fn is_atom(expression: &Expression) -> bool {
    match expression {
        Expression::Until(_) | Expression::Text(_) => true,
        Expression::Repeat { of, at_least: 0, at_most: Some(1) } => {
            matches!(&**of, Expression::Text(text) if text.trim().is_empty())
        }
        _ => false,
    }
}

fn rule_name(name: &str) -> String {
    name.replace('-', "_")
}

/// When an expression can have free text at one of its ends.
fn when_free(end: End, expression: &Expression, nullable: &[bool]) -> Condition {
    let mut free = Vec::new();
    each_at_end(end, expression, nullable, &mut |part| match part {
        Expression::Until(_) => free.push(Condition::ALWAYS),
        part => free.extend(part.as_rule().map(Condition::Rule)),
    });
    Condition::any(free.into_iter())
}

/// Whether an expression has free text at one of its ends, with what is known of the rules.
fn has_free_text_at(end: End, expression: &Expression, nullable: &[bool], found: &[bool]) -> bool {
    let mut has_free_text = false;
    each_at_end(end, expression, nullable, &mut |part| {
        has_free_text |= match part {
            Expression::Until(_) => true,
            part => part.as_rule().is_some_and(|id| has(found, id)),
        };
    });
    has_free_text
}
