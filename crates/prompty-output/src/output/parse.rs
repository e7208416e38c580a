//! From a reply to a value of a schema: which of the values in the reply is meant, and whether it fits.

use prompty_core::schema::{Kinds, Schema};
use prompty_core::value::Value;

use super::fit::{Fitted, Leniency, Misfit, fit};
use super::named;
use super::path::Path;
use super::reader::{self, Found};
use super::repair::{Repair, RepairKind};

/// A value out of a reply.
#[derive(Debug, Clone)]
pub(super) struct Read {
    pub(super) value: Value,
    pub(super) repairs: Vec<Repair>,
    pub(super) truncated: bool,
}

/// Why a reply gives no value.
#[derive(Debug, Clone)]
pub(super) enum Unread {
    /// It holds no value at all.
    Nothing,
    /// It holds only damaged values, and none may be mended.
    Damaged(Repair),
    /// What it holds does not fit.
    Misfit {
        misfit: Misfit,
        /// Whether the reply ended inside of it.
        truncated: bool,
    },
}

impl Unread {
    /// What does not fit, and is whole.
    pub(super) const fn of_whole(misfit: Misfit) -> Self {
        Self::Misfit { misfit, truncated: false }
    }
}

/// Reads the value of a schema.
///
/// Where a reply holds several values, the first one is taken if nothing but a fence stands in front of
/// it and it fits; otherwise the one that has most of what the schema names, and of equal ones the first.
/// Where none has anything that the schema names, it is the last.
pub(super) fn read(text: &str, schema: Schema<'_>, leniency: Leniency) -> Result<Read, Unread> {
    let kinds = schema.kinds_at(&[]);
    let others = Kinds::OBJECT.union(Kinds::ARRAY);
    let scalars = Kinds::STRING.union(Kinds::NUMBER).union(Kinds::BOOLEAN).union(Kinds::NULL);
    if !kinds.intersects(others) {
        return read_scalar(text, schema, leniency);
    }
    // Brackets inside of quotes are a part of the text.
    if kinds.intersects(scalars)
        && reader::plain_text(text).starts_with('"')
        && let Ok(read) = read_scalar(text, schema, leniency)
    {
        return Ok(read);
    }
    let candidates = reader::values(text);
    let (_, answers) = by_reasoning(&candidates);
    let damaged = candidates.iter().find_map(|it| it.repairs.first().cloned());
    let damaged = damaged.filter(|_| leniency == Leniency::Exact);
    let mut unread = None;
    if leniency == Leniency::Generous
        && kinds.intersects(Kinds::ARRAY)
        && !kinds.intersects(Kinds::OBJECT)
        && let Some(read) = all(answers, schema, leniency)
    {
        return Ok(read);
    }
    if let Some(read) = best(&candidates, schema, leniency, &mut unread) {
        return Ok(read);
    }
    let may_be_scalar =
        kinds.intersects(scalars) || (candidates.is_empty() && leniency == Leniency::Generous);
    if may_be_scalar && let Ok(read) = read_scalar(text, schema, leniency) {
        return Ok(read);
    }
    Err(match (unread, damaged) {
        (Some(unread), _) => unread,
        (None, Some(repair)) => Unread::Damaged(repair),
        (None, None) => Unread::Nothing,
    })
}

/// Several objects as the items of the list that is wanted.
fn all(candidates: &[Found], schema: Schema<'_>, leniency: Leniency) -> Option<Read> {
    let is_object = |it: &Found| matches!(it.value, Value::Object(_));
    if candidates.len() < 2 || !candidates.iter().all(is_object) {
        return None;
    }
    let all = Value::from(candidates.iter().map(|it| it.value.clone()).collect::<Vec<_>>());
    let mut fitted = fit(&all, schema, leniency).ok()?;
    fitted.repairs.push(Repair::of_value(RepairKind::SeveralForList, Path::default()));
    Some(combined(candidates, fitted))
}

