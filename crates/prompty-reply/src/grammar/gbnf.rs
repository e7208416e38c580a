//! GBNF, the form that llama.cpp's samplers accept.

use std::fmt::Write;

use super::CharacterClass;
use super::expression::{Expression, Grammar};
use super::lower;
use super::notation::{ExpressionContext, GrammarNotation, grouped, quoted};

impl Grammar {
    /// Writes the grammar as GBNF. The rule of complete texts is called `root`.
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
            GbnfWriter(&lowered).expression(
                &rule.expression,
                ExpressionContext::Nothing,
                &mut gbnf,
            );
            gbnf.push('\n');
        }
        gbnf
    }
}

/// A GBNF writer with the rules of a grammar.
struct GbnfWriter<'g>(&'g Grammar);

impl GrammarNotation for GbnfWriter<'_> {
    fn atom(&mut self, atom: &Expression, context: ExpressionContext, out: &mut String) {
        match atom {
            Expression::Text(text) => {
                // Parentheses show that the repetition applies to the complete text.
                let has_several =
                    context == ExpressionContext::Repeat && text.chars().nth(1).is_some();
                grouped(has_several, out, |out| quoted(text, out, plain_character));
            }
            Expression::Class(class) => class_text(class, out),
            Expression::Rule(id) => out.push_str(self.0.name(*id)),
            // Lowering has replaced free text by rules.
            _ => {}
        }
    }
}

fn class_text(class: &CharacterClass, out: &mut String) {
    let others = class.negated();
    let reaches_last = class.ranges().last().is_some_and(|&(_, last)| last == char::MAX);
    // A class that reaches the last character is written negated if it excludes only ASCII: some
    // parsers ignore other characters there. The class of all characters is not written as `.`:
    // some parsers do not know it.
    let is_negated = reaches_last
        && !others.is_empty()
        && others.ranges().iter().all(|(_, last)| last.is_ascii());
    out.push_str(if is_negated { "[^" } else { "[" });
    let written_class = if is_negated { &others } else { class };
    for &(first, last) in written_class.ranges() {
        class_character(first, out);
        if first != last {
            out.push('-');
            class_character(last, out);
        }
    }
    out.push(']');
}

fn class_character(character: char, out: &mut String) {
    match character {
        '[' => out.push_str("\\["),
        ']' => out.push_str("\\]"),
        '\\' => out.push_str("\\\\"),
        // Characters with a special meaning in a class, and characters that look alike.
        '-' | '^' => escape(character, out),
        _ if !character.is_ascii() => escape(character, out),
        _ => plain_character(character, out),
    }
}

/// Writes a character without a special meaning.
fn plain_character(character: char, out: &mut String) {
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
    // `\x` is avoided: some parsers read all hexadecimal digits after it. Writing into a string
    // does not fail.
    let _ = match code {
        0..=0xffff => write!(out, "\\u{code:04X}"),
        _ => write!(out, "\\U{code:08X}"),
    };
}
