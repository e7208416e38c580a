//! The GBNF form, which llama.cpp's samplers take.

use std::fmt::Write;

use super::CharacterClass;
use super::expression::{Expression, Grammar};
use super::until;

/// The largest count that is written in braces; llama.cpp refuses larger ones from 2000 on.
const LARGEST_COUNT: u32 = 1000;

impl Grammar {
    /// The grammar as GBNF. The rule of whole texts is called `root`.
    ///
    /// ```
    /// use prompty_runtime::reply::grammar::{CharacterClass, Expression, GrammarBuilder};
    ///
    /// let mut builder = GrammarBuilder::new();
    /// let digits = Expression::from(CharacterClass::range('0', '9')).repeated(1, Some(3));
    /// let answer = builder.rule("answer", Expression::sequence(["say \"".into(), digits]));
    /// assert_eq!(
    ///     builder.build(answer)?.to_gbnf(),
    ///     "root ::= answer\nanswer ::= \"say \\\"\" [0-9]{1,3}\n",
    /// );
    /// # Ok::<(), prompty_runtime::Error>(())
    /// ```
    pub fn to_gbnf(&self) -> String {
        let plain = until::expanded(self);
        let mut gbnf = format!("root ::= {}\n", plain.name(plain.root));
        for (_, rule) in plain.rules() {
            gbnf.push_str(rule.name());
            gbnf.push_str(" ::= ");
            write(&plain, rule.expression(), Around::Nothing, &mut gbnf);
            gbnf.push('\n');
        }
        gbnf
    }
}

/// What an expression stands in, which says whether it needs parentheses.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Around {
    Nothing,
    Sequence,
    Repeat,
}

fn write(grammar: &Grammar, expression: &Expression, around: Around, out: &mut String) {
    match expression {
        Expression::Text(text) => {
            // A repetition behind a text is of its last character only.
            let several = around == Around::Repeat && text.chars().nth(1).is_some();
            parenthesised(several, out, |out| literal(text, out));
        }
        Expression::Class(class) => class_text(class, out),
        Expression::Rule(id) => out.push_str(grammar.name(*id)),
        Expression::Sequence(parts) if parts.is_empty() => out.push_str("\"\""),
        Expression::Sequence(parts) => parenthesised(around == Around::Repeat, out, |out| {
            for (at, part) in parts.iter().enumerate() {
                if at > 0 {
                    out.push(' ');
                }
                write(grammar, part, Around::Sequence, out);
            }
        }),
        Expression::Choice(parts) => parenthesised(around > Around::Nothing, out, |out| {
            for (at, part) in parts.iter().enumerate() {
                if at > 0 {
                    out.push_str(" | ");
                }
                write(grammar, part, Around::Sequence, out);
            }
        }),
        Expression::Repeat { of, at_least, at_most } => {
            let mut item = String::new();
            write(grammar, of, Around::Repeat, &mut item);
            let mut terms = Vec::new();
            repeated(&item, *at_least, *at_most, &mut terms);
            parenthesised(around == Around::Repeat || terms.len() > 1, out, |out| {
                out.push_str(&terms.join(" "));
            });
        }
        // There is none in a grammar that was expanded.
        Expression::Until(_) => {}
    }
}

fn parenthesised(needed: bool, out: &mut String, inner: impl FnOnce(&mut String)) {
    if needed {
        out.push('(');
    }
    inner(out);
    if needed {
        out.push(')');
    }
}

/// The terms that, one behind the other, are the item so often. Counts that llama.cpp would refuse
/// are made of blocks, so that there are never many ways to read the same text.
fn repeated(item: &str, at_least: u32, at_most: Option<u32>, terms: &mut Vec<String>) {
    if at_least > LARGEST_COUNT {
        let mut block = Vec::new();
        repeated(item, LARGEST_COUNT, Some(LARGEST_COUNT), &mut block);
        let blocks = at_least / LARGEST_COUNT;
        repeated(&format!("({})", block.join(" ")), blocks, Some(blocks), terms);
        let (done, rest) = (blocks * LARGEST_COUNT, at_least % LARGEST_COUNT);
        return repeated(item, rest, at_most.map(|at_most| at_most - done), terms);
    }
    match at_most {
        Some(at_most) if at_most > LARGEST_COUNT => {
            if at_least > 0 {
                repeated(item, at_least, Some(at_least), terms);
            }
            // All blocks and the rest behind them; or less blocks, and a part of one.
            let (blocks, rest) =
                ((at_most - at_least) / LARGEST_COUNT, (at_most - at_least) % LARGEST_COUNT);
            let Some(less) = blocks.checked_sub(1) else {
                return repeated(item, 0, Some(rest), terms);
            };
            let block = format!("({item}{{{LARGEST_COUNT}}})");
            let (mut full, mut part) = (Vec::new(), Vec::new());
            repeated(&block, blocks, Some(blocks), &mut full);
            repeated(item, 0, Some(rest), &mut full);
            repeated(&block, 0, Some(less), &mut part);
            repeated(item, 0, Some(LARGEST_COUNT - 1), &mut part);
            terms.push(format!("({} | {})", full.join(" "), part.join(" ")));
        }
        Some(0) => {}
        _ => {
            let mut term = item.to_owned();
            // Writing into a string does not fail.
            let _ = match (at_least, at_most) {
                (1, Some(1)) => Ok(()),
                (0, Some(1)) => write!(term, "?"),
                (0, None) => write!(term, "*"),
                (1, None) => write!(term, "+"),
                (at_least, Some(at_most)) if at_least == at_most => write!(term, "{{{at_least}}}"),
                (at_least, Some(at_most)) => write!(term, "{{{at_least},{at_most}}}"),
                (at_least, None) => write!(term, "{{{at_least},}}"),
            };
            terms.push(term);
        }
    }
}

fn literal(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            _ => common(character, out),
        }
    }
    out.push('"');
}

fn class_text(class: &CharacterClass, out: &mut String) {
    let others = class.negated();
    if others.is_empty() {
        return out.push('.');
    }
    // What reaches to the last character is shorter by what it lacks.
    let is_negated = class.ranges().last().is_some_and(|&(_, last)| last == char::MAX);
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
    // Writing into a string does not fail.
    let _ = match code {
        0..=0x7f => write!(out, "\\x{code:02X}"),
        0x80..=0xffff => write!(out, "\\u{code:04X}"),
        _ => write!(out, "\\U{code:08X}"),
    };
}
