//! The structural tag: what servers exchange to say which text opens a structure, what it holds and
//! what closes it.
//!
//! It is written from the same rules as all other forms. What it has words for, it says in these:
//! free text up to a mark, JSON that follows a schema, triggers. All else is a small grammar where
//! it stands, so that nothing is left out.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

use super::derivative;
use super::trigger::Trigger;
use crate::grammar::delimiters::Automaton;
use crate::grammar::simplify::{self, one_or_all};
use crate::grammar::{CharacterClass, Expression, Grammar, lark};
use prompty_core::value::{Map, Value};

/// What the rules of a grammar are made of, by their names, as far as a structural tag has words for
/// it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::grammar) struct Layout {
    /// Rules that are written part by part. None of them leads to itself.
    by_parts: HashSet<String>,
    /// Rules of JSON values, with the schemas that the values follow.
    schemas: HashMap<String, Value>,
    /// What may stand in front of the text that brings a lazy grammar into force.
    in_front: Vec<Expression>,
}

impl Layout {
    pub(super) fn by_parts(&mut self, rule: &str) {
        self.by_parts.insert(rule.to_owned());
    }

    pub(super) fn schema(&mut self, rule: &str, schema: &Value) {
        self.schemas.insert(rule.to_owned(), schema.clone());
    }

    pub(super) fn in_front(&mut self, expression: Expression) {
        self.in_front.push(expression);
    }

    /// The grammar in Lark; JSON values are left to the engine that reads it.
    pub(super) fn to_lark(&self, grammar: &Grammar) -> String {
        lark::with_schemas(grammar, &self.schemas)
    }

    /// The structural tag of a grammar. Where there are triggers, the grammar waits for them.
    pub(super) fn to_value(&self, grammar: &Grammar, triggers: Option<&[Trigger]>) -> Value {
        // Where the parts share so much that it would be written again and again, a grammar says all
        // of it, once.
        let format = self.format(grammar, triggers, Say::ByParts);
        let format = format.or_else(|| self.format(grammar, triggers, Say::InGrammars));
        format_of("structural_tag", [("format", format.unwrap_or_default())])
    }

    /// The format of all that follows the grammar; nothing where its grammars become too long.
    fn format(&self, grammar: &Grammar, triggers: Option<&[Trigger]>, say: Say) -> Option<Value> {
        let writer = Writer::new(grammar, self, say);
        let root = Expression::Rule(grammar.root);
        let format = match triggers {
            None => writer.written(&root),
            Some(triggers) => {
                let triggered = triggered(&writer, triggers);
                let in_front = self.in_front.iter().map(|it| writer.written(it));
                sequence(in_front.chain([triggered]).collect())
            }
        };
        writer.bytes_left.get().map(|_| format)
    }
}

/// Any text up to a trigger, and what has to follow the trigger.
fn triggered(writer: &Writer<'_>, triggers: &[Trigger]) -> Value {
    let words: Vec<&str> = triggers.iter().filter_map(Trigger::word).collect();
    let mut shortest = shortest(&words);
    let (mut rules, mut refused) = (Vec::new(), Vec::new());
    for word in &words {
        if !shortest.remove(word) {
            continue;
        }
        // A trigger that no call begins with brings the model to where it cannot go on.
        match derivative::behind_trigger(writer.grammar, word) {
            Expression::Choice(none) if none.is_empty() => refused.push(Value::from(*word)),
            rest => rules.push(Value::from(vec![Value::from(*word), writer.written(&rest)])),
        }
    }
    // Not `triggered_tags`: in these, what repeats has to stand in front of a fixed end, and the
    // last of some calls may have none.
    let mut map = Map::from([
        ("type", Value::from("dispatch")),
        ("rules", rules.into()),
        // What follows a trigger is all of the calls, and what ends the turn.
        ("loop", false.into()),
    ]);
    if !refused.is_empty() {
        map.insert("excludes", Value::from(refused));
    }
    map.into()
}

/// The words that begin with no other one.
fn shortest<'w>(words: &[&'w str]) -> HashSet<&'w str> {
    let mut sorted = words.to_vec();
    sorted.sort_unstable();
    let mut found = HashSet::new();
    let mut last: Option<&str> = None;
    for word in sorted {
        // What a word begins with stands right in front of it, but for others that begin so, too.
        if last.is_none_or(|last| !word.starts_with(last)) {
            last = Some(word);
            found.insert(word);
        }
    }
    found
}

/// Bytes of grammars that a structural tag may have for each part of the whole grammar, and beside
/// that: parts that share rules each have a copy of them.
const BYTES_PER_PART: usize = 64;
const LEAST_BYTES: usize = 1_000_000;

/// How much of a grammar is said in the words of structural tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Say {
    ByParts,
    InGrammars,
}

