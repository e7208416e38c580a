//! The formats of strings that a grammar can express.

use super::basic::quoted;
use super::pattern::Pattern;
use crate::grammar::{GrammarBuilder, Result, RuleId, budget};

/// The steps of reading the pattern of a format and building its expression.
pub(super) const STEPS: usize = 1000 * budget::PER_PATTERN_PART;

/// The formats that a grammar can express, as patterns. Dates are checked against the calendar: the
/// lengths of months and leap years.
const FORMATS: [(&str, &str); 4] = [
    ("date", DATE),
    ("time", TIME),
    // Built from the other two; see `pattern`.
    ("date-time", ""),
    ("uuid", "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"),
];

const DATE: &str = concat!(
    "^(?:[0-9]{4}-(?:",
    // Months of 31 days, months of 30 days, and February.
    "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|",
    "(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|",
    "02-(?:0[1-9]|1[0-9]|2[0-8]))|",
    // The 29th of February in leap years.
    "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)$",
);

const TIME: &str = concat!(
    "^(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{3})?",
    "(?:Z|[+\\-](?:[01][0-9]|2[0-3]):[0-5][0-9])$",
);

/// Whether a grammar can express a format.
pub(super) fn is_known(name: &str) -> bool {
    FORMATS.iter().any(|(known, _)| *known == name)
}

/// Returns the rule of strings in a format. All schemas of a grammar share it.
pub(super) fn rule(builder: &mut GrammarBuilder, name: &str) -> Result<Option<RuleId>> {
    let Some((name, _)) = FORMATS.iter().find(|(known, _)| *known == name) else {
        return Ok(None);
    };
    if let Some(&known) = builder.basics.get(name) {
        return Ok(Some(known));
    }
    builder.budget.spend(STEPS)?;
    let Some(pattern) = pattern(name) else { return Ok(None) };
    let rule = builder.rule(name, quoted(pattern.expression()));
    builder.basics.insert(name, rule);
    Ok(Some(rule))
}

/// The pattern of a format.
pub(super) fn pattern(name: &str) -> Option<Pattern> {
    let read = |pattern: &str| Pattern::read(pattern).ok();
    match name {
        "date-time" => {
            let between = Pattern::read("^T$").ok()?;
            Some(Pattern::Sequence(vec![read(DATE)?, between, read(TIME)?]))
        }
        _ => read(FORMATS.iter().find(|(known, _)| *known == name)?.1),
    }
}
