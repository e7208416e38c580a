//! The structural tag: a form in which servers describe the opening text, the content and the
//! closing text of a structure.
//!
//! It is written from the same rules as all other forms. It has elements for free text up to a
//! delimiter, JSON that matches a schema, and triggers. Everything else becomes a small grammar at
//! its position, so nothing is left out.
//!
//! For `"<think>" ANY "</think>" "<call>" JSON "</call>"`, in which `ANY` is free text up to
//! `</think>` and `JSON` is the rule of a schema, `write_sequence` writes these elements:
//!
//! ```json
//! {"type": "tag", "begin": "<think>", "content": {"type": "any_text"}, "end": "</think>"}
//! {"type": "const_string", "value": "<call>"}
//! {"type": "json_schema", "json_schema": {}}
//! {"type": "const_string", "value": "</call>"}
//! ```

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

use super::derivative;
use super::trigger::Trigger;
use crate::grammar::delimiters::DelimiterAutomaton;
use crate::grammar::simplify::{self, one_or_all};
use crate::grammar::{CharacterClass, Expression, Grammar, lark};
use prompty_core::value::{Map, Value};

/// Information about the rules of a grammar that structural tags can express, by the names of the
/// rules.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::grammar) struct TagRules {
    /// Rules that are written part by part. None of them leads to itself.
    pub(super) written_by_parts: HashSet<String>,
    /// Rules of JSON values, with the schemas of the values.
    pub(super) schemas: HashMap<String, Value>,
    /// The optional parts before the text that activates a lazy grammar.
    pub(super) before_trigger: Vec<Expression>,
}

impl TagRules {
    /// Writes the grammar in Lark. JSON values are left to the engine that reads it.
    pub(super) fn to_lark(&self, grammar: &Grammar) -> String {
        lark::with_schemas(grammar, &self.schemas)
    }

    /// Writes the structural tag of a grammar. If there are triggers, the grammar waits for them.
    pub(super) fn to_value(&self, grammar: &Grammar, triggers: Option<&[Trigger]>) -> Value {
        // If shared parts would be written too often, one grammar expresses everything.
        let format = self.format(grammar, triggers, TagDetail::Parts);
        let format = format.or_else(|| self.format(grammar, triggers, TagDetail::Grammars));
        format_of("structural_tag", [("format", format.unwrap_or_default())])
    }

    /// Writes the format of all texts that match the grammar. `None` if its grammars become too
    /// long.
    fn format(
        &self,
        grammar: &Grammar,
        triggers: Option<&[Trigger]>,
        detail: TagDetail,
    ) -> Option<Value> {
        let writer = TagWriter::new(grammar, self, detail);
        let root = Expression::Rule(grammar.root);
        let format = match triggers {
            None => writer.write_part(&root),
            Some(triggers) => {
                let triggered = write_triggered(&writer, triggers);
                let before_trigger = self.before_trigger.iter().map(|it| writer.write_part(it));
                sequence(before_trigger.chain([triggered]).collect())
            }
        };
        writer.bytes_left.get().map(|_| format)
    }
}

/// Any text up to a trigger, and the content that must follow the trigger.
fn write_triggered(writer: &TagWriter<'_>, triggers: &[Trigger]) -> Value {
    let words: Vec<&str> = triggers.iter().filter_map(Trigger::word).collect();
    let mut unwritten = shortest(&words);
    let (mut rules, mut refused) = (Vec::new(), Vec::new());
    for word in &words {
        if !unwritten.remove(word) {
            continue;
        }
        // After a trigger that no call begins with, the model could not continue.
        match derivative::rest_after_trigger(writer.grammar, word) {
            Expression::Choice(none) if none.is_empty() => refused.push(Value::from(*word)),
            rest => rules.push(Value::from(vec![Value::from(*word), writer.write_part(&rest)])),
        }
    }
    // `triggered_tags` is not used: repeated content must precede a fixed end there, and the last
    // of several calls may have none.
    let mut map = Map::from([
        ("type", Value::from("dispatch")),
        ("rules", rules.into()),
        // After a trigger follow all of the calls and the end of the turn.
        ("loop", false.into()),
    ]);
    if !refused.is_empty() {
        map.insert("excludes", Value::from(refused));
    }
    map.into()
}