struct Writer<'g> {
    grammar: &'g Grammar,
    layout: &'g Layout,
    say: Say,
    /// So many bytes of grammars may yet be written; nothing where there were too many.
    bytes_left: Cell<Option<usize>>,
    /// Whether a structural tag can say free text up to some marks.
    marks: RefCell<HashMap<Vec<String>, bool>>,
}

impl<'g> Writer<'g> {
    fn new(grammar: &'g Grammar, layout: &'g Layout, say: Say) -> Self {
        let parts: usize = grammar.rules().map(|(_, rule)| rule.expression().size()).sum();
        let bytes = parts.saturating_mul(BYTES_PER_PART).saturating_add(LEAST_BYTES);
        let bytes = match say {
            Say::ByParts => bytes,
            // What follows each trigger was paid for when the grammar was made.
            Say::InGrammars => usize::MAX,
        };
        let (bytes_left, marks) = (Cell::new(Some(bytes)), RefCell::default());
        Self { grammar, layout, say, bytes_left, marks }
    }

    /// Whether free text up to some marks can be said. A text whose end may begin a mark that is not
    /// the next one is left to a grammar: servers differ in which mark they see there.
    fn says_free_text(&self, marks: &[String]) -> bool {
        if let Some(&known) = self.marks.borrow().get(marks) {
            return known;
        }
        let can_be_said = Automaton::new(marks).wrong_ends.is_empty();
        self.marks.borrow_mut().insert(marks.to_vec(), can_be_said);
        can_be_said
    }

    /// An expression as a format.
    fn written<'e>(&self, expression: &'e Expression) -> Value
    where
        'g: 'e,
    {
        if !self.has_words(expression) {
            return self.plain(&[expression]);
        }
        match expression {
            Expression::Rule(id) => {
                let name = self.grammar.name(*id);
                match (self.layout.schemas.get(name), self.grammar.rule(*id)) {
                    (Some(schema), _) => {
                        format_of("json_schema", [("json_schema", schema.clone())])
                    }
                    (None, Some(rule)) => self.written(rule.expression()),
                    (None, None) => self.plain(&[expression]),
                }
            }
            Expression::Choice(ways) => {
                let (said, plain): (Vec<_>, Vec<_>) =
                    ways.iter().partition(|way| self.has_words(way));
                let mut ways: Vec<Value> = said.into_iter().map(|way| self.written(way)).collect();
                if !plain.is_empty() {
                    let plain = Expression::choice(plain.into_iter().cloned());
                    ways.push(self.plain(&[&plain]));
                }
                one_or_all(ways, |ways| format_of("or", [("elements", ways.into())]))
            }
            Expression::Repeat { .. } if is_any_text(expression) => any_text(&[]),
            Expression::Repeat { of, at_least, at_most } => {
                let content = ("content", self.written(of));
                match (at_least, at_most) {
                    (0, Some(1)) => format_of("optional", [content]),
                    (0, None) => format_of("star", [content]),
                    (1, None) => format_of("plus", [content]),
                    _ => {
                        let most = at_most.map_or(Value::from(-1), Value::from);
                        format_of("repeat", [("min", (*at_least).into()), ("max", most), content])
                    }
                }
            }
            Expression::Sequence(_) | Expression::Until(_) => {
                let mut parts = Vec::new();
                self.flatten(expression, &mut parts);
                self.row(&parts)
            }
            Expression::Text(_) | Expression::Class(_) => self.plain(&[expression]),
        }
    }

    /// Whether a structural tag says something of an expression better than a grammar does.
    fn has_words(&self, expression: &Expression) -> bool {
        match expression {
            _ if self.say == Say::InGrammars => false,
            Expression::Until(marks) => self.says_free_text(marks),
            Expression::Rule(id) => {
                let name = self.grammar.name(*id);
                self.layout.by_parts.contains(name) || self.layout.schemas.contains_key(name)
            }
            _ => {
                is_any_text(expression)
                    || expression.parts().iter().any(|part| self.has_words(part))
            }
        }
    }

    /// What stands behind one another, also inside of rules that are written by parts.
    fn flatten<'e>(&self, expression: &'e Expression, row: &mut Vec<&'e Expression>)
    where
        'g: 'e,
    {
        match expression {
            Expression::Sequence(parts) => parts.iter().for_each(|part| self.flatten(part, row)),
            Expression::Rule(id) if self.layout.by_parts.contains(self.grammar.name(*id)) => {
                match self.grammar.rule(*id) {
                    Some(rule) => self.flatten(rule.expression(), row),
                    None => row.push(expression),
                }
            }
            _ => row.push(expression),
        }
    }

    /// Expressions one behind the other.
    fn row<'e>(&self, parts: &[&'e Expression]) -> Value
    where
        'g: 'e,
    {
        let mut formats = Vec::new();
        let mut plain: Vec<&Expression> = Vec::new();
        let mut rest = parts;
        while let Some((part, behind)) = rest.split_first() {
            rest = behind;
            if !self.has_words(part) {
                plain.push(part);
                continue;
            }
            let Expression::Until(marks) = part else {
                self.end_plain(&mut plain, &mut formats);
                formats.push(self.written(part));
                continue;
            };
            let Some((end, after_end)) = end_of(marks, behind) else {
                self.end_plain(&mut plain, &mut formats);
                formats.push(any_text(marks));
                continue;
            };
            rest = after_end;
            let begin = begin_of(marks, &mut plain);
            self.end_plain(&mut plain, &mut formats);
            // The end is kept out of the text without being named there.
            let others: Vec<String> = marks.iter().filter(|mark| **mark != end).cloned().collect();
            formats.push(tag(&begin, any_text(&others), &end));
        }
        self.end_plain(&mut plain, &mut formats);
        sequence(formats)
    }

    fn end_plain(&self, plain: &mut Vec<&Expression>, formats: &mut Vec<Value>) {
        if !plain.is_empty() {
            formats.push(self.plain(plain));
            plain.clear();
        }
    }

    /// What no other word is for: a fixed text, or a grammar.
    fn plain(&self, parts: &[&Expression]) -> Value {
        if let Some(text) = text_of(parts).filter(|text| !text.is_empty()) {
            return format_of("const_string", [("value", text.into())]);
        }
        if self.bytes_left.get().is_none() {
            return Value::Null;
        }
        let expression = Expression::sequence(parts.iter().copied().cloned());
        let grammar = simplify::subgrammar(self.grammar, expression).to_gbnf();
        let left = self.bytes_left.get().and_then(|left| left.checked_sub(grammar.len()));
        self.bytes_left.set(left);
        format_of("grammar", [("grammar", grammar.into())])
    }
}

