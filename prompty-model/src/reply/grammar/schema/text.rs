//! Texts: by length, by pattern, by format.

use super::basic::{Basic, quoted};
use super::compile::Compiler;
use super::facts::Facts;
use super::pattern::Pattern;
use crate::reply::grammar::Expression;
use prompty_core::error::Error;

/// Formats that a grammar can say, as patterns. A date is one of the calendar: the months have
/// their days, and years their leap days.
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

/// Whether a grammar can say a format.
pub(super) fn is_format(name: &str) -> bool {
    FORMATS.iter().any(|(known, _)| *known == name)
}

pub(super) fn expression<'s>(
    compiler: &mut Compiler<'_, 's>,
    facts: &Facts<'s>,
) -> Result<Expression, Error> {
    let mut shape: Option<Pattern> = None;
    for (node, format) in &facts.formats {
        match (&shape, of_format(format)) {
            (None, Some(pattern)) => shape = Some(pattern),
            (Some(known), Some(pattern)) if *known == pattern => {}
            _ => compiler.cannot_say(node, "format", "another format or pattern holds, too")?,
        }
    }
    for (node, text) in &facts.patterns {
        match (&shape, Pattern::read(text)) {
            (None, Ok(pattern)) => shape = Some(pattern),
            (Some(known), Ok(pattern)) if *known == pattern => {}
            (Some(_), Ok(_)) => {
                compiler.cannot_say(node, "pattern", "another format or pattern holds, too")?;
            }
            (_, Err(why)) => {
                compiler.cannot_say(node, "pattern", &format!("`{text}` has {why}"))?;
            }
        }
    }
    let length = facts.length;
    let Some(shape) = shape else {
        if length.is_none() {
            return Ok(Basic::Text.of(compiler.builder));
        }
        if length.at_most.is_some_and(|most| most < length.least()) {
            return Ok(Expression::NOTHING);
        }
        let character = Basic::Character.of(compiler.builder);
        return Ok(quoted(character.repeated(length.least(), length.at_most)));
    };
    let (shortest, longest) = shape.lengths();
    for (node, keyword) in &facts.lengths {
        let is_implied = match *keyword {
            "minLength" => shortest >= length.least().into(),
            _ => longest.zip(length.at_most).is_some_and(|(longest, most)| longest <= most.into()),
        };
        if !is_implied {
            compiler.cannot_say(node, keyword, "a pattern or format holds, too")?;
        }
    }
    Ok(quoted(shape.expression()))
}

fn of_format(name: &str) -> Option<Pattern> {
    let read = |pattern: &str| Pattern::read(pattern).ok();
    match name {
        "date-time" => {
            let between = Pattern::read("^T$").ok()?;
            Some(Pattern::Sequence(vec![read(DATE)?, between, read(TIME)?]))
        }
        _ => read(FORMATS.iter().find(|(known, _)| *known == name)?.1),
    }
}
