//! The prices of the engine's own filters, tests and functions.
//!
//! Each runs without interruption, so its price is charged before the call: what it reads, and the
//! maximum that it can build. The package `tests/operations` lists every operation of both engines.
//! Tests measure each one, alone and in pairs: its work may be at most ten times what it paid.

use minijinja::value::{Rest, Value as EngineValue, ValueKind, ValueOrKwargs};
use minijinja::{
    State, filters as engine_filters, functions as engine_functions, tests as engine_tests,
};

use super::bridge::{self, EngineResult};
use super::budget::{JinjaBudget, Meter};
use super::costs::{ALLOCATION, CALL, CHARACTER, ENTRY, ITEM, SLOT};
use super::filters;

/// How often a filter, test or function reads its arguments, with all their contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReadCost {
    Once,
    /// Reads the first argument as often as a sort compares each item.
    Sorted,
    /// Calls a filter or test for each item of the first argument.
    Called,
    /// Reads the first argument once more for each of its items: adding copies the sum so far,
    /// unless it is a number.
    Summed,
    /// Processes each character of the first argument separately.
    Characters,
    /// Reads the characters of the first argument as items if it is a string.
    Items,
    /// Writes all digits of a number if a precision is given.
    Digits,
}

/// The maximum that a filter, test or function builds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BuildCost {
    /// A number, a boolean, or one of the arguments; or a lazy list, whose items are charged when
    /// they are made.
    Nothing,
    /// A list of items of the first argument.
    Items,
    /// A pair for each entry of the first argument.
    Pairs,
    /// A group for each item of the first argument.
    Groups,
    /// A list, and a copy of each string in the first argument.
    Copies,
    /// A map of all entries of the arguments.
    Entries,
    /// A string as long as the first argument.
    Text,
    /// The first argument in another case.
    Characters,
    /// All items combined, unless they are numbers.
    Sum,
    /// The arguments as they print.
    Printed,
    /// The first argument as it prints, if the second is a string.
    PrintedFirst,
}

/// The price of a call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Price {
    reads: ReadCost,
    builds: BuildCost,
    /// The position of an argument that names an attribute of each item.
    attribute: Option<usize>,
}

/// The factors by which a text can grow in another case, and when it is printed with escapes.
const CASES: usize = 3;
const ESCAPES: usize = 6;
/// The size of a pair, and of a group with one item, in addition to their list item.
const PAIR: usize = 96;
const GROUP: usize = 224;
/// The size of a set, in addition to the list of its items.
const SET: usize = 2 * SLOT;
/// The cost of writing all digits of a number.
const DIGITS: usize = 8192;

impl Price {
    const READS: Self = Self { reads: ReadCost::Once, builds: BuildCost::Nothing, attribute: None };

    const fn builds(mut self, builds: BuildCost) -> Self {
        self.builds = builds;
        self
    }

    const fn reads(mut self, reads: ReadCost) -> Self {
        self.reads = reads;
        self
    }

    const fn attribute(mut self, place: usize) -> Self {
        self.attribute = Some(place);
        self
    }

