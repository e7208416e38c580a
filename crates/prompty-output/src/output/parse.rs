//! Finds the value of a schema in a reply: chooses among several values, and checks that the value
//! fits.

use prompty_core::schema::Kinds;
use prompty_core::value::Value;

use super::fit::{FitError, FitTarget, FittedValue, Fitter, Leniency, fit};
use super::known_paths;
use super::path::Path;
use super::reader::{self, FoundValue};
use super::repair::{Repair, RepairKind};
use super::written_form::{InnerForms, WrittenValue};

/// A value that was read from a reply.
#[derive(Debug, Clone)]
pub(super) struct ReadValue {
    pub(super) value: Value,
    pub(super) repairs: Vec<Repair>,
    pub(super) truncated: bool,
}

/// The reason why a reply gives no value.
#[derive(Debug, Clone)]
pub(super) enum ReadFailure {
    /// It contains no value.
    Nothing,
    /// It contains only damaged values, and repairs are not allowed.
    Damaged(Repair),
    /// Its value does not fit.
    Misfit {
        misfit: FitError,
        /// The value as far as it was received, if the reply ended inside of it.
        partial: Option<Value>,
    },
}

impl ReadFailure {
    /// The failure of a complete value.
    pub(super) const fn of_complete_value(misfit: FitError) -> Self {
        Self::Misfit { misfit, partial: None }
    }
}

/// The result of reading a reply.
pub(super) type ReadResult = Result<ReadValue, ReadFailure>;

/// Reads the value of a schema.
///
/// If a reply contains several values, the first one is chosen if it fits and only a fence precedes
/// it. Otherwise the value with the most paths that the schema names is chosen, and the first of
/// equal ones, because a stream has already reported that one. If no value has any, the last one is
/// chosen.
pub(super) fn read(text: &str, target: FitTarget<'_>) -> ReadResult {
    let FitTarget { schema, leniency } = target;
    let kinds = schema.kinds_at(&[]);
    let containers = Kinds::OBJECT.union(Kinds::ARRAY);
    let scalars = Kinds::STRING.union(Kinds::NUMBER).union(Kinds::BOOLEAN).union(Kinds::NULL);
    if !kinds.intersects(containers) {
        return read_scalar_or_candidate(text, target);
    }
    // Brackets inside of quotes are part of the string.
    let is_quoted = kinds.intersects(scalars) && reader::plain_text(text).starts_with('"');
    if is_quoted && let Ok(read) = read_scalar(text, target) {
        return Ok(read);
    }
    let candidates = reader::find_values(text);
    if let Some(ObjectList { items, mut fitted, .. }) = objects_as_list(&candidates, target) {
        fitted.repairs.push(Repair::of_value(RepairKind::SeveralForList, Path::default()));
        return Ok(combine(items, fitted));
    }
    let unread = match choose_value(&candidates, target) {
        Err(unread) => unread,
        read => return read,
    };
    // A reply in quotes was already tried as a scalar.
    let may_be_scalar =
        kinds.intersects(scalars) || (candidates.is_empty() && leniency == Leniency::Generous);
    if may_be_scalar
        && !is_quoted
        && let Ok(read) = read_scalar(text, target)
    {
        return Ok(read);
    }
    let damaged = candidates.iter().find_map(|it| it.repairs.first().cloned());
    Err(match (unread, damaged.filter(|_| leniency == Leniency::Exact)) {
        (ReadFailure::Nothing, Some(repair)) => ReadFailure::Damaged(repair),
        (unread, _) => unread,
    })
}

/// Several objects that are the items of one array.
pub(super) struct ObjectList<'found> {
    pub(super) items: &'found [FoundValue],
    /// The array, as the model wrote its items.
    pub(super) value: Value,
    fitted: FittedValue,
}

/// Reads several objects as the items of an array, if the schema and the leniency allow it.
pub(super) fn objects_as_list<'found>(
    candidates: &'found [FoundValue],
    target: FitTarget<'_>,
) -> Option<ObjectList<'found>> {
    let kinds = target.schema.kinds_at(&[]);
    let (_, items) = split_at_reasoning(candidates);
    let is_object = |it: &FoundValue| matches!(it.value, Value::Object(_));
    let is_list = target.leniency == Leniency::Generous
        && kinds.intersects(Kinds::ARRAY)
        && !kinds.intersects(Kinds::OBJECT)
        && items.len() > 1
        && items.iter().all(is_object);
    if !is_list {
        return None;
    }
    let value = Value::from(items.iter().map(|it| it.value.clone()).collect::<Vec<_>>());
    let mut forms = InnerForms::default();
    for (position, found) in items.iter().enumerate() {
        forms.put(position, found.form.clone());
    }
    let fitted = fit(WrittenValue::new(&value, &forms.finish()), target).ok()?;
    Some(ObjectList { items, value, fitted })
}

/// Chooses a candidate and reads it.
fn choose_value(candidates: &[FoundValue], target: FitTarget<'_>) -> ReadResult {
    let (index, fitted) = choose(candidates, target)?;
    Ok(combine(candidates.get(index..=index).unwrap_or_default(), fitted))
}