/// The words that do not begin with another one of the words.
fn shortest<'w>(words: &[&'w str]) -> HashSet<&'w str> {
    let mut sorted = words.to_vec();
    sorted.sort_unstable();
    let mut found = HashSet::new();
    let mut last: Option<&str> = None;
    for word in sorted {
        // In sorted order, a word follows its prefix directly, or other words with the same prefix.
        if last.is_none_or(|last| !word.starts_with(last)) {
            last = Some(word);
            found.insert(word);
        }
    }
    found
}

/// The bytes of grammars that a structural tag may contain, for each part of the complete grammar.
/// Parts that share rules each have a copy of them.
const BYTES_PER_PART: usize = 64;

/// The bytes of grammars that any structural tag may contain in addition.
const LEAST_BYTES: usize = 1_000_000;

/// How much of a grammar is written with the elements of structural tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TagDetail {
    /// Everything that has an element is written with it.
    Parts,
    /// Everything is a grammar, except for triggers.
    Grammars,
}

struct TagWriter<'g> {
    grammar: &'g Grammar,
    tag_rules: &'g TagRules,
    detail: TagDetail,
    /// The bytes of grammars that may still be written. `None` if there were too many.
    bytes_left: Cell<Option<usize>>,
    /// Whether a structural tag can express free text up to these delimiters.
    free_texts: RefCell<HashMap<Vec<String>, bool>>,
}

impl<'g> TagWriter<'g> {
    fn new(grammar: &'g Grammar, tag_rules: &'g TagRules, detail: TagDetail) -> Self {
        let parts: usize = grammar.rules().map(|(_, rule)| rule.expression.size()).sum();
        let bytes = parts.saturating_mul(BYTES_PER_PART).saturating_add(LEAST_BYTES);
        let bytes = match detail {
            TagDetail::Parts => bytes,
            // The text after each trigger was paid for when the grammar was built.
            TagDetail::Grammars => usize::MAX,
        };
        let (bytes_left, free_texts) = (Cell::new(Some(bytes)), RefCell::default());
        Self { grammar, tag_rules, detail, bytes_left, free_texts }
    }

    /// Whether free text up to some delimiters can be expressed. A text whose end may begin a
    /// delimiter other than the next one is left to a grammar, because servers disagree about that
    /// delimiter.
    fn supports_free_text(&self, delimiters: &[String]) -> bool {
        if let Some(&known) = self.free_texts.borrow().get(delimiters) {
            return known;
        }
        let is_supported = DelimiterAutomaton::new(delimiters).forbidden_ends.is_empty();
        self.free_texts.borrow_mut().insert(delimiters.to_vec(), is_supported);
        is_supported
    }

    /// Writes an expression as a format.
    fn write_part(&self, expression: &Expression) -> Value {
        if !self.has_elements(expression) {
            return self.write_plain(&[expression]);
        }
        match expression {
            Expression::Rule(id) => {
                let name = self.grammar.name(*id);
                match (self.tag_rules.schemas.get(name), self.grammar.rule(*id)) {
                    (Some(schema), _) => {
                        format_of("json_schema", [("json_schema", schema.clone())])
                    }
                    (None, Some(rule)) => self.write_part(&rule.expression),
                    (None, None) => self.write_plain(&[expression]),
                }
            }
            Expression::Choice(ways) => {
                let (with_elements, plain): (Vec<_>, Vec<_>) =
                    ways.iter().partition(|way| self.has_elements(way));
                let mut ways: Vec<Value> =
                    with_elements.into_iter().map(|way| self.write_part(way)).collect();
                if !plain.is_empty() {
                    let plain = Expression::choice(plain.into_iter().cloned());
                    ways.push(self.write_plain(&[&plain]));
                }
                one_or_all(ways, |ways| format_of("or", [("elements", ways.into())]))
            }
            Expression::Repeat { .. } if is_any_text(expression) => any_text(&[]),
            Expression::Repeat { of, at_least, at_most } => {
                let content = ("content", self.write_part(of));
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
                self.write_sequence(&parts)
            }
            Expression::Text(_) | Expression::Class(_) => self.write_plain(&[expression]),
        }
    }