/// Which of the marks follows right after a text that is free up to them, and the parts that follow
/// the mark. White space in front of it may be left out, as it is part of the text already.
fn end_of<'p, 'e>(
    marks: &[String],
    mut parts: &'p [&'e Expression],
) -> Option<(String, &'p [&'e Expression])> {
    while let [space, rest @ ..] = parts
        && is_space(space)
    {
        parts = rest;
    }
    let mut end = String::new();
    while let [Expression::Text(text), rest @ ..] = parts {
        parts = rest;
        end.push_str(text);
        if marks.contains(&end) {
            return Some((end, parts));
        }
        if !marks.iter().any(|mark| mark.starts_with(&end)) {
            return None;
        }
    }
    None
}

/// Takes the fixed text away that stands right in front of free text.
fn begin_of(marks: &[String], plain: &mut Vec<&Expression>) -> String {
    // White space behind it is part of the free text, unless it is part of what ends that.
    if !marks.iter().any(|mark| mark.starts_with(char::is_whitespace)) {
        let kept = plain.iter().rposition(|part| !is_space(part)).map_or(0, |last| last + 1);
        plain.truncate(kept);
    }
    let is_text = |part: &&Expression| matches!(part, Expression::Text(_));
    let from = plain.iter().rposition(|part| !is_text(part)).map_or(0, |last| last + 1);
    text_of(&plain.split_off(from)).unwrap_or_default()
}

/// The one text that parts stand for, where they are all fixed.
fn text_of(parts: &[&Expression]) -> Option<String> {
    let text = |part: &&Expression| match part {
        Expression::Text(text) => Some(text.clone()),
        _ => None,
    };
    parts.iter().map(text).collect()
}

/// Whether an expression is white space that may be left out.
fn is_space(expression: &Expression) -> bool {
    let Expression::Repeat { of, at_least: 0, at_most: Some(1) } = expression else { return false };
    matches!(&**of, Expression::Text(text) if text.trim().is_empty())
}

fn is_any_text(expression: &Expression) -> bool {
    let Expression::Repeat { of, at_least: 0, at_most: None } = expression else { return false };
    matches!(&**of, Expression::Class(class) if *class == CharacterClass::any())
}

fn any_text(excluded: &[String]) -> Value {
    if excluded.is_empty() {
        return format_of("any_text", []);
    }
    let excluded: Vec<Value> = excluded.iter().map(|text| Value::from(text.as_str())).collect();
    format_of("any_text", [("excludes", excluded.into())])
}

fn tag(begin: &str, content: Value, end: &str) -> Value {
    format_of("tag", [("begin", begin.into()), ("content", content), ("end", end.into())])
}

fn sequence(formats: Vec<Value>) -> Value {
    one_or_all(formats, |formats| format_of("sequence", [("elements", formats.into())]))
}

fn format_of<const N: usize>(name: &str, fields: [(&str, Value); N]) -> Value {
    let fields = fields.into_iter().map(|(key, value)| (key.to_owned(), value));
    let name = ("type".to_owned(), Value::from(name));
    std::iter::once(name).chain(fields).collect::<Map>().into()
}