/// Chooses a candidate and returns its index.
pub(super) fn choose_index(candidates: &[FoundValue], target: FitTarget<'_>) -> Option<usize> {
    choose(candidates, target).ok().map(|(index, _)| index)
}

/// The index of the chosen candidate, and its value.
type ChoiceResult = Result<(usize, FittedValue), ReadFailure>;

/// Splits the candidates into those inside of reasoning (see [`FoundValue::is_reasoning`]) and
/// those after it. If there are any after it, one of them is chosen.
fn split_at_reasoning(candidates: &[FoundValue]) -> (&[FoundValue], &[FoundValue]) {
    candidates.split_at(candidates.partition_point(|it| it.is_reasoning))
}

/// Chooses one of the values after reasoning or, if there are none, of those inside of it. Returns
/// its index.
fn choose(candidates: &[FoundValue], target: FitTarget<'_>) -> ChoiceResult {
    let (thoughts, answers) = split_at_reasoning(candidates);
    if answers.is_empty() {
        return choose_best(thoughts, target);
    }
    let (index, fitted) = choose_best(answers, target)?;
    Ok((thoughts.len() + index, fitted))
}

/// Chooses the value with the most paths that the schema names. The error is that of the first
/// value that does not fit.
fn choose_best(candidates: &[FoundValue], target: FitTarget<'_>) -> ChoiceResult {
    // The number of paths, the index and the value.
    let mut best: Option<(usize, usize, FittedValue)> = None;
    let mut unread = None;
    let mut fitter = Fitter::new(target);
    for (index, found) in candidates.iter().enumerate() {
        if target.leniency == Leniency::Exact && found.is_damaged() {
            continue;
        }
        fitter.needs_error = best.is_none() && unread.is_none();
        match fitter.fit(found.written()) {
            Ok(fitted) => {
                let paths = known_paths::count(&fitted.value, target.schema);
                // An answer follows its explanation, so the last of several values without known
                // keys is chosen.
                let is_better = |most: usize| paths > most || (paths == 0 && most == 0);
                if best.as_ref().is_none_or(|(most, ..)| is_better(*most)) {
                    best = Some((paths, index, fitted));
                }
                if found.is_leading {
                    break;
                }
            }
            Err(misfit) if unread.is_none() => {
                let misfit = misfit.into_error();
                let partial = found.truncated.then(|| found.value.clone());
                unread = Some(ReadFailure::Misfit { misfit, partial });
            }
            Err(_) => {}
        }
    }
    let best = best.map(|(_, index, fitted)| (index, fitted));
    best.ok_or(unread.unwrap_or(ReadFailure::Nothing))
}

/// Adds the repairs of the text to those of the value.
fn combine(found: &[FoundValue], fitted: FittedValue) -> ReadValue {
    let mut repairs: Vec<Repair> = found.iter().flat_map(|it| it.repairs.clone()).collect();
    repairs.extend(fitted.repairs);
    ReadValue { value: fitted.value, repairs, truncated: found.iter().any(|it| it.truncated) }
}

/// Reads the complete reply as a scalar, or generously converts a value in it.
fn read_scalar_or_candidate(reply: &str, target: FitTarget<'_>) -> ReadResult {
    let scalar = read_scalar(reply, target);
    if target.leniency < Leniency::Generous || !matches!(scalar, Err(ReadFailure::Misfit { .. })) {
        return scalar;
    }
    choose_value(&reader::find_values(reply), target).or(scalar)
}

/// Reads the complete reply as a scalar: a string unchanged, else a number or word as JSON, else
/// the text.
fn read_scalar(reply: &str, target: FitTarget<'_>) -> ReadResult {
    let FitTarget { schema, leniency } = target;
    let plain = reader::plain_text(reply);
    if plain.is_empty() {
        return Err(ReadFailure::Nothing);
    }
    let text = Value::from(plain);
    let is_text = |it: &Value| matches!(it, Value::String(_));
    // A string is not changed, since its quotes may be part of it.
    if schema.kinds_at(&[]) == Kinds::STRING
        && let Ok(fitted) = fit(&text, FitTarget { leniency: Leniency::Exact, ..target })
        && is_text(&fitted.value)
    {
        return Ok(combine(&[], fitted));
    }
    let found = reader::find_single_scalar(reply)
        .filter(|it| leniency > Leniency::Exact || !it.is_damaged());
    let of_scalar = match found.as_ref().map(|it| (it, fit(it.written(), target))) {
        Some((_, Ok(fitted))) => return Ok(combine(found.as_slice(), fitted)),
        Some((found, Err(misfit))) => {
            let partial = found.truncated.then(|| found.value.clone());
            Some(ReadFailure::Misfit { misfit, partial })
        }
        None => None,
    };
    match fit(&text, target) {
        Ok(fitted) => Ok(combine(&[], fitted)),
        Err(misfit) => Err(of_scalar.unwrap_or(ReadFailure::of_complete_value(misfit))),
    }
}