    /// Charges for a call with these arguments.
    fn charge(self, meter: &mut Meter<'_, '_, '_>, arguments: &[EngineValue]) -> EngineResult<()> {
        let mut all = 0_usize;
        for argument in arguments {
            bridge::refuse_rich(argument)?;
            all = all.saturating_add(meter.charge_read(argument)?);
        }
        let Some(first) = arguments.first() else { return Ok(()) };
        let first_bytes = meter.size(first)?.bytes;
        let items = item_count(first);
        let more = match self.reads {
            ReadCost::Once => 0,
            ReadCost::Sorted => first_bytes.saturating_mul(sort_comparisons(items)),
            ReadCost::Called => items.saturating_mul(CALL),
            ReadCost::Summed if starts_with_number(arguments) => 0,
            ReadCost::Summed => items.saturating_mul(all),
            ReadCost::Characters => first_bytes.saturating_mul(CHARACTER),
            ReadCost::Items if first.kind() == ValueKind::String => {
                first_bytes.saturating_mul(ITEM)
            }
            ReadCost::Items => 0,
            ReadCost::Digits if arguments.len() > 1 => DIGITS,
            ReadCost::Digits => 0,
        };
        let (path, keys) = self.attribute_cost(arguments);
        meter.charge_read_bytes(more.saturating_add(items.saturating_mul(path)))?;
        let list = |each: usize| items.saturating_mul(each).saturating_add(ALLOCATION);
        let built = match self.builds {
            BuildCost::Nothing => 0,
            BuildCost::Items => list(SLOT),
            BuildCost::Pairs => list(SLOT + PAIR),
            BuildCost::Groups => list(SLOT + GROUP),
            BuildCost::Copies => list(SLOT + SET).saturating_add(first_bytes),
            BuildCost::Entries => entry_count(arguments).saturating_mul(ENTRY).saturating_add(all),
            BuildCost::Text if first.kind() == ValueKind::String => first_bytes,
            BuildCost::Text => 0,
            BuildCost::Characters => length_in_other_case(first, first_bytes),
            BuildCost::Printed => arguments.iter().fold(0_usize, |sum, argument| {
                let printed = if is_container(argument) { all } else { 0 };
                sum.saturating_add(printed.saturating_mul(ESCAPES))
            }),
            BuildCost::Sum if starts_with_number(arguments) => 0,
            BuildCost::Sum => all,
            BuildCost::PrintedFirst => match arguments.get(1) {
                Some(text) if text.as_str().is_some() && is_container(first) => {
                    first_bytes.saturating_mul(ESCAPES)
                }
                _ => 0,
            },
        };
        // A sort by several attributes makes a list of keys for each item.
        let copied = match keys {
            0 | 1 => 0,
            _ => list(ALLOCATION).saturating_add(first_bytes.saturating_mul(keys)),
        };
        meter.charge(built.saturating_add(copied))
    }

    /// The cost of looking up an attribute of an item, and the number of attributes.
    fn attribute_cost(self, arguments: &[EngineValue]) -> (usize, usize) {
        let placed = self.attribute.and_then(|place| arguments.get(place));
        let placed = || placed.filter(|it| !it.is_kwargs()).cloned();
        let Some(attribute) = named_argument(arguments, "attribute").or_else(placed) else {
            return (0, 0);
        };
        let Some(path) = attribute.as_str() else { return (ITEM, 1) };
        let hops = path.split(['.', ',']).count();
        (hops.saturating_mul(ITEM).saturating_add(path.len()), path.split(',').count())
    }
}

/// The maximum number of items, entries or characters that a call iterates over.
fn item_count(value: &EngineValue) -> usize {
    value.as_str().map_or_else(|| value.len().unwrap_or_default(), str::len)
}

/// The maximum number of entries of a map of all arguments.
fn entry_count(arguments: &[EngineValue]) -> usize {
    arguments.iter().fold(1, |sum, argument| sum.saturating_add(item_count(argument)))
}

/// How often a sort compares each item.
fn sort_comparisons(items: usize) -> usize {
    items.checked_ilog2().map_or(0, |levels| levels as usize + 1)
}

fn is_container(value: &EngineValue) -> bool {
    matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable | ValueKind::Map)
}

/// Whether `sum` starts with a number.
fn starts_with_number(arguments: &[EngineValue]) -> bool {
    let placed = arguments.get(2).filter(|start| !start.is_kwargs()).cloned();
    let named = || named_argument(arguments, "start");
    placed.or_else(named).is_none_or(|start| matches!(start.kind(), ValueKind::Number))
}

/// The argument with this name.
fn named_argument(arguments: &[EngineValue], name: &str) -> Option<EngineValue> {
    let named = arguments.last().filter(|last| last.is_kwargs())?;
    named.get_attr(name).ok().filter(|value| !value.is_undefined())
}

/// The maximum length of a value in another case.
fn length_in_other_case(value: &EngineValue, bytes: usize) -> usize {
    match value.as_str() {
        Some(text) if text.is_ascii() => text.len(),
        Some(text) => text.len().saturating_mul(CASES),
        None if is_container(value) => bytes.saturating_mul(ESCAPES),
        None => bytes,
    }
}

