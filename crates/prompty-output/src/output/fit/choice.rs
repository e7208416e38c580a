//! Converts values into one of the listed values of `enum` and `const`.

use prompty_core::schema::Keywords;
use prompty_core::value::Value;

use super::{FitResult, Fitter, Leniency, is_scalar, names};
use crate::output::repair::RepairKind;

/// A choice and its names.
struct Choice<'schema> {
    value: &'schema Value,
    names: Vec<&'schema str>,
    description: Option<&'schema str>,
}

impl Fitter {
    pub(super) fn choice(
        &mut self,
        value: &Value,
        choices: &[Value],
        keywords: Keywords<'_>,
    ) -> FitResult {
        if let Some(found) = choices.iter().find(|it| is_same(it, value)) {
            return Ok(found.clone());
        }
        let names: Vec<Choice<'_>> = choices.iter().map(|it| Choice::new(it, keywords)).collect();
        let found = match (value, self.inner(value)) {
            (Value::String(text), _) => self.by_text(text, &names),
            (_, Some((kind, inner))) => {
                self.repair(kind, 4);
                return self.choice(inner, choices, keywords);
            }
            (Value::Bool(_) | Value::Integer(_) | Value::Float(_), _)
                if self.allows(Leniency::Generous) =>
            {
                self.by_text(&value.to_json(), &names)
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

    /// The only scalar in an array or an object, and the repair for using it.
    fn inner<'value>(&self, value: &'value Value) -> Option<(RepairKind, &'value Value)> {
        let (kind, inner) = match value {
            Value::Array(items) => (RepairKind::ListForOne, items.first()?),
            Value::Object(map) if map.len() == 1 => {
                (RepairKind::ObjectForOne, map.values().next()?)
            }
            _ => return None,
        };
        (self.allows(Leniency::Generous) && is_scalar(inner)).then_some((kind, inner))
    }

    fn by_text(&mut self, text: &str, choices: &[Choice<'_>]) -> Option<Value> {
        let text = text.trim();
        let has =
            |choice: &Choice<'_>, is: &dyn Fn(&str) -> bool| choice.names.iter().any(|it| is(it));
        if let Some(found) = only(choices, |it| it.names.iter().skip(1).any(|name| *name == text)) {
            return Some(found);
        }
        if !self.allows(Leniency::Plain) {
            return None;
        }
        let unquoted = text.trim_matches(['"', '\'', '`', '*', '.', ' ']);
        let is_alike = |name: &str| names::folded(name) == names::folded(unquoted);
        let by_spelling = only(choices, |it| has(it, &is_alike));
        if by_spelling.is_some() {
            self.repair(RepairKind::ChoiceSpelling, 2);
            return by_spelling;
        }
        if !self.allows(Leniency::Generous) {
            return None;
        }
        let plain = names::plain(text);
        let by_accents = only(choices, |it| has(it, &|name| names::plain(name) == plain));
        if by_accents.is_some() {
            self.repair(RepairKind::ChoiceSpelling, 3);
            return by_accents;
        }
        let by_description =
            only(choices, |it| it.description.is_some_and(|it| names::plain(it) == plain));
        let found = by_description.or_else(|| in_sentence(&plain, choices));
        if found.is_some() {
            self.repair(RepairKind::ChoiceInText, 4);
        }
        found
    }
}

impl<'schema> Choice<'schema> {
    fn new(value: &'schema Value, keywords: Keywords<'schema>) -> Self {
        let text = value.as_str();
        let of = |keyword: &str| keywords.map().get(keyword)?.get(text?)?.as_str();
        let mut names: Vec<&str> = text.into_iter().collect();
        names.extend(of("x-aliases"));
        Self { value, names, description: of("x-descriptions") }
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
fn in_sentence(sentence: &str, choices: &[Choice<'_>]) -> Option<Value> {
    let count = |choice: &Choice<'_>| -> Option<usize> {
        let names: Vec<String> = choice.names.iter().map(|it| names::plain(it)).collect();
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
