//! The GBNF form, which llama.cpp's samplers take.

use std::fmt::Write;

use super::CharacterClass;
use super::expression::{Expression, Grammar};
use super::lower;
use super::notation::{Around, Notation, grouped, quoted};

impl Grammar {
    /// The grammar as GBNF. The rule of whole texts is called `root`.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_reply as reply; }
    /// use typed_prompty::reply::grammar::{CharacterClass, Expression, GrammarBuilder};
    ///
    /// let mut builder = GrammarBuilder::new();
    /// let digits = Expression::from(CharacterClass::range('0', '9')).repeated(1, Some(3));
    /// let answer = builder.rule("answer", Expression::sequence(["say \"".into(), digits]));
    /// assert_eq!(
    ///     builder.build(answer)?.to_gbnf(),
    ///     "root ::= answer\nanswer ::= \"say \\\"\" [0-9]{1,3}\n",
    /// );
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    pub fn to_gbnf(&self) -> String {
        let lowered = lower::lower(self);
        let mut gbnf = format!("root ::= {}\n", lowered.name(lowered.root));
        for (_, rule) in lowered.rules() {
            gbnf.push_str(rule.name());
            gbnf.push_str(" ::= ");
            Gbnf(&lowered).expression(rule.expression(), Around::Nothing, &mut gbnf);
            gbnf.push('\n');
        }
        gbnf
    }
}

/// GBNF with the rules of a grammar.
struct Gbnf<'g>(&'g Grammar);

impl Notation for Gbnf<'_> {
    fn atom(&mut self, atom: &Expression, around: Around, out: &mut String) {
        match atom {
            Expression::Text(text) => {
                // So that no one has to know what a repetition behind a text is of.
                let several = around == Around::Repeat && text.chars().nth(1).is_some();
                grouped(several, out, |out| quoted(text, out, common));
            }
            Expression::Class(class) => class_text(class, out),
            Expression::Rule(id) => out.push_str(self.0.name(*id)),
            // Lowering has turned free text into rules.
            _ => {}
        }
    }
}

fn class_text(class: &CharacterClass, out: &mut String) {
    let others = class.negated();
    let reaches_last = class.ranges().last().is_some_and(|&(_, last)| last == char::MAX);
    // A class that reaches the last character is written negated if it excludes only ASCII: some
    // readers ignore other characters there. Any character is not written as `.`: some readers do
    // not know it.
    let is_negated = reaches_last
        && !others.is_empty()
        && others.ranges().iter().all(|(_, last)| last.is_ascii());
    out.push_str(if is_negated { "[^" } else { "[" });
    let shown = if is_negated { &others } else { class };
    for &(first, last) in shown.ranges() {
        in_class(first, out);
        if first != last {
            out.push('-');
            in_class(last, out);
        }
    }
    out.push(']');
}

fn in_class(character: char, out: &mut String) {
    match character {
        '[' => out.push_str("\\["),
        ']' => out.push_str("\\]"),
        '\\' => out.push_str("\\\\"),
        // What else has a meaning in a class, and what could not be told apart by eye.
        '-' | '^' => escape(character, out),
        _ if !character.is_ascii() => escape(character, out),
        _ => common(character, out),
    }
}

/// A character without a meaning of its own.
fn common(character: char, out: &mut String) {
    match character {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        ' '..='~' => out.push(character),
        _ if character.is_alphanumeric() => out.push(character),
        _ => escape(character, out),
    }
}

fn escape(character: char, out: &mut String) {
    let code = u32::from(character);
    // Not `\x`: behind that, some readers take all the hexadecimal digits that follow.
    // Writing into a string does not fail.
    let _ = match code {
        0..=0xffff => write!(out, "\\u{code:04X}"),
        _ => write!(out, "\\U{code:08X}"),
    };
}