/// Wraps a filter, test or function of the engine so that its price is charged before the call.
pub(super) fn charge_before_call(
    budget: JinjaBudget,
    price: Price,
    inner: EngineValue,
) -> impl Fn(&mut State<'_, '_>, Rest<ValueOrKwargs>) -> EngineResult {
    move |state, arguments| {
        let arguments = arguments.into_values();
        let mut meter = Meter::new(budget, state);
        price.charge(&mut meter, &arguments)?;
        let result = inner.call(meter.state, &arguments)?;
        meter.materialize(result)
    }
}

/// The name, the price and the function.
pub(super) type PricedFunction = (&'static str, Price, EngineValue);

/// Makes a list from lines of a name, a price and a function.
macro_rules! priced {
    ($($name:literal, $price:expr, $function:path;)*) => {
        vec![$(($name, $price, EngineValue::from_function($function)),)*]
    };
}

/// The engine's filters.
pub(super) fn filters() -> Vec<PricedFunction> {
    let reads = Price::READS;
    let sorts = reads.reads(ReadCost::Sorted);
    let calls = reads.reads(ReadCost::Called).builds(BuildCost::Items);
    priced![
        "abs", reads, engine_filters::abs;
        "bool", reads, engine_filters::bool;
        "capitalize", reads.builds(BuildCost::Characters), engine_filters::capitalize;
        "title", reads.reads(ReadCost::Characters).builds(BuildCost::Characters),
            engine_filters::title;
        "first", reads, filters::first;
        "last", reads, filters::last;
        "float", reads, engine_filters::float;
        "int", reads, engine_filters::int;
        "round", reads.reads(ReadCost::Digits), engine_filters::round;
        "items", reads.builds(BuildCost::Pairs), filters::items;
        "dictsort", sorts.builds(BuildCost::Pairs), engine_filters::dictsort;
        "list", reads.builds(BuildCost::Items), engine_filters::list;
        "max", reads.reads(ReadCost::Items), engine_filters::max;
        "min", reads.reads(ReadCost::Items), engine_filters::min;
        "sum", reads.reads(ReadCost::Summed).builds(BuildCost::Sum).attribute(1),
            engine_filters::sum;
        "reverse", reads.builds(BuildCost::Text), engine_filters::reverse;
        "sort", sorts.builds(BuildCost::Items), engine_filters::sort;
        "unique", sorts.builds(BuildCost::Copies), engine_filters::unique;
        "select", calls, engine_filters::select;
        "reject", calls, engine_filters::reject;
        "selectattr", calls.attribute(1), engine_filters::selectattr;
        "rejectattr", calls.attribute(1), engine_filters::rejectattr;
        "map", calls, engine_filters::map;
        "groupby", sorts.builds(BuildCost::Groups).attribute(1), engine_filters::groupby;
    ]
}

/// `[::-1]`. The engine's own panics on empty values.
pub(super) fn reverse() -> (Price, EngineValue) {
    (Price::READS.builds(BuildCost::Text), EngineValue::from_function(filters::reverse))
}

/// The engine's tests that read more than a number or the kind of a value.
pub(super) fn tests() -> Vec<PricedFunction> {
    let reads = Price::READS;
    let mut tests = priced![
        "startingwith", reads.builds(BuildCost::Printed), engine_tests::is_startingwith;
        "endingwith", reads.builds(BuildCost::Printed), engine_tests::is_endingwith;
        "in", reads.builds(BuildCost::PrintedFirst), engine_tests::is_in;
    ];
    let mut comparison = |names: &[&'static str], test: EngineValue| {
        tests.extend(names.iter().map(|name| (*name, reads, test.clone())));
    };
    comparison(&["eq", "equalto", "=="], EngineValue::from_function(engine_tests::is_eq));
    comparison(&["ne", "!="], EngineValue::from_function(engine_tests::is_ne));
    comparison(&["lt", "lessthan", "<"], EngineValue::from_function(engine_tests::is_lt));
    comparison(&["le", "<="], EngineValue::from_function(engine_tests::is_le));
    comparison(&["gt", "greaterthan", ">"], EngineValue::from_function(engine_tests::is_gt));
    comparison(&["ge", ">="], EngineValue::from_function(engine_tests::is_ge));
    tests
}

/// The engine's functions.
pub(super) fn functions() -> Vec<PricedFunction> {
    let builds = Price::READS.builds(BuildCost::Entries);
    priced![
        "dict", builds, engine_functions::dict;
        "namespace", builds, filters::namespace;
    ]
}
