//! Texts by their length, pattern and format.

use super::basic::{Basic, quoted};
use super::compiler::Compiler;
use super::constraints::Constraints;
use super::pattern::Pattern;
use crate::reply::grammar::Expression;
use prompty_core::error::Error;

/// Formats that a grammar can express, as patterns. Dates are checked against the calendar: the
/// lengths of months and leap years.
const FORMATS: [(&str, &str); 4] = [
    ("date", DATE),
    ("time", TIME),
    ("date-time", ""),
    ("uuid", "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"),
];

const DATE: &str = concat!(
    "^(?:[0-9]{4}-(?:",
    "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|",
    "(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|",
    "02-(?:0[1-9]|1[0-9]|2[0-8]))|",
    "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)$",
);

const TIME: &str = concat!(
    "^(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{3})?",
    "(?:Z|[+\\-](?:[01][0-9]|2[0-3]):[0-5][0-9])$",
);

/// Whether a grammar can express a format.
pub(super) fn is_format(name: &str) -> bool {
    FORMATS.iter().any(|(known, _)| *known == name)
}

pub(super) fn expression<'s>(
    compiler: &mut Compiler<'_, 's>,
    constraints: &Constraints<'s>,
) -> Result<Expression, Error> {
    let mut shape: Option<Pattern> = None;
    for (schema, format) in &constraints.formats {
        match (&shape, pattern_of_format(format)) {
            (None, Some(pattern)) => shape = Some(pattern),
            (Some(known), Some(pattern)) if *known == pattern => {}
            _ => compiler.cannot_say(schema, "format", "another format or pattern holds, too")?,
        }
    }
    for (schema, text) in &constraints.patterns {
        compiler.spend_on_text(schema, text)?;
        match (&shape, Pattern::read(text)) {
            (None, Ok(pattern)) => shape = Some(pattern),
            (Some(known), Ok(pattern)) if *known == pattern => {}
            (Some(_), Ok(_)) => {
                compiler.cannot_say(schema, "pattern", "another format or pattern holds, too")?;
            }
            (_, Err(why)) => {
                compiler.cannot_say(schema, "pattern", &format!("`{text}` has {why}"))?;
            }
        }
    }
    let length = constraints.length;
    let Some(shape) = shape else {
        if length.is_none() {
            return Ok(Basic::Text.reference(compiler.builder));
        }
        if length.at_most.is_some_and(|most| most < length.least()) {
            return Ok(Expression::NOTHING);
        }
        let character = Basic::Character.reference(compiler.builder);
        return Ok(quoted(character.repeated(length.least(), length.at_most)));
    };
    let (shortest, longest) = shape.lengths();
    for (schema, keyword) in &constraints.lengths {
        let is_implied = match *keyword {
            "minLength" => shortest >= length.least().into(),
            _ => longest.zip(length.at_most).is_some_and(|(longest, most)| longest <= most.into()),
        };
        if !is_implied {
            compiler.cannot_say(schema, keyword, "a pattern or format holds, too")?;
        }
    }
    Ok(quoted(shape.expression()))
}

/// The pattern of a format.
fn pattern_of_format(name: &str) -> Option<Pattern> {
    let read = |pattern: &str| Pattern::read(pattern).ok();
    match name {
        "date-time" => {
            let between = Pattern::read("^T$").ok()?;
            Some(Pattern::Sequence(vec![read(DATE)?, between, read(TIME)?]))
        }
        _ => read(FORMATS.iter().find(|(known, _)| *known == name)?.1),
    }
}