    /// Whether a structural tag has elements for a part of an expression.
    fn has_elements(&self, expression: &Expression) -> bool {
        match expression {
            _ if self.detail == TagDetail::Grammars => false,
            Expression::Until(delimiters) => self.supports_free_text(delimiters),
            Expression::Rule(id) => {
                let name = self.grammar.name(*id);
                self.tag_rules.written_by_parts.contains(name)
                    || self.tag_rules.schemas.contains_key(name)
            }
            _ => {
                is_any_text(expression)
                    || expression.parts().iter().any(|part| self.has_elements(part))
            }
        }
    }

    /// Collects the parts of a sequence, including those of rules that are written by parts.
    fn flatten<'e>(&'e self, expression: &'e Expression, flat: &mut Vec<&'e Expression>) {
        match expression {
            Expression::Sequence(parts) => parts.iter().for_each(|part| self.flatten(part, flat)),
            Expression::Rule(id)
                if self.tag_rules.written_by_parts.contains(self.grammar.name(*id)) =>
            {
                match self.grammar.rule(*id) {
                    Some(rule) => self.flatten(&rule.expression, flat),
                    None => flat.push(expression),
                }
            }
            _ => flat.push(expression),
        }
    }

    /// Writes expressions in sequence.
    fn write_sequence(&self, parts: &[&Expression]) -> Value {
        let mut formats = Vec::new();
        let mut plain: Vec<&Expression> = Vec::new();
        let mut rest = parts;
        while let Some((part, after)) = rest.split_first() {
            rest = after;
            if !self.has_elements(part) {
                plain.push(part);
                continue;
            }
            let Expression::Until(delimiters) = part else {
                self.flush_plain(&mut plain, &mut formats);
                formats.push(self.write_part(part));
                continue;
            };
            let Some((end, after_end)) = split_at_end(delimiters, after) else {
                self.flush_plain(&mut plain, &mut formats);
                formats.push(any_text(delimiters));
                continue;
            };
            rest = after_end;
            let begin = take_begin(delimiters, &mut plain);
            self.flush_plain(&mut plain, &mut formats);
            // The end is already excluded from the text, and need not be listed.
            let others: Vec<String> =
                delimiters.iter().filter(|delimiter| **delimiter != end).cloned().collect();
            formats.push(tag(&begin, any_text(&others), &end));
        }
        self.flush_plain(&mut plain, &mut formats);
        sequence(formats)
    }

    /// Writes the collected parts without an element, if there are any.
    fn flush_plain(&self, plain: &mut Vec<&Expression>, formats: &mut Vec<Value>) {
        if !plain.is_empty() {
            formats.push(self.write_plain(plain));
            plain.clear();
        }
    }

    /// Writes parts without an element of their own: as a fixed text or a grammar.
    fn write_plain(&self, parts: &[&Expression]) -> Value {
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

/// Finds the delimiter that directly follows free text, and the parts after the delimiter. It may
/// be written in several parts: `"</" "a>"`. White space before it can be skipped, as it is part of
/// the text.
fn split_at_end<'p, 'e>(
    delimiters: &[String],
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
        if delimiters.contains(&end) {
            return Some((end, parts));
        }
        if !delimiters.iter().any(|delimiter| delimiter.starts_with(&end)) {
            return None;
        }
    }
    None
}

/// Removes and returns the fixed text directly before free text, which becomes the beginning of a
/// tag.
fn take_begin(delimiters: &[String], plain: &mut Vec<&Expression>) -> String {
    // White space after it is part of the free text, unless it is part of an end of the free text.
    if !delimiters.iter().any(|delimiter| delimiter.starts_with(char::is_whitespace)) {
        let kept = plain.iter().rposition(|part| !is_space(part)).map_or(0, |last| last + 1);
        plain.truncate(kept);
    }
    let is_text = |part: &&Expression| matches!(part, Expression::Text(_));
    let from = plain.iter().rposition(|part| !is_text(part)).map_or(0, |last| last + 1);
    text_of(&plain.split_off(from)).unwrap_or_default()
}

/// Joins parts if all of them are fixed texts.
fn text_of(parts: &[&Expression]) -> Option<String> {
    let text = |part: &&Expression| match part {
        Expression::Text(text) => Some(text.clone()),
        _ => None,
    };
    parts.iter().map(text).collect()
}

/// Whether an expression is optional white space.
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
