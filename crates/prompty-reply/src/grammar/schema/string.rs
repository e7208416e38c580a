//! Strings by their length, pattern and format.

use super::basic::{BasicRule, quoted};
use super::compiler::Compiler;
use super::constraints::Constraints;
use super::format;
use super::pattern::Pattern;
use crate::grammar::{Expression, Result, budget};

/// The reason why a format or a pattern is unsupported.
const COMBINED: &str = "it is combined with another format or pattern";

/// The expression of strings that match the constraints.
pub(super) fn expression<'s>(
    compiler: &mut Compiler<'_, 's>,
    constraints: &Constraints<'s>,
) -> Result<Expression> {
    if let Some((_, name)) = constraints.formats.first()
        && constraints.formats.iter().all(|(_, other)| other == name)
        && constraints.patterns.is_empty()
        && constraints.lengths.is_empty()
        && let Some(rule) = format::rule(compiler.builder, name)?
    {
        return Ok(rule.into());
    }
    // The pattern of the strings. Several formats or patterns must be the same one.
    let mut shape: Option<Pattern> = None;
    let mut holds_with_others =
        |pattern: Pattern| *shape.get_or_insert_with(|| pattern.clone()) == pattern;
    for (schema, name) in &constraints.formats {
        compiler.spend(schema, format::STEPS)?;
        if !format::pattern(name).is_some_and(&mut holds_with_others) {
            compiler.check_unsupported(schema, "format", COMBINED)?;
        }
    }
    for (schema, text) in &constraints.patterns {
        compiler.spend(schema, text.len())?;
        match Pattern::read(text) {
            Ok(pattern) => {
                compiler.spend(schema, pattern.size().saturating_mul(budget::PER_PATTERN_PART))?;
                if !holds_with_others(pattern) {
                    compiler.check_unsupported(schema, "pattern", COMBINED)?;
                }
            }
            Err(why) => {
                compiler.check_unsupported(schema, "pattern", &format!("`{text}` has {why}"))?;
            }
        }
    }
    let length = constraints.length;
    let Some(shape) = shape else {
        if length.is_none() {
            return Ok(BasicRule::Text.reference(compiler.builder));
        }
        if length.at_most.is_some_and(|most| most < length.least()) {
            return Ok(Expression::NOTHING);
        }
        let character = BasicRule::Character.reference(compiler.builder);
        return Ok(quoted(character.repeated(length.least(), length.at_most)));
    };
    let (shortest, longest) = shape.lengths();
    for (schema, keyword) in &constraints.lengths {
        let is_implied = match *keyword {
            "minLength" => shortest >= length.least().into(),
            _ => longest.zip(length.at_most).is_some_and(|(longest, most)| longest <= most.into()),
        };
        if !is_implied {
            let why = "it is combined with a pattern or format";
            compiler.check_unsupported(schema, keyword, why)?;
        }
    }
    Ok(quoted(shape.expression()))
}
