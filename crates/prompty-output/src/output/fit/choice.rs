//! Converts values into one of the listed values of `enum` and `const`.

use prompty_core::schema::Keywords;
use prompty_core::value::Value;

use super::{FitResult, Fitter, Leniency, is_scalar, names};
use crate::output::repair::RepairKind;
use crate::output::written_form::WrittenValue;

/// One of the listed values.
struct Choice<'schema> {
    value: &'schema Value,
    alias: Option<&'schema str>,
    description: Option<&'schema str>,
}

impl Fitter<'_> {
    pub(super) fn fit_choice(
        &mut self,
        source: WrittenValue<'_>,
        choices: &[Value],
        keywords: Keywords<'_>,
    ) -> FitResult {
        let value = source.value;
        // A number that is equal only after rounding is another number: with the choice 1.0, this
        // is `1.00000000000000000001`.
        if let Some(found) = choices.iter().find(|it| *it == value && !source.is_rounded()) {
            self.record_rounding(source);
            return Ok(found.clone());
        }
        // The choices with their other names, which are read only if they are needed.
        let named = || choices.iter().map(|it| Choice::new(it, keywords)).collect::<Vec<_>>();
        let found = match (value, self.only_scalar(source)) {
            (Value::String(text), _) => self.find_by_text(text, &named()),
            (_, Some((kind, inner))) => {
                self.record_repair(kind, 4);
                return self.fit_choice(inner, choices, keywords);
            }
            (Value::Bool(_) | Value::Integer(_) | Value::Float(_), _)
                if self.allows(Leniency::Generous)
                    && let Some(text) = source.word() =>
            {
                self.find_by_word(source, &text, &named())
            }
            _ => None,
        };
        match found {
            Some(found) => Ok(found),
            None => {
                let known = || choices.iter().map(Value::to_json).collect::<Vec<_>>();
                self.misfit(value, || format!("one of {}", known().join(", ")))
            }
        }
    }

    /// The first item of an array or the only value of an object, if it is a scalar, and the repair
    /// for using it.
    fn only_scalar<'value>(
        &self,
        source: WrittenValue<'value>,
    ) -> Option<(RepairKind, WrittenValue<'value>)> {
        let (kind, inner) = match source.value {
            Value::Array(_) => (RepairKind::ListForOne, source.items().next()?),
            Value::Object(map) if map.len() == 1 => {
                (RepairKind::ObjectForOne, source.entries().next()?.1)
            }
            _ => return None,
        };
        (self.allows(Leniency::Generous) && is_scalar(inner.value)).then_some((kind, inner))
    }

    /// Finds the choice whose name the model wrote as a number or a boolean: `1.10` for the choice
    /// `"1.10"`.
    fn find_by_word(
        &mut self,
        source: WrittenValue<'_>,
        word: &str,
        choices: &[Choice<'_>],
    ) -> Option<Value> {
        let found = self.find_by_text(word, choices)?;
        self.depends_on_words |= !source.has_form();
        self.record_repair(RepairKind::TextOfScalar, 1);
        Some(found)
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
        // The text may be the name itself, or the name in quotes or as a sentence. The spelling
        // without accents is the last, because it counts only generously.
        let unquoted = names::without_quotes(text);
        let is_generous = self.allows(Leniency::Generous);
        let spellings: [(names::Fold, usize); 2] =
            [(names::folded, 2), (names::folded_without_accents, 3)];
        for (fold, cost) in spellings.into_iter().take(1 + usize::from(is_generous)) {
            for folded in [fold(text), fold(unquoted)] {
                let is_named = |it: &Choice<'_>| it.names().any(|name| fold(name) == folded);
                if choices.iter().any(is_named) {
                    let found = only(choices, is_named)?;
                    self.record_repair(RepairKind::ChoiceSpelling, cost);
                    return Some(found);
                }
            }
        }
        if !is_generous {
            return None;
        }
        let bare = names::plain(unquoted);
        let by_description = only(choices, |it| {
            it.description.is_some_and(|it| names::plain(names::without_quotes(it)) == bare)
        });
        let found = by_description.or_else(|| named_in_sentence(&names::plain(text), choices));
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
