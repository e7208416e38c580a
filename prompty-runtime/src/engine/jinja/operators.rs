//! What only an instrumented template calls: charges for operators, which the engine carries out
//! itself, and what prompts mean by some of them.

use minijinja::value::{Value as EngineValue, ValueKind};
use minijinja::{Environment, Error as EngineError, State};

use super::budget::Budget;
use super::costs::{ALLOCATION, ENTRY, SLOT};
use super::instrument::names;
use super::{bridge, filters, prices, size};
use prompty_template::role_markers::syntax;

/// What becomes of an operand before its operator sees it, or of what an operator gave.
type Operand = fn(Budget, &mut State<'_, '_>, EngineValue) -> Result<EngineValue, EngineError>;

const OPERANDS: &[(&str, Operand)] = &[
    (names::TEXT, text),
    (names::ADDEND, addend),
    (names::FACTOR, factor),
    (names::TIMES, times),
    (names::READ, read),
    (names::SOUGHT, sought),
    (names::CONTAINER, container),
    (names::OR_NONE, or_none),
    (names::INDEXED, indexed),
    (names::ARGUMENT, argument),
    (names::SPREAD, spread),
    (names::SPREAD_NAMED, spread_named),
    (names::UNPACKED, unpacked),
    (names::LISTED, listed),
    (names::KEPT, kept),
    (names::CAUGHT, caught),
    (names::ATTRIBUTE, attribute),
    (names::BOUNDED, Budget::pay),
    (names::MEASURED, Budget::measured),
];

/// Adds all that an instrumented template calls.
pub(super) fn add(environment: &mut Environment<'static>, budget: Budget) {
    for (name, operand) in OPERANDS {
        environment.add_filter(*name, move |state: &mut State<'_, '_>, value: EngineValue| {
            operand(budget, state, value)
        });
    }
    environment.add_filter(
        names::SLICED,
        move |state: &mut State<'_, '_>, value: EngineValue, most: Option<usize>| {
            sliced(budget, state, value, most)
        },
    );
    environment.add_filter(names::CHARGE, move |state: &mut State<'_, '_>, bytes: usize| {
        budget.charge(state, bytes).map(|()| "")
    });
    let (price, reversed) = prices::reversed();
    environment.add_filter(names::REVERSED, prices::paid(budget, price, reversed));
}

/// A side of `~`, or what is written into a captured text: a text, whose copy is paid for.
fn text(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: EngineValue,
) -> Result<EngineValue, EngineError> {
    let value = filters::string(budget, state, value)?;
    budget.charge(state, value.as_str().map_or(0, str::len))?;
    Ok(value)
}

/// A side of `+`: what the engine copies at once is paid for.
fn addend(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: EngineValue,
) -> Result<EngineValue, EngineError> {
    budget.charge(state, size::copied_at_once(&value))?;
    Ok(value)
}

/// The left side of `*`.
fn factor(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: EngineValue,
) -> Result<EngineValue, EngineError> {
    budget.left_factor(state, &value);
    Ok(value)
}

/// The right side of `*`: the product is paid for.
fn times(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: EngineValue,
) -> Result<EngineValue, EngineError> {
    budget.right_factor(state, &value)?;
    Ok(value)
}

/// An operand that is compared as a whole.
fn read(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: EngineValue,
) -> Result<EngineValue, EngineError> {
    budget.read(state, &value)?;
    Ok(value)
}

/// The left side of `in`. Where the right one is a text, a list or map is copied to be printed.
fn sought(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: EngineValue,
) -> Result<EngineValue, EngineError> {
    budget.read(state, &value)?;
    budget.copied(state, &value)?;
    Ok(value)
}

/// The right side of `in`.
fn container(
    _: Budget,
    _: &mut State<'_, '_>,
    value: EngineValue,
) -> Result<EngineValue, EngineError> {
    Ok(bridge::container(value))
}

/// Nothing is equal to `none`.
fn or_none(
    _: Budget,
    _: &mut State<'_, '_>,
    value: EngineValue,
) -> Result<EngineValue, EngineError> {
    Ok(if value.is_undefined() { EngineValue::from(()) } else { value })
}

/// What `[…]` takes an item of: the engine walks to it in texts and lazy lists.
fn indexed(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: EngineValue,
) -> Result<EngineValue, EngineError> {
    if matches!(value.kind(), ValueKind::String | ValueKind::Iterable) {
        budget.walk(state, &value)?;
    }
    Ok(value)
}

/// What `[…:…]` takes a piece of. The piece of a text is at most so many characters, or the whole.
fn sliced(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: EngineValue,
    most: Option<usize>,
) -> Result<EngineValue, EngineError> {
    budget.walk(state, &value)?;
    let most = most.map_or(usize::MAX, |characters| characters.saturating_mul(size_of::<char>()));
    budget.room(state, size::copied_at_once(&value).min(most))?;
    Ok(value)
}

/// An argument of a method, which may keep it and compare it.
fn argument(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: EngineValue,
) -> Result<EngineValue, EngineError> {
    let value = Budget::keep(value)?;
    budget.read(state, &value)?;
    Ok(value)
}

/// A list whose items become arguments.
fn spread(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: EngineValue,
) -> Result<EngineValue, EngineError> {
    let value = unpacked(budget, state, value)?;
    budget.read(state, &value)?;
    Ok(value)
}

/// A map whose entries become arguments.
fn spread_named(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: EngineValue,
) -> Result<EngineValue, EngineError> {
    budget.charge(state, value.len().unwrap_or_default().saturating_mul(ENTRY))?;
    budget.read(state, &value)?;
    Ok(value)
}

/// A value whose items several names are set to: the engine makes a list of them first.
fn unpacked(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: EngineValue,
) -> Result<EngineValue, EngineError> {
    let items = value.as_str().map_or_else(|| value.len().unwrap_or_default(), str::len);
    budget.charge(state, items.saturating_mul(SLOT))?;
    Ok(value)
}

/// A map whose entries become a list of pairs at the most.
fn listed(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: EngineValue,
) -> Result<EngineValue, EngineError> {
    if bridge::is_shared(&value) {
        let entries = value.len().unwrap_or_default();
        budget.charge(state, entries.saturating_mul(ENTRY).saturating_add(ALLOCATION))?;
    }
    Ok(value)
}

/// What an attribute of a namespace may hold.
fn kept(_: Budget, _: &mut State<'_, '_>, value: EngineValue) -> Result<EngineValue, EngineError> {
    Budget::keep(value)
}

/// What a call gave that may be of the loop around it, whose markers and fences are data now.
fn caught(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: EngineValue,
) -> Result<EngineValue, EngineError> {
    let nonce = state.lookup(names::NONCE).unwrap_or_default();
    let (Some(text), Some(nonce)) = (value.as_str(), nonce.as_str()) else { return Ok(value) };
    budget.read_bytes(state, text.len())?;
    if !text.contains(nonce) {
        return Ok(value);
    }
    budget.charge(state, 2 * text.len())?;
    Ok(EngineValue::from(filters::without_structure(text, nonce)))
}

/// A value in the attributes of a marker.
#[allow(clippy::needless_pass_by_value, reason = "an operand like the others of the table")]
fn attribute(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: EngineValue,
) -> Result<EngineValue, EngineError> {
    let nonce = state.lookup(names::NONCE).unwrap_or_default();
    let nonce = nonce.as_str().unwrap_or_default();
    let text = filters::text_from_value(budget, state, &value)?;
    budget.charge(state, text.len().saturating_mul(2).saturating_add(nonce.len()))?;
    Ok(EngineValue::from(syntax::encode_attribute(&text, nonce)))
}
