//! Terminals: regular expressions in the syntax of llguidance.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::reply::grammar::CharacterClass;
use crate::reply::grammar::delimiters::Automaton;
use crate::reply::grammar::expression::{Expression, Grammar, RuleId};
use crate::reply::grammar::notation::{Around, count, grouped, joined};

/// Writes terminals, and notes the rules that they name.
#[derive(Default)]
pub(super) struct Terminals {
    named: BTreeSet<RuleId>,
}

impl Terminals {
    /// The definitions of the rules that terminals name.
    pub(super) fn definitions(mut self, grammar: &Grammar, out: &mut String) {
        let mut defined = BTreeSet::new();
        while let Some(id) = self.named.pop_first() {
            let Some(rule) = grammar.rule(id).filter(|_| defined.insert(id)) else { continue };
            out.push_str(&name(rule.name()));
            out.push_str(": ");
            self.write(grammar, rule.expression(), Around::Nothing, out);
            out.push('\n');
        }
    }

    pub(super) fn write(
        &mut self,
        grammar: &Grammar,
        expression: &Expression,
        around: Around,
        out: &mut String,
    ) {
        match expression {
            Expression::Text(text) => string(text, out),
            Expression::Class(class) => character(class, out),
            Expression::Rule(id) => {
                self.named.insert(*id);
                out.push_str(&name(grammar.name(*id)));
            }
            Expression::Sequence(parts) if parts.is_empty() => out.push_str("\"\""),
            Expression::Sequence(parts) => grouped(around == Around::Repeat, out, |out| {
                joined(parts, " ", out, |part, out| {
                    self.write(grammar, part, Around::Sequence, out);
                });
            }),
            Expression::Choice(parts) => grouped(around > Around::Nothing, out, |out| {
                joined(parts, " | ", out, |part, out| {
                    self.write(grammar, part, Around::Sequence, out);
                });
            }),
            Expression::Repeat { of, at_least, at_most } => {
                grouped(around == Around::Repeat, out, |out| {
                    self.write(grammar, of, Around::Repeat, out);
                    out.push_str(&count(*at_least, *at_most));
                });
            }
            Expression::Until(delimiters) => grouped(true, out, |out| until(delimiters, out)),
        }
    }
}

/// The name of a lexeme, which no rule has.
pub(super) fn name_of_lexeme(at: usize) -> String {
    format!("TERMINAL__{at}")
}

/// The name of a rule as that of a terminal.
fn name(rule: &str) -> String {
    rule.replace('-', "_").to_ascii_uppercase()
}

/// All texts but those that hold a delimiter, or end so that one could begin there too early.
fn until(delimiters: &[String], out: &mut String) {
    out.push_str("/(?s:.*)/");
    let mut exclude = |texts: &[String], behind: &str| {
        if texts.is_empty() {
            return;
        }
        out.push_str(" & ~/(?s:.*)(");
        joined(texts, "|", out, |text, out| {
            text.chars().for_each(|character| escaped(character, out));
        });
        out.push_str(behind);
    };
    exclude(delimiters, ")(?s:.*)/");
    exclude(&Automaton::new(delimiters).wrong_ends, ")/");
}

/// A text in quotes, as JSON has it.
pub(super) fn string(text: &str, out: &mut String) {
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

/// One character of a class.
pub(super) fn character(class: &CharacterClass, out: &mut String) {
    let others = class.negated();
    if others.is_empty() {
        return out.push_str("/(?s:.)/");
    }
    let is_negated = class.ranges().last().is_some_and(|&(_, last)| last == char::MAX);
    out.push_str(if is_negated { "/[^" } else { "/[" });
    for &(first, last) in if is_negated { others.ranges() } else { class.ranges() } {
        escaped(first, out);
        if first != last {
            out.push('-');
            escaped(last, out);
        }
    }
    out.push_str("]/");
}

/// A character as itself in a regular expression.
fn escaped(character: char, out: &mut String) {
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
