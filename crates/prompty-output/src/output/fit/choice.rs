//! Converts values into one of the listed values of `enum` and `const`.

use prompty_core::schema::Keywords;
use prompty_core::value::Value;

use super::{FitResult, Fitter, Leniency, is_scalar, names};
use crate::output::repair::RepairKind;

/// One of the listed values.
struct Choice<'schema> {
    value: &'schema Value,
    alias: Option<&'schema str>,
    description: Option<&'schema str>,
}

impl Fitter {
    pub(super) fn fit_choice(
        &mut self,
        value: &Value,
        choices: &[Value],
        keywords: Keywords<'_>,
    ) -> FitResult {
        if let Some(found) = choices.iter().find(|it| is_same(it, value)) {
            return Ok(found.clone());
        }
        let named = || choices.iter().map(|it| Choice::new(it, keywords)).collect::<Vec<_>>();
        let found = match (value, self.only_scalar(value)) {
            (Value::String(text), _) => self.find_by_text(text, &named()),
            (_, Some((kind, inner))) => {
                self.record_repair(kind, 4);
                return self.fit_choice(inner, choices, keywords);
            }
            (Value::Bool(_) | Value::Integer(_) | Value::Float(_), _)
                if self.allows(Leniency::Generous) =>
            {
                self.find_by_text(&value.to_json(), &named())
            }
            _ => None,
        };
        match found {
            Some(found) => Ok(found),
            None => {
                let known: Vec<String> = choices.iter().map(Value::to_json).collect();
                self.misfit(format!("one of {}", known.join(", ")), value)
            }
        }
    }

    /// The first item of an array or the only value of an object, if it is a scalar, and the repair
    /// for using it.
    fn only_scalar<'value>(&self, value: &'value Value) -> Option<(RepairKind, &'value Value)> {
        let (kind, inner) = match value {
            Value::Array(items) => (RepairKind::ListForOne, items.first()?),
            Value::Object(map) if map.len() == 1 => {
                (RepairKind::ObjectForOne, map.values().next()?)
            }
            _ => return None,
        };
        (self.allows(Leniency::Generous) && is_scalar(inner)).then_some((kind, inner))
    }

    /// Finds the choice that a text means: by its alias, by another spelling, without accents, by
    /// its description, and last by a sentence that names it.
    fn find_by_text(&mut self, text: &str, choices: &[Choice<'_>]) -> Option<Value> {
        let text = text.trim();
        if let Some(found) = only(choices, |it| it.alias == Some(text)) {
            return Some(found);
        }
        if !self.allows(Leniency::Plain) {
            return None;
        }
        let unquoted = text.trim_matches(['"', '\'', '`', '*', '.', ' ']);
        let folded = names::folded(unquoted);
        let by_spelling = only(choices, |it| it.names().any(|name| names::folded(name) == folded));
        if by_spelling.is_some() {
            self.record_repair(RepairKind::ChoiceSpelling, 2);
            return by_spelling;
        }
        if !self.allows(Leniency::Generous) {
            return None;
        }
        let plain = names::plain(text);
        let by_accents = only(choices, |it| it.names().any(|name| names::plain(name) == plain));
        if by_accents.is_some() {
            self.record_repair(RepairKind::ChoiceSpelling, 3);
            return by_accents;
        }
        let by_description =
            only(choices, |it| it.description.is_some_and(|it| names::plain(it) == plain));
        let found = by_description.or_else(|| named_in_sentence(&plain, choices));
        if found.is_some() {
            self.record_repair(RepairKind::ChoiceInText, 4);
        }
        found
    }
}

impl<'schema> Choice<'schema> {
    fn new(value: &'schema Value, keywords: Keywords<'schema>) -> Self {
        // These keywords contain an object with an entry for each choice.
        let entry = |keyword: &str| keywords.map().get(keyword)?.get(value.as_str()?)?.as_str();
        Self { value, alias: entry("x-aliases"), description: entry("x-descriptions") }
    }

    fn names(&self) -> impl Iterator<Item = &'schema str> {
        self.value.as_str().into_iter().chain(self.alias)
    }
}

/// The value of the only choice that meets a condition.
fn only(choices: &[Choice<'_>], condition: impl Fn(&Choice<'_>) -> bool) -> Option<Value> {
    let mut found = choices.iter().filter(|it| condition(it));
    let first = found.next()?;
    found.next().is_none().then(|| first.value.clone())
}

/// The choice that a sentence names more often than any other. If a sentence negates a choice, none
/// is returned.
fn named_in_sentence(sentence: &str, choices: &[Choice<'_>]) -> Option<Value> {
    let count = |choice: &Choice<'_>| -> Option<usize> {
        let names: Vec<String> = choice.names().map(names::plain).collect();
        let is_negated = names.iter().any(|it| names::negates(sentence, it));
        (!is_negated).then(|| names.iter().map(|it| names::count(sentence, it)).max().unwrap_or(0))
    };
    let counts: Vec<usize> = choices.iter().map(count).collect::<Option<_>>()?;
    let most = counts.iter().copied().max().filter(|most| *most > 0)?;
    let mut found = choices.iter().zip(&counts).filter(|(_, count)| **count == most);
    let (first, _) = found.next()?;
    found.next().is_none().then(|| first.value.clone())
}

/// Whether two values are equal; numbers are compared by their value.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Integer(_) | Value::Float(_), Value::Integer(_) | Value::Float(_)) => {
            one.as_f64() == other.as_f64()
        }
        _ => one == other,
    }
}