/// The candidate that is meant.
fn best(
    candidates: &[Found],
    schema: Schema<'_>,
    leniency: Leniency,
    unread: &mut Option<Unread>,
) -> Option<Read> {
    let (index, fitted) = choose(candidates, schema, leniency, unread)?;
    Some(combined(candidates.get(index..=index)?, fitted))
}

/// Which of the candidates is meant.
pub(super) fn chosen(
    candidates: &[Found],
    schema: Schema<'_>,
    leniency: Leniency,
) -> Option<usize> {
    choose(candidates, schema, leniency, &mut None).map(|(index, _)| index)
}

/// The candidates inside of reasoning, and those behind it: one of these is meant, where there are any.
fn by_reasoning(candidates: &[Found]) -> (&[Found], &[Found]) {
    candidates.split_at(candidates.partition_point(|it| it.is_reasoning))
}

fn choose(
    candidates: &[Found],
    schema: Schema<'_>,
    leniency: Leniency,
    unread: &mut Option<Unread>,
) -> Option<(usize, Fitted)> {
    let (thoughts, answers) = by_reasoning(candidates);
    if answers.is_empty() {
        return choose_of(thoughts, schema, leniency, unread);
    }
    let (index, fitted) = choose_of(answers, schema, leniency, unread)?;
    Some((thoughts.len() + index, fitted))
}

fn choose_of(
    candidates: &[Found],
    schema: Schema<'_>,
    leniency: Leniency,
    unread: &mut Option<Unread>,
) -> Option<(usize, Fitted)> {
    let mut best: Option<(usize, usize, Fitted)> = None;
    for (index, found) in candidates.iter().enumerate() {
        if leniency == Leniency::Exact && found.is_damaged() {
            continue;
        }
        match fit(&found.value, schema, leniency) {
            Ok(fitted) => {
                let count = named::count(&fitted.value, schema);
                // An answer stands behind what leads to it, so of values without a name it is the last.
                let is_better = |most: usize| count > most || (count == 0 && most == 0);
                if best.as_ref().is_none_or(|(most, ..)| is_better(*most)) {
                    best = Some((count, index, fitted));
                }
                if found.is_leading {
                    break;
                }
            }
            Err(misfit) => {
                unread.get_or_insert(Unread::Misfit { misfit, truncated: found.truncated });
            }
        }
    }
    best.map(|(_, index, fitted)| (index, fitted))
}

/// Whether objects of a schema may have a key, in any spelling.
pub(super) fn has_key(schema: Schema<'_>, key: &str) -> bool {
    super::fit::has_key(schema, key, 0)
}

fn combined(found: &[Found], fitted: Fitted) -> Read {
    let mut repairs: Vec<Repair> = found.iter().flat_map(|it| it.repairs.clone()).collect();
    repairs.extend(fitted.repairs);
    Read { value: fitted.value, repairs, truncated: found.iter().any(|it| it.truncated) }
}

/// A value that is no object and no list: all of the reply.
fn read_scalar(text: &str, schema: Schema<'_>, leniency: Leniency) -> Result<Read, Unread> {
    let plain = reader::plain_text(text);
    if plain.is_empty() {
        return Err(Unread::Nothing);
    }
    let whole = Value::from(plain);
    let is_text = |it: &Value| matches!(it, Value::String(_));
    // A text is taken as it is: its quotes may be meant.
    if schema.kinds_at(&[]) == Kinds::STRING
        && let Ok(fitted) = fit(&whole, schema, Leniency::Exact)
        && is_text(&fitted.value)
    {
        return Ok(combined(&[], fitted));
    }
    if let Some(found) = reader::scalar(text)
        && (leniency > Leniency::Exact || !found.is_damaged())
        && let Ok(fitted) = fit(&found.value, schema, leniency)
    {
        return Ok(combined(&[found], fitted));
    }
    match fit(&whole, schema, leniency) {
        Ok(fitted) => Ok(combined(&[], fitted)),
        Err(misfit) if leniency < Leniency::Generous => Err(Unread::of_whole(misfit)),
        Err(misfit) => {
            let mut other = None;
            best(&reader::values(text), schema, leniency, &mut other)
                .ok_or(Unread::of_whole(misfit))
        }
    }
}
