//! The internal filters that only instrumented templates call. They charge for the engine's
//! operators and adapt some of them to the rules of prompts.

use minijinja::value::{Value as EngineValue, ValueKind};
use minijinja::{Environment, State};

use super::bridge::EngineResult;
use super::budget::{JinjaBudget, Meter};
use super::costs::{ALLOCATION, ENTRY, SLOT};
use super::instrument::names;
use super::{bridge, filters, prices, size};
use prompty_template::role_markers::syntax;

/// Converts or charges for an operand before the operator runs, or for the result of an operator.
type OperandFilter = fn(&mut Meter<'_, '_, '_>, EngineValue) -> EngineResult;

/// The internal filters that only take the operand.
const OPERANDS: &[(&str, OperandFilter)] = &[
    (names::TEXT, convert_to_text),
    (names::ADDEND, charge_addend),
    (names::FACTOR, remember_factor),
    (names::TIMES, charge_product),
    (names::READ, charge_compared),
    (names::NEEDLE, charge_needle),
    (names::CONTAINER, convert_to_container),
    (names::OR_NONE, undefined_to_none),
    (names::INDEX_SUBJECT, charge_indexed),
    (names::ARGUMENT, charge_argument),
    (names::SPREAD_LIST, charge_spread_list),
    (names::SPREAD_MAP, charge_spread_map),
    (names::UNPACK_SUBJECT, charge_unpacked),
    (names::LIST_SUBJECT, charge_listed),
    (names::STORED, refuse_live),
    (names::RETURNED, remove_structure),
    (names::ATTRIBUTE, encode_attribute),
    (names::BOUNDED, |meter, value| meter.charge_new_value(value)),
    (names::MEASURED, |meter, value| meter.materialize(value)),
];

/// Adds the internal filters of instrumented templates.
pub(super) fn add(environment: &mut Environment<'static>, budget: JinjaBudget) {
    for (name, operand) in OPERANDS {
        environment.add_filter(*name, move |state: &mut State<'_, '_>, value: EngineValue| {
            operand(&mut Meter::new(budget, state), value)
        });
    }
    environment.add_filter(
        names::SLICE_SUBJECT,
        move |state: &mut State<'_, '_>, value: EngineValue, max_characters: Option<usize>| {
            charge_sliced(&mut Meter::new(budget, state), value, max_characters)
        },
    );
    // `{{ 12|__prompty_charge }}` charges for literal text, and writes nothing.
    environment.add_filter(names::CHARGE, move |state: &mut State<'_, '_>, bytes: usize| {
        Meter::new(budget, state).charge(bytes).map(|()| "")
    });
    let (price, reversed) = prices::reverse();
    environment.add_filter(names::REVERSED, prices::charge_before_call(budget, price, reversed));
}

/// A side of `~`, or a value in captured text: converts it to a string and charges for a copy.
fn convert_to_text(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    let value = filters::string(meter, value)?;
    meter.charge(value.as_str().map_or(0, str::len))?;
    Ok(value)
}

/// A side of `+`: charges for what the engine copies at once.
fn charge_addend(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    meter.charge(size::copied_at_once(&value))?;
    Ok(value)
}

/// The left side of `*`. The filter of the right side runs next, and charges for the product.
fn remember_factor(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    meter.remember_left_factor(&value);
    Ok(value)
}

/// The right side of `*`: charges for the product.
fn charge_product(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    meter.charge_product(&value)?;
    Ok(value)
}

/// An operand that is compared completely.
fn charge_compared(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    meter.charge_read(&value)?;
    Ok(value)
}

/// The left side of `in`. If the right side is a string, the engine prints a copy of the left one.
fn charge_needle(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    meter.charge_read(&value)?;
    meter.charge_copy(&value)?;
    Ok(value)
}

/// The right side of `in`.
fn convert_to_container(_: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    Ok(bridge::to_container(value))
}

/// Converts an undefined value to `none`, which it must equal.
fn undefined_to_none(_: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    Ok(if value.is_undefined() { EngineValue::from(()) } else { value })
}

/// The subject of `[…]`. In strings and lazy lists the engine walks to the item.
fn charge_indexed(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    if matches!(value.kind(), ValueKind::String | ValueKind::Iterable) {
        meter.charge_walk(&value)?;
    }
    Ok(value)
}

/// The subject of `[…:…]`. The slice has at most this many characters, or is unbounded.
fn charge_sliced(
    meter: &mut Meter<'_, '_, '_>,
    value: EngineValue,
    max_characters: Option<usize>,
) -> EngineResult {
    meter.charge_walk(&value)?;
    let max_characters = max_characters
        .map_or(usize::MAX, |characters| characters.saturating_mul(size_of::<char>()));
    meter.check_room(size::copied_at_once(&value).min(max_characters))?;
    Ok(value)
}

/// An argument of a method. The method may store or compare it.
fn charge_argument(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    let value = size::refuse_live(value)?;
    meter.charge_read(&value)?;
    Ok(value)
}

/// A list whose items become arguments.
fn charge_spread_list(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    let value = charge_unpacked(meter, value)?;
    meter.charge_read(&value)?;
    Ok(value)
}

/// A map whose entries become arguments.
fn charge_spread_map(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    meter.charge(value.len().unwrap_or_default().saturating_mul(ENTRY))?;
    meter.charge_read(&value)?;
    Ok(value)
}

/// A value that is assigned to several names. The engine first makes a list of its items.
fn charge_unpacked(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    let items = value.as_str().map_or_else(|| value.len().unwrap_or_default(), str::len);
    meter.charge(items.saturating_mul(SLOT))?;
    Ok(value)
}

/// A map for `items`, `keys` or `values`. The result is at most a list of pairs.
fn charge_listed(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    if bridge::is_shared(&value) {
        let entries = value.len().unwrap_or_default();
        meter.charge(entries.saturating_mul(ENTRY).saturating_add(ALLOCATION))?;
    }
    Ok(value)
}

/// The value of a namespace attribute.
fn refuse_live(_: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    size::refuse_live(value)
}

/// The result of a call that may be the enclosing loop. Its markers and fences become plain text.
fn remove_structure(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    let nonce = meter.state.lookup(names::NONCE).unwrap_or_default();
    let (Some(text), Some(nonce)) = (value.as_str(), nonce.as_str()) else { return Ok(value) };
    meter.charge_read_bytes(text.len())?;
    if !text.contains(nonce) {
        return Ok(value);
    }
    meter.charge(2 * text.len())?;
    Ok(EngineValue::from(filters::without_structure(text, nonce)))
}

/// A value in the attributes of a role marker.
#[allow(clippy::needless_pass_by_value, reason = "the signature of the table")]
fn encode_attribute(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    let nonce = meter.state.lookup(names::NONCE).unwrap_or_default();
    let nonce = nonce.as_str().unwrap_or_default();
    let text = filters::text_from_value(meter, &value)?;
    meter.charge(text.len().saturating_mul(2).saturating_add(nonce.len()))?;
    Ok(EngineValue::from(syntax::encode_attribute(&text, nonce)))
}
