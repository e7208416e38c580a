//! Terminals: regular expressions in the syntax of llguidance.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use crate::grammar::CharacterClass;
use crate::grammar::delimiters::DelimiterAutomaton;
use crate::grammar::expression::{Expression, Grammar, RuleId};
use crate::grammar::notation::{ExpressionContext, GrammarNotation, grouped, joined, quoted};

/// Writes terminals, and collects the rules that they refer to.
pub(super) struct Terminals<'g> {
    grammar: &'g Grammar,
    free_texts: &'g mut FreeTexts,
    referenced: BTreeSet<RuleId>,
}

/// The regular expressions of free text, by its delimiters.
#[derive(Default)]
pub(super) struct FreeTexts(HashMap<Vec<String>, String>);

impl FreeTexts {
    /// The regular expression of any text up to one of the delimiters.
    pub(super) fn written(&mut self, delimiters: &[String]) -> &str {
        if !self.0.contains_key(delimiters) {
            let mut out = String::new();
            until(delimiters, &mut out);
            self.0.insert(delimiters.to_vec(), out);
        }
        self.0.get(delimiters).map_or("", String::as_str)
    }
}

impl<'g> Terminals<'g> {
    pub(super) fn new(grammar: &'g Grammar, free_texts: &'g mut FreeTexts) -> Self {
        Self { grammar, free_texts, referenced: BTreeSet::new() }
    }

    /// Writes a definition.
    pub(super) fn define(&mut self, name: &str, expression: &Expression, out: &mut String) {
        out.push_str(name);
        out.push_str(": ");
        self.expression(expression, ExpressionContext::Nothing, out);
        out.push('\n');
    }

    /// Writes the definitions of the rules that terminals refer to.
    pub(super) fn define_rules(mut self, out: &mut String) {
        let mut defined = BTreeSet::new();
        while let Some(id) = self.referenced.pop_first() {
            if let Some(rule) = self.grammar.rule(id).filter(|_| defined.insert(id)) {
                self.define(&terminal_name(rule.name()), &rule.expression, out);
            }
        }
    }
}

impl GrammarNotation for Terminals<'_> {
    fn atom(&mut self, atom: &Expression, _: ExpressionContext, out: &mut String) {
        match atom {
            Expression::Text(text) => string(text, out),
            Expression::Class(class) => character(class, out),
            Expression::Rule(id) => {
                self.referenced.insert(*id);
                out.push_str(&terminal_name(self.grammar.name(*id)));
            }
            Expression::Until(delimiters) => {
                let written = self.free_texts.written(delimiters);
                grouped(true, out, |out| out.push_str(written));
            }
            _ => {}
        }
    }
}

/// The name of a lexeme. No rule has this name.
pub(super) fn name_of_lexeme(at: usize) -> String {
    format!("TERMINAL__{at}")
}

/// Converts the name of a rule to the name of a terminal.
fn terminal_name(rule: &str) -> String {
    rule.replace('-', "_").to_ascii_uppercase()
}

/// All texts, except those that contain a delimiter, and those after whose end a delimiter could
/// begin too early.
fn until(delimiters: &[String], out: &mut String) {
    out.push_str("/(?s:.*)/");
    let mut exclude = |texts: &[String], end: &str| {
        if texts.is_empty() {
            return;
        }
        out.push_str(" & ~/(?s:.*)(");
        joined(texts, "|", out, |text, out| {
            text.chars().for_each(|character| escaped(character, out));
        });
        out.push_str(end);
    };
    exclude(delimiters, ")(?s:.*)/");
    exclude(&DelimiterAutomaton::new(delimiters).forbidden_ends, ")/");
}

/// Writes a string in quotes, as in JSON.
pub(super) fn string(text: &str, out: &mut String) {
    quoted(text, out, |character, out| match character {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\0'..='\u{1f}' | '\u{7f}'..='\u{a0}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => {
            // Writing into a string does not fail.
            let _ = write!(out, "\\u{:04x}", u32::from(character));
        }
        _ => out.push(character),
    });
}

/// Writes one character of a class.
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

/// Writes a character that represents itself in a regular expression.
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
