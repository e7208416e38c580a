//! The internal filters that only instrumented templates call. They charge for the engine's
//! operators and adapt some of them to the rules of prompts.

use minijinja::value::{Value as EngineValue, ValueKind};
use minijinja::{Environment, State};

use super::bridge::EngineResult;
use super::budget::{JinjaBudget, Meter};
use super::costs::{ENTRY, SLOT};
use super::names;
use super::{bridge, filters, prices, size};
use prompty_template::role_markers::syntax;

/// Converts an operand before the operator runs, or the result of an operator.
type Conversion = fn(&mut Meter<'_, '_, '_>, EngineValue) -> EngineResult;

/// The internal filters that convert their operand.
const CONVERSIONS: &[(&str, Conversion)] = &[
    (names::TEXT, convert_to_text),
    // The right side of `in`.
    (names::CONTAINER, |_, value| Ok(bridge::to_container(value))),
    (names::OR_NONE, undefined_to_none),
    (names::ARGUMENT, charge_argument),
    // The value of a namespace attribute.
    (names::STORED, |_, value| size::refuse_live(value)),
    (names::RETURNED, remove_structure),
    (names::ATTRIBUTE, encode_attribute),
    // A literal list or map, or a slice: it is charged after the engine has made it, because the
    // template or `SLICE_SUBJECT` bounds it.
    (names::BOUNDED, |meter, value| meter.charge_new_value(value)),
    // The result of an operator or a method that has charged for it: it is only measured.
    (names::MEASURED, |meter, value| meter.materialize(value)),
];

/// Charges for an operand before the operator runs.
type Charge = fn(&mut Meter<'_, '_, '_>, &EngineValue) -> EngineResult<()>;

/// The internal filters that only charge for their operand.
const CHARGES: &[(&str, Charge)] = &[
    // A side of `+`: charges for what the engine copies at once.
    (names::ADDEND, |meter, value| meter.charge(size::copied_at_once(value))),
    // The left side of `*`. The filter of the right side runs next, and charges for the product.
    (names::FACTOR, |meter, value| {
        meter.remember_left_factor(value);
        Ok(())
    }),
    // The right side of `*`: charges for the product.
    (names::TIMES, |meter, value| meter.charge_product(value)),
    // An operand that is compared completely.
    (names::READ, |meter, value| meter.charge_read(value).map(drop)),
    // The left side of `in`. If the right side is a string, the engine prints a copy of the left
    // one.
    (names::NEEDLE, |meter, value| {
        meter.charge_read(value)?;
        meter.charge_copy(value)
    }),
    (names::INDEX_SUBJECT, charge_indexed),
    // A list whose items become arguments.
    (names::SPREAD_LIST, |meter, value| {
        charge_unpacked(meter, value)?;
        meter.charge_read(value).map(drop)
    }),
    // A map whose entries become arguments.
    (names::SPREAD_MAP, |meter, value| {
        meter.charge(value.len().unwrap_or_default().saturating_mul(ENTRY))?;
        meter.charge_read(value).map(drop)
    }),
    (names::UNPACK_SUBJECT, charge_unpacked),
];

/// Adds the internal filters of instrumented templates.
pub(super) fn add(environment: &mut Environment<'static>, budget: JinjaBudget) {
    for (name, convert) in CONVERSIONS {
        environment.add_filter(*name, move |state: &mut State<'_, '_>, value: EngineValue| {
            convert(&mut Meter::new(budget, state), value)
        });
    }
    for (name, charge) in CHARGES {
        environment.add_filter(*name, move |state: &mut State<'_, '_>, value: EngineValue| {
            charge(&mut Meter::new(budget, state), &value).map(|()| value)
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

/// An operand of `== none`: converts an undefined value to `none`. The two are equal in prompts,
/// but not in the engine.
fn undefined_to_none(_: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    Ok(if value.is_undefined() { EngineValue::from(()) } else { value })
}

/// The subject of `[…]`. In strings and lazy lists the engine walks to the item.
fn charge_indexed(meter: &mut Meter<'_, '_, '_>, value: &EngineValue) -> EngineResult<()> {
    match value.kind() {
        ValueKind::String | ValueKind::Iterable => meter.charge_walk(value),
        _ => Ok(()),
    }
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

/// A value that is assigned to several names. The engine first makes a list of its items.
fn charge_unpacked(meter: &mut Meter<'_, '_, '_>, value: &EngineValue) -> EngineResult<()> {
    meter.charge(prices::item_count(value).saturating_mul(SLOT))
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
