//! What only an instrumented template calls: charges for operators, which the engine carries out
//! itself, and what prompts mean by some of them.

use minijinja::value::{Value as EngineValue, ValueKind};
use minijinja::{Environment, State};

use super::bridge::EngineResult;
use super::budget::{Budget, Meter};
use super::costs::{ALLOCATION, ENTRY, SLOT};
use super::instrument::names;
use super::{bridge, filters, prices, size};
use prompty_template::role_markers::syntax;

/// What becomes of an operand before its operator sees it, or of what an operator gave.
type Operand = fn(&mut Meter<'_, '_, '_>, EngineValue) -> EngineResult;

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
    (names::BOUNDED, |meter, value| meter.pay(value)),
    (names::MEASURED, |meter, value| meter.measured(value)),
];

/// Adds all that an instrumented template calls.
pub(super) fn add(environment: &mut Environment<'static>, budget: Budget) {
    for (name, operand) in OPERANDS {
        environment.add_filter(*name, move |state: &mut State<'_, '_>, value: EngineValue| {
            operand(&mut Meter::new(budget, state), value)
        });
    }
    environment.add_filter(
        names::SLICED,
        move |state: &mut State<'_, '_>, value: EngineValue, most: Option<usize>| {
            sliced(&mut Meter::new(budget, state), value, most)
        },
    );
    environment.add_filter(names::CHARGE, move |state: &mut State<'_, '_>, bytes: usize| {
        Meter::new(budget, state).charge(bytes).map(|()| "")
    });
    let (price, reversed) = prices::reversed();
    environment.add_filter(names::REVERSED, prices::paid(budget, price, reversed));
}

/// A side of `~`, or what is written into a captured text: a text, whose copy is paid for.
fn text(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    let value = filters::string(meter, value)?;
    meter.charge(value.as_str().map_or(0, str::len))?;
    Ok(value)
}

/// A side of `+`: what the engine copies at once is paid for.
fn addend(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    meter.charge(size::copied_at_once(&value))?;
    Ok(value)
}

/// The left side of `*`.
fn factor(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    meter.left_factor(&value);
    Ok(value)
}

/// The right side of `*`: the product is paid for.
fn times(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    meter.right_factor(&value)?;
    Ok(value)
}

/// An operand that is compared as a whole.
fn read(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    meter.read(&value)?;
    Ok(value)
}

/// The left side of `in`. Where the right one is a text, a list or map is copied to be printed.
fn sought(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    meter.read(&value)?;
    meter.copied(&value)?;
    Ok(value)
}

/// The right side of `in`.
fn container(_: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    Ok(bridge::container(value))
}

/// Nothing is equal to `none`.
fn or_none(_: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    Ok(if value.is_undefined() { EngineValue::from(()) } else { value })
}

/// What `[…]` takes an item of: the engine walks to it in texts and lazy lists.
fn indexed(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    if matches!(value.kind(), ValueKind::String | ValueKind::Iterable) {
        meter.walk(&value)?;
    }
    Ok(value)
}

/// What `[…:…]` takes a piece of. The piece of a text is at most so many characters, or the whole.
fn sliced(meter: &mut Meter<'_, '_, '_>, value: EngineValue, most: Option<usize>) -> EngineResult {
    meter.walk(&value)?;
    let most = most.map_or(usize::MAX, |characters| characters.saturating_mul(size_of::<char>()));
    meter.room(size::copied_at_once(&value).min(most))?;
    Ok(value)
}

/// An argument of a method, which may keep it and compare it.
fn argument(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    let value = size::keep(value)?;
    meter.read(&value)?;
    Ok(value)
}

/// A list whose items become arguments.
fn spread(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    let value = unpacked(meter, value)?;
    meter.read(&value)?;
    Ok(value)
}

/// A map whose entries become arguments.
fn spread_named(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    meter.charge(value.len().unwrap_or_default().saturating_mul(ENTRY))?;
    meter.read(&value)?;
    Ok(value)
}

/// A value whose items several names are set to: the engine makes a list of them first.
fn unpacked(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    let items = value.as_str().map_or_else(|| value.len().unwrap_or_default(), str::len);
    meter.charge(items.saturating_mul(SLOT))?;
    Ok(value)
}

/// A map whose entries become a list of pairs at the most.
fn listed(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    if bridge::is_shared(&value) {
        let entries = value.len().unwrap_or_default();
        meter.charge(entries.saturating_mul(ENTRY).saturating_add(ALLOCATION))?;
    }
    Ok(value)
}

/// What an attribute of a namespace may hold.
fn kept(_: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    size::keep(value)
}

/// What a call gave that may be of the loop around it, whose markers and fences are data now.
fn caught(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    let nonce = meter.state.lookup(names::NONCE).unwrap_or_default();
    let (Some(text), Some(nonce)) = (value.as_str(), nonce.as_str()) else { return Ok(value) };
    meter.read_bytes(text.len())?;
    if !text.contains(nonce) {
        return Ok(value);
    }
    meter.charge(2 * text.len())?;
    Ok(EngineValue::from(filters::without_structure(text, nonce)))
}

/// A value in the attributes of a marker.
#[allow(clippy::needless_pass_by_value, reason = "an operand like the others of the table")]
fn attribute(meter: &mut Meter<'_, '_, '_>, value: EngineValue) -> EngineResult {
    let nonce = meter.state.lookup(names::NONCE).unwrap_or_default();
    let nonce = nonce.as_str().unwrap_or_default();
    let text = filters::text_from_value(meter, &value)?;
    meter.charge(text.len().saturating_mul(2).saturating_add(nonce.len()))?;
    Ok(EngineValue::from(syntax::encode_attribute(&text, nonce)))
}
