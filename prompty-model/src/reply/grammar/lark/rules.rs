//! Rules over terminals: which texts are one lexeme, and which are read character by character.

use std::collections::HashMap;
use std::fmt::Write;

use indexmap::IndexSet;

use super::terminals::{self, Terminals};
use crate::reply::grammar::expression::{Expression, Grammar, Rule, RuleId};
use crate::reply::grammar::notation::{Around, Notation, grouped, joined};
use crate::reply::grammar::simplify::{each_rule, fixpoint, is_nullable, reachable};

/// How often parts are taken apart for each rule, to find what ends free text.
const MOST_PARTS: usize = 100;

/// How deep parts are taken apart that stand in each other.
const DEEPEST: usize = 100;

/// Rules of JSON values, by their names. The text is the schema that the engine is given; where
/// there is none, our own rules say what the values are.
pub(super) type Schemas<'s> = HashMap<&'s str, Option<String>>;

/// The whole grammar.
pub(super) fn write(grammar: &Grammar, schemas: &Schemas<'_>) -> String {
    let mut writer = Writer::new(grammar, schemas);
    let root = writer.grammar.root;
    let mut out = format!("start: {}\n", writer.reference(root));
    let mut written = 0;
    while let Some(&id) = writer.named.get_index(written) {
        writer.rule(id, &mut out);
        written += 1;
    }
    let mut terminals = Terminals::new(&writer.grammar);
    for (at, lexeme) in writer.lexemes.iter().enumerate() {
        terminals.define(&terminals::name_of_lexeme(at), lexeme, &mut out);
    }
    terminals.define_rules(&mut out);
    out
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
    named: IndexSet<RuleId>,
    lexemes: IndexSet<Expression>,
    /// So many parts may yet be taken apart: a part can lead to itself.
    parts: usize,
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
        let parts = MOST_PARTS * (1 + grammar.rules.len());
        // A JSON value is no part of a lexeme, as if its rule led to itself.
        let mut known = grammar.rules.clone();
        for (at, rule) in known.iter_mut().enumerate() {
            if schemas.contains_key(rule.name.as_str()) {
                rule.expression = RuleId(at).into();
            }
        }
        let regular = fixpoint(&known, |expression, found| {
            let mut all = true;
            each_rule(expression, &mut |id| all &= is(found, id));
            all
        });
        let is_regular = is(&regular, grammar.root);
        let nullable = fixpoint(&known, is_nullable);
        let free = fixpoint(&known, |expression, found| {
            has_free_text_at(End::Front, expression, &nullable, found)
        });
        let open = fixpoint(&known, |expression, found| {
            has_free_text_at(End::Back, expression, &nullable, found)
        });
        Self {
            grammar,
            schemas,
            is_regular,
            nullable,
            free,
            open,
            named: IndexSet::new(),
            lexemes: IndexSet::new(),
            parts,
            depth: 0,
        }
    }

    /// A rule by its name; it is written later.
    fn reference(&mut self, id: RuleId) -> String {
        self.named.insert(id);
        rule_name(self.grammar.name(id))
    }

    fn rule(&mut self, id: RuleId, out: &mut String) {
        let Some(Rule { name, expression }) = self.grammar.rule(id).cloned() else { return };
        let mut body = String::new();
        match self.schemas.get(name.as_str()) {
            Some(Some(schema)) => body = format!("%json {schema}"),
            _ if self.is_regular => {
                self.lexeme(&expression, &mut body);
            }
            _ => self.expression(&expression, Around::Nothing, &mut body),
        }
        // Writing into a string does not fail.
        let _ = writeln!(out, "{}: {body}", rule_name(&name));
    }

    fn is_nullable(&self, expression: &Expression) -> bool {
        is_nullable(expression, &self.nullable)
    }

    fn begins_with_free_text(&self, expression: &Expression) -> bool {
        has_free_text_at(End::Front, expression, &self.nullable, &self.free)
    }

    fn ends_with_free_text(&self, expression: &Expression) -> bool {
        has_free_text_at(End::Back, expression, &self.nullable, &self.open)
    }

    /// A lexeme, by a name.
    fn lexeme(&mut self, expression: &Expression, out: &mut String) {
        let (at, _) = self.lexemes.insert_full(expression.clone());
        out.push_str(&terminals::name_of_lexeme(at));
    }

    /// Parts one behind the other. From where free text can begin they are cut into lexemes.
    fn sequence(&mut self, parts: &[Expression], out: &mut String) {
        if parts.is_empty() {
            return out.push_str("\"\"");
        }
        let free = parts.iter().position(|part| self.begins_with_free_text(part));
        let lexed = free.map_or(parts.len(), |free| {
            // What may be left out in front of it begins at the same place.
            let mut front = parts.iter().take(free);
            front.rposition(|part| !self.is_nullable(part)).map_or(0, |last| last + 1)
        });
        // Free text at the end of a part is cut together with what is behind the part.
        let mut closed = parts.iter().take(lexed.min(parts.len().saturating_sub(1)));
        let open = closed.position(|part| self.ends_with_free_text(part));
        let (front, rest) = parts.split_at(open.unwrap_or(lexed).min(parts.len()));
        joined(front, " ", out, |part, out| self.expression(part, Around::Sequence, out));
        let Some((first, behind)) = rest.split_first() else { return };
        out.push_str(if front.is_empty() { "" } else { " " });
        if open.is_none() {
            return self.free_text(rest, Around::Sequence, out);
        }
        match self.ways_in_front(first, behind) {
            Some(ways) => grouped(ways.len() > 1, out, |out| {
                self.depth += 1;
                joined(&ways, " | ", out, |way, out| self.sequence(way, out));
                self.depth -= 1;
            }),
            None => {
                self.expression(first, Around::Sequence, out);
                out.push(' ');
                self.sequence(behind, out);
            }
        }
    }

    /// Parts that begin with free text: one lexeme up to the end of what ends the free text, for each
    /// way in which they can go on there.
    fn free_text(&mut self, parts: &[Expression], around: Around, out: &mut String) {
        let mut ways = Vec::new();
        self.lex(FreeText::default(), parts, &mut ways);
        grouped(
            around > Around::Nothing && ways.len() > 1 || around == Around::Repeat,
            out,
            |out| {
                joined(&ways, " | ", out, |Lexed { lexeme, behind }, out| {
                    self.lexeme(lexeme, out);
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
        let mut parts = parts;
        while let Some((part, behind)) = parts.split_first() {
            if is_atom(part) {
                lexeme.push(part);
                parts = behind;
                if lexeme.is_ended() {
                    break;
                }
                continue;
            }
            if lexeme.is_ending() || matches!(part, Expression::Class(_)) {
                break;
            }
            let Some(ways) = self.ways_in_front(part, behind) else { break };
            self.depth += 1;
            for way in ways {
                self.lex(lexeme.clone(), &way, found);
            }
            self.depth -= 1;
            return;
        }
        let lexeme = Expression::Sequence(lexeme.parts);
        found.push(Lexed { lexeme, behind: parts.to_vec() });
    }

    /// The alternatives of a part, each with what is behind the part; none where it is a JSON value, or
    /// where that goes on for too long.
    fn ways_in_front(
        &mut self,
        part: &Expression,
        behind: &[Expression],
    ) -> Option<Vec<Vec<Expression>>> {
        self.parts = self.parts.checked_sub(1).filter(|_| self.depth < DEEPEST)?;
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

fn is(found: &[bool], id: RuleId) -> bool {
    found.get(id.0).is_some_and(|found| *found)
}

/// An end of a text.
#[derive(Clone, Copy)]
enum End {
    Front,
    Back,
}

/// Whether an expression can have free text at one of its ends, with what is known of the rules.
fn has_free_text_at(end: End, expression: &Expression, nullable: &[bool], found: &[bool]) -> bool {
    let has = |part: &Expression| has_free_text_at(end, part, nullable, found);
    match expression {
        Expression::Until(_) => true,
        Expression::Text(_) | Expression::Class(_) => false,
        Expression::Rule(id) => is(found, *id),
        Expression::Choice(_) | Expression::Repeat { .. } => expression.parts().iter().any(has),
        Expression::Sequence(parts) => match end {
            End::Front => reaches(parts.iter(), has, nullable),
            End::Back => reaches(parts.iter().rev(), has, nullable),
        },
    }
}

/// Whether one of the parts has free text, with only nullable parts before it. Each part is asked
/// once: asking twice would double the work with each level of nesting.
fn reaches<'e>(
    parts: impl Iterator<Item = &'e Expression>,
    has: impl Fn(&Expression) -> bool,
    nullable: &[bool],
) -> bool {
    for part in parts {
        if has(part) {
            return true;
        }
        if !is_nullable(part, nullable) {
            return false;
        }
    }
    false
}
