//! Rules over terminals: the texts that are one lexeme, and those that are read by characters.
//!
//! Free text and the delimiter that ends it must be one lexeme, because the lexer of the engine
//! takes the longest lexeme. So parts are copied and expanded until the delimiter is fixed text
//! directly after the free text. For this rule, in which `ANY` is free text up to `b>` or `c>`, and
//! `list` is a rule that leads to itself:
//!
//! ```text
//! reply = "<" ANY ("b>" | "c>" digit) list
//! ```
//!
//! 1. `write_sequence` writes `"<"` unchanged, because free text begins only after it.
//! 2. A lexeme takes `ANY`. The choice after it is not fixed text, so `write_free_text` calls
//!    `collect_lexemes`, which expands the choice: `ANY "b>" list` and `ANY "c>" digit list`. If
//!    several parts follow the choice, they become a new rule.
//! 3. Each alternative ends its lexeme at the end of its delimiter. The result is:
//!
//! ```text
//! reply: "<" (TERMINAL__0 list | TERMINAL__1 digit list)
//! ```
//!
//! in which `TERMINAL__0` is `ANY "b>"` and `TERMINAL__1` is `ANY "c>"`. Without the recursive
//! rule, the complete grammar would be one lexeme.

use std::collections::HashMap;
use std::fmt::Write;

use super::terminals::{self, FreeTexts, Terminals};
use crate::grammar::condition::{Condition, fixpoint};
use crate::grammar::expression::{Expression, Grammar, Rule, RuleId};
use crate::grammar::lower;
use crate::grammar::notation::{ExpressionContext, GrammarNotation, grouped, joined};
use crate::grammar::simplify::{
    ExpressionEnd, each_at_end, each_rule, has, keep_reachable, when_nullable,
};
use prompty_core::ordered_map::OrderedMap;
use prompty_core::work::add_steps;

/// The steps that may be spent on expanding parts, for each part of the grammar. To find the end of
/// free text, parts are copied, and many others may follow a part.
const STEPS_PER_PART: usize = 32;

/// The steps that even a small grammar has.
const LEAST_STEPS: usize = 100_000;

/// The bytes of a regular expression that are written in one step.
const BYTES_PER_STEP: usize = 16;

/// The maximum nesting depth of expanded parts. The functions call themselves for each level, and
/// the stack is limited.
const MAX_DEPTH: usize = 100;

/// Rules of JSON values, by their names. The text is the schema for the engine. If it is `None`,
/// our own rules describe the values.
pub(super) type SchemasByRule<'s> = HashMap<&'s str, Option<String>>;

/// Writes the complete grammar. If lexemes would take too many steps, free text is read by
/// characters.
pub(super) fn write(grammar: &Grammar, schemas: &SchemasByRule<'_>) -> String {
    // Without free text, no part is expanded, so the steps cannot run out.
    let in_lexemes = write_in_lexemes(grammar, schemas);
    in_lexemes
        .or_else(|| write_in_lexemes(&lower::lower(grammar), &HashMap::new()))
        .unwrap_or_default()
}

