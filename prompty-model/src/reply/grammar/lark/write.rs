//! Writing rules and terminals as llguidance reads them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::shape::{Shape, Shaped};
use crate::reply::grammar::CharacterClass;
use crate::reply::grammar::expression::{Expression, Grammar, RuleId};
use crate::reply::grammar::notation::{count, grouped};
use crate::reply::grammar::until::Automaton;

/// The whole grammar.
pub(super) fn lark(grammar: &Grammar, shaped: &Shaped<'_>) -> String {
    let mut writer = Writer { grammar, needed: BTreeSet::new() };
    let name = |at: usize| {
        shaped.rules.get(at).map_or_else(String::new, |(name, _)| name.replace('-', "_"))
    };
    let mut out = format!("start: {}\n", name(0));
    let mut named = BTreeMap::new();
    for (at, (_, shape)) in shaped.rules.iter().enumerate() {
        let mut body = String::new();
        writer.shape(shape, shaped, &name, &mut named, 0, &mut body);
        // Writing into a string does not fail.
        let _ = writeln!(out, "{}: {body}", name(at));
    }
    for (name, unit) in named {
        let mut body = String::new();
        writer.terminal(unit, 0, &mut body);
        let _ = writeln!(out, "{name}: {body}");
    }
    let mut done = BTreeSet::new();
    while let Some(id) = writer.needed.pop_first() {
        if let Some(rule) = grammar.rule(id).filter(|_| done.insert(id)) {
            let mut body = String::new();
            writer.terminal(rule.expression(), 0, &mut body);
            let _ = writeln!(out, "{}: {body}", terminal_name(rule.name()));
            writer.needed.retain(|id| !done.contains(id));
        }
    }
    out
}

fn terminal_name(rule: &str) -> String {
    rule.replace('-', "_").to_ascii_uppercase()
}

struct Writer<'g> {
    grammar: &'g Grammar,
    /// Rules that terminals speak of.
    needed: BTreeSet<RuleId>,
}

impl Writer<'_> {
    /// A part of a rule. It stands in nothing (0), in a row (1), or before a count (2).
    fn shape<'s>(
        &mut self,
        shape: &Shape,
        shaped: &'s Shaped<'_>,
        name: &dyn Fn(usize) -> String,
        named: &mut BTreeMap<String, &'s Expression>,
        around: u8,
        out: &mut String,
    ) {
        match shape {
            Shape::Unit(at) => match shaped.units.get_index(*at) {
                Some(unit @ (Expression::Text(_) | Expression::Class(_) | Expression::Rule(_))) => {
                    self.terminal(unit, 2, out);
                }
                Some(unit) => {
                    // No rule has such a name.
                    let name = format!("TERMINAL__{at}");
                    out.push_str(&name);
                    named.insert(name, unit);
                }
                None => {}
            },
            Shape::Rule(at) => out.push_str(&name(*at)),
            Shape::Sequence(parts) if parts.is_empty() => out.push_str("\"\""),
            Shape::Sequence(parts) => grouped(around > 1, out, |out| {
                for (at, part) in parts.iter().enumerate() {
                    out.push_str(if at > 0 { " " } else { "" });
                    self.shape(part, shaped, name, named, 1, out);
                }
            }),
            Shape::Choice(parts) => grouped(around > 0, out, |out| {
                for (at, part) in parts.iter().enumerate() {
                    out.push_str(if at > 0 { " | " } else { "" });
                    self.shape(part, shaped, name, named, 1, out);
                }
            }),
            Shape::Repeat { of, at_least, at_most } => grouped(around > 1, out, |out| {
                self.shape(of, shaped, name, named, 2, out);
                out.push_str(&count(*at_least, *at_most));
            }),
        }
    }

    /// A part of a terminal.
    fn terminal(&mut self, expression: &Expression, around: u8, out: &mut String) {
        match expression {
            Expression::Text(text) => string(text, out),
            Expression::Class(class) => {
                out.push('/');
                class_text(class, out);
                out.push('/');
            }
            Expression::Rule(id) => {
                self.needed.insert(*id);
                out.push_str(&terminal_name(self.grammar.name(*id)));
            }
            Expression::Sequence(parts) if parts.is_empty() => out.push_str("\"\""),
            Expression::Sequence(parts) => grouped(around > 1, out, |out| {
                for (at, part) in parts.iter().enumerate() {
                    out.push_str(if at > 0 { " " } else { "" });
                    self.terminal(part, 1, out);
                }
            }),
            Expression::Choice(parts) => grouped(around > 0, out, |out| {
                for (at, part) in parts.iter().enumerate() {
                    out.push_str(if at > 0 { " | " } else { "" });
                    self.terminal(part, 1, out);
                }
            }),
            Expression::Repeat { of, at_least, at_most } => grouped(around > 1, out, |out| {
                self.terminal(of, 2, out);
                out.push_str(&count(*at_least, *at_most));
            }),
            Expression::Until(delimiters) => grouped(true, out, |out| until(delimiters, out)),
        }
    }
}

/// All texts but those that hold a delimiter, or end so that one could begin there too early.
fn until(delimiters: &[String], out: &mut String) {
    out.push_str("/(?s:.*)/");
    if delimiters.is_empty() {
        return;
    }
    let any_of = |texts: &[String], out: &mut String| {
        for (at, text) in texts.iter().enumerate() {
            out.push_str(if at > 0 { "|" } else { "" });
            text.chars().for_each(|character| in_regex(character, out));
        }
    };
    out.push_str(" & ~/(?s:.*)(");
    any_of(delimiters, out);
    out.push_str(")(?s:.*)/");
    let ends = Automaton::of(delimiters).wrong_ends;
    if !ends.is_empty() {
        out.push_str(" & ~/(?s:.*)(");
        any_of(&ends, out);
        out.push_str(")/");
    }
}

/// A text in quotes, as JSON has it.
fn string(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{1f}' | '\u{7f}'..='\u{a0}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => {
                // Writing into a string does not fail.
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
}

fn class_text(class: &CharacterClass, out: &mut String) {
    let others = class.negated();
    if others.is_empty() {
        return out.push_str("(?s:.)");
    }
    let is_negated = class.ranges().last().is_some_and(|&(_, last)| last == char::MAX);
    out.push_str(if is_negated { "[^" } else { "[" });
    for &(first, last) in if is_negated { others.ranges() } else { class.ranges() } {
        in_regex(first, out);
        if first != last {
            out.push('-');
            in_regex(last, out);
        }
    }
    out.push(']');
}

/// A character as itself in a regular expression.
fn in_regex(character: char, out: &mut String) {
    match character {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '"' | '<' | '>' | ':' | ',' | '=' => {
            out.push(character);
        }
        _ => {
            // Writing into a string does not fail.
            let _ = write!(out, "\\x{{{:x}}}", u32::from(character));
        }
    }
}