fn write_in_lexemes(grammar: &Grammar, schemas: &SchemasByRule<'_>) -> Option<String> {
    let mut writer = LarkWriter::new(grammar, schemas);
    let root = writer.grammar.root;
    let mut out = format!("start: {}\n", writer.reference(root));
    // While a rule is written, more rules are added to `referenced`.
    let mut written = 0;
    while let Some((&id, ())) = writer.referenced.get_index(written) {
        writer.write_rule(id, &mut out);
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

struct LarkWriter<'s> {
    grammar: Grammar,
    schemas: &'s SchemasByRule<'s>,
    /// Whether one regular expression can express all of it: no rule leads to itself or to JSON.
    is_regular: bool,
    /// Which rules match the empty text.
    nullable: Vec<bool>,
    /// Which rules can begin with free text.
    begins_free: Vec<bool>,
    /// Which rules can end with free text.
    ends_free: Vec<bool>,
    /// The rules that other rules refer to, in the order in which they are written.
    referenced: OrderedMap<RuleId, ()>,
    /// The lexemes, with the numbers in their names.
    lexemes: OrderedMap<Expression, usize>,
    free_texts: FreeTexts,
    /// The steps that may still be spent on expanding parts: a part can lead to itself. `None` if
    /// there were too few; then the written text is unusable.
    steps: Option<usize>,
    /// The number of expansions around the current one.
    depth: usize,
}

/// The first lexeme of a sequence, and the parts after it.
struct LexemeSplit {
    lexeme: Expression,
    after: Vec<Expression>,
}

impl<'s> LarkWriter<'s> {
    fn new(grammar: &Grammar, schemas: &'s SchemasByRule<'s>) -> Self {
        // The engine reads these values without our rules.
        let rules = grammar.rules().map(|(id, rule)| match schemas.get(rule.name()) {
            Some(Some(_)) => Rule { name: rule.name.clone(), expression: id.into() },
            _ => rule.clone(),
        });
        let grammar = keep_reachable(rules.collect(), grammar.root);
        let parts: usize = grammar.rules.iter().map(|rule| rule.expression.size()).sum();
        let steps = parts.saturating_mul(STEPS_PER_PART).saturating_add(LEAST_STEPS);
        // A JSON value is not part of a lexeme. Its rule is treated as one that leads to itself.
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
        let free_at = |end| fixpoint(&known, |expression| when_free(end, expression, &nullable));
        let begins_free = free_at(ExpressionEnd::Front);
        let ends_free = free_at(ExpressionEnd::Back);
        Self {
            grammar,
            schemas,
            is_regular,
            nullable,
            begins_free,
            ends_free,
            referenced: OrderedMap::new(),
            lexemes: OrderedMap::new(),
            free_texts: FreeTexts::default(),
            steps: Some(steps),
            depth: 0,
        }
    }

    /// Refers to a rule by its name. The rule is written later.
    fn reference(&mut self, id: RuleId) -> String {
        self.referenced.insert(id, ());
        rule_name(self.grammar.name(id))
    }

    /// Writes the definition of a rule.
    fn write_rule(&mut self, id: RuleId, out: &mut String) {
        let Some(Rule { name, expression }) = self.grammar.rule(id).cloned() else { return };
        let mut body = String::new();
        match self.schemas.get(name.as_str()) {
            Some(Some(schema)) => body = format!("%json {schema}"),
            _ if self.is_regular => {
                self.write_lexeme(expression, &mut body);
            }
            _ => self.expression(&expression, ExpressionContext::Nothing, &mut body),
        }
        // Writing into a string does not fail.
        let _ = writeln!(out, "{}: {body}", rule_name(&name));
    }

    /// Counts steps before they are done. Returns whether there are enough.
    fn spend(&mut self, steps: usize) -> bool {
        add_steps(steps);
        self.steps = self.steps.and_then(|left| left.checked_sub(steps));
        self.steps.is_some()
    }

    /// Counts the steps of visiting parts.
    fn spend_on(&mut self, parts: &[Expression]) -> bool {
        self.spend(parts.iter().map(Expression::size).sum())
    }

    fn is_nullable(&self, expression: &Expression) -> bool {
        each_at_end(ExpressionEnd::Front, expression, &self.nullable, &mut |_| {})
    }

    fn has_free_text_at(&self, end: ExpressionEnd, expression: &Expression) -> bool {
        let free_rules = match end {
            ExpressionEnd::Front => &self.begins_free,
            ExpressionEnd::Back => &self.ends_free,
        };
        let mut has_free_text = false;
        each_at_end(end, expression, &self.nullable, &mut |part| {
            has_free_text |= match part {
                Expression::Until(_) => true,
                part => part.as_rule().is_some_and(|id| has(free_rules, id)),
            };
        });
        has_free_text
    }

    /// Writes the name of a lexeme.
    fn write_lexeme(&mut self, expression: Expression, out: &mut String) {
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

    /// Writes parts in sequence. From the first part that can begin with free text, they are split
    /// into lexemes.
    fn write_sequence(&mut self, mut parts: &[Expression], out: &mut String) {
        if parts.is_empty() {
            return out.push_str("\"\"");
        }
        while self.steps.is_some() {
            let (front, rest, is_open) = self.split_at_free_text(parts);
            self.spend(front.len());
            joined(front, " ", out, |part, out| {
                self.expression(part, ExpressionContext::Sequence, out);
            });
            let Some((first, after_first)) = rest.split_first() else { return };
            out.push_str(if front.is_empty() { "" } else { " " });
            let mut lexeme = FreeTextLexeme::default();
            parts = if is_open {
                if let Some(ways) = self.expanded_alternatives(first, after_first) {
                    return self.write_alternatives(&ways, out);
                }
                self.expression(first, ExpressionContext::Sequence, out);
                after_first
            } else {
                let Ok(after_lexeme) = lexeme.take(rest) else {
                    return self.write_free_text(rest, ExpressionContext::Sequence, out);
                };
                self.write_lexeme(Expression::Sequence(lexeme.parts), out);
                after_lexeme
            };
            if parts.is_empty() {
                return;
            }
            out.push(' ');
        }
    }

    fn write_alternatives(&mut self, ways: &[Vec<Expression>], out: &mut String) {
        self.depth += 1;
        grouped(ways.len() > 1, out, |out| {
            joined(ways, " | ", out, |way, out| self.write_sequence(way, out));
        });
        self.depth -= 1;
    }

    /// Splits off the parts that are written unchanged. In the rest, either free text can begin, or
    /// the first part is open: it ends with free text, and is split together with the parts after
    /// it. The flag says whether it is open.
    fn split_at_free_text<'e>(
        &self,
        parts: &'e [Expression],
    ) -> (&'e [Expression], &'e [Expression], bool) {
        let free_at =
            parts.iter().position(|part| self.has_free_text_at(ExpressionEnd::Front, part));
        let lexeme_at = free_at.map_or(parts.len(), |free_at| {
            // Optional parts before the free text begin at the same position.
            let mut front = parts.iter().take(free_at);
            front.rposition(|part| !self.is_nullable(part)).map_or(0, |last| last + 1)
        });
        // Nothing follows the last part, so it is not split.
        let mut splittable = parts.iter().take(lexeme_at.min(parts.len().saturating_sub(1)));
        let open_at = splittable.position(|part| self.has_free_text_at(ExpressionEnd::Back, part));
        let (front, rest) = parts.split_at(open_at.unwrap_or(lexeme_at).min(parts.len()));
        (front, rest, open_at.is_some())
    }

    /// Writes parts that begin with free text. For each continuation there is one lexeme, up to the
    /// end of the text that ends the free text.
    fn write_free_text(
        &mut self,
        parts: &[Expression],
        context: ExpressionContext,
        out: &mut String,
    ) {
        let mut ways = Vec::new();
        self.collect_lexemes(FreeTextLexeme::default(), parts, &mut ways);
        if self.steps.is_none() {
            return;
        }
        grouped(
            context > ExpressionContext::Nothing && ways.len() > 1
                || context == ExpressionContext::Repeat,
            out,
            |out| {
                joined(&ways, " | ", out, |LexemeSplit { lexeme, after }, out| {
                    self.write_lexeme(lexeme.clone(), out);
                    if !after.is_empty() {
                        out.push(' ');
                        self.write_sequence(after, out);
                    }
                });
            },
        );
    }

    /// Adds parts to a lexeme, up to the end of the delimiter of its free text. `found` receives
    /// one lexeme for each alternative of the parts.
    fn collect_lexemes(
        &mut self,
        mut lexeme: FreeTextLexeme,
        parts: &[Expression],
        found: &mut Vec<LexemeSplit>,
    ) {
        let after = match lexeme.take(parts) {
            Ok(after) => after,
            Err(rest) => {
                if let Some((first, after)) = rest.split_first()
                    && let Some(ways) = self.expanded_alternatives(first, after)
                {
                    self.depth += 1;
                    for way in ways {
                        self.spend(lexeme.parts.len() + lexeme.delimiters.len());
                        self.collect_lexemes(lexeme.clone(), &way, found);
                    }
                    self.depth -= 1;
                    return;
                }
                rest
            }
        };
        if self.spend_on(after) {
            let lexeme = Expression::Sequence(lexeme.parts);
            found.push(LexemeSplit { lexeme, after: after.to_vec() });
        }
    }

    /// The alternatives of a part, each followed by the parts after it. `None` if it is a JSON
    /// value, or if there are too many steps.
    fn expanded_alternatives(
        &mut self,
        part: &Expression,
        after: &[Expression],
    ) -> Option<Vec<Vec<Expression>>> {
        let rule = match part {
            Expression::Rule(id) => self.grammar.rule(*id).map(|rule| &rule.expression),
            _ => None,
        };
        // The alternatives are copied, and the parts after them are added to each.
        let copied = 2 * rule.unwrap_or(part).size() + 1;
        if self.depth >= MAX_DEPTH || !self.spend(copied) || !self.spend_on(after) {
            return None;
        }
        let ways = self.alternatives_of(part)?;
        let after = self.as_one(after);
        let ways = ways.into_iter().map(|way| match way {
            Expression::Sequence(parts) => parts.into_iter().chain(after.clone()).collect(),
            way => std::iter::once(way).chain(after.clone()).collect(),
        });
        Some(ways.collect())
    }

    /// The alternatives of a part: none or more of a repetition, the expression of a rule. `None`
    /// if it is a JSON value.
    fn alternatives_of(&self, part: &Expression) -> Option<Vec<Expression>> {
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

    /// Joins parts into one. Several parts become a new rule.
    fn as_one(&mut self, parts: &[Expression]) -> Option<Expression> {
        match parts {
            [] => None,
            [part] => Some(part.clone()),
            _ => {
                let expression = Expression::Sequence(parts.to_vec());
                let at = self.grammar.rules.len();
                self.nullable.push(self.is_nullable(&expression));
                self.begins_free.push(self.has_free_text_at(ExpressionEnd::Front, &expression));
                self.ends_free.push(self.has_free_text_at(ExpressionEnd::Back, &expression));
                // No other rule has such a name.
                self.grammar.rules.push(Rule { name: format!("rest--{at}"), expression });
                Some(RuleId(at).into())
            }
        }
    }
}

impl GrammarNotation for LarkWriter<'_> {
    fn atom(&mut self, atom: &Expression, context: ExpressionContext, out: &mut String) {
        match atom {
            Expression::Text(text) => {
                let characters: Vec<String> = text.chars().map(String::from).collect();
                let is_one = characters.len() == 1;
                grouped(context == ExpressionContext::Repeat && !is_one, out, |out| {
                    joined(&characters, " ", out, |one, out| terminals::string(one, out));
                });
            }
            Expression::Class(class) => terminals::character(class, out),
            Expression::Rule(id) => out.push_str(&self.reference(*id)),
            // A part that begins with free text is written elsewhere.
            _ => {}
        }
    }

    fn expression(
        &mut self,
        expression: &Expression,
        context: ExpressionContext,
        out: &mut String,
    ) {
        match expression {
            _ if self.has_free_text_at(ExpressionEnd::Front, expression) => {
                self.write_free_text(std::slice::from_ref(expression), context, out);
            }
            Expression::Sequence(parts) => {
                grouped(context == ExpressionContext::Repeat, out, |out| {
                    self.write_sequence(parts, out);
                });
            }
            _ => self.compound(expression, context, out),
        }
    }
}

/// Free text and the text that ends it, as the parts of a lexeme.
#[derive(Debug, Clone, Default)]
struct FreeTextLexeme {
    parts: Vec<Expression>,
    /// The delimiters of the free text so far.
    delimiters: Vec<String>,
    /// The fixed text after the last free text.
    fixed: String,
}

impl FreeTextLexeme {
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

    /// Takes parts up to the end of the delimiter, and returns the parts after it. The error
    /// contains the parts from the first one that must be expanded.
    fn take<'e>(
        &mut self,
        mut parts: &'e [Expression],
    ) -> Result<&'e [Expression], &'e [Expression]> {
        while let Some((part, after)) = parts.split_first() {
            if is_lexeme_part(part) {
                self.push(part);
                parts = after;
                if self.is_ended() {
                    break;
                }
                continue;
            }
            // A character, or any part after fixed text, can be outside the lexeme.
            match self.is_ending() || matches!(part, Expression::Class(_)) {
                true => break,
                false => return Err(parts),
            }
        }
        Ok(parts)
    }

    /// Whether the parts so far end the free text. The beginning of a delimiter may still be a part
    /// of the text.
    fn is_ended(&self) -> bool {
        self.is_ending()
            && (self.delimiters.is_empty()
                || self.delimiters.iter().any(|it| self.fixed.contains(it)))
    }

    /// Whether the free text is followed by fixed text.
    fn is_ending(&self) -> bool {
        !self.fixed.is_empty()
    }
}

/// Whether an expression is part of a lexeme without an expansion: free text, fixed text, or
/// optional white space.
fn is_lexeme_part(expression: &Expression) -> bool {
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

/// The condition under which an expression can have free text at one of its ends.
fn when_free(end: ExpressionEnd, expression: &Expression, nullable: &[bool]) -> Condition {
    let mut free = Vec::new();
    each_at_end(end, expression, nullable, &mut |part| match part {
        Expression::Until(_) => free.push(Condition::ALWAYS),
        part => free.extend(part.as_rule().map(Condition::Rule)),
    });
    Condition::any(free.into_iter())
}
