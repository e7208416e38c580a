//! The prices of the engine's own filters, tests and functions.
//!
//! Each runs without interruption, so its price is charged before the call: what it reads, and the
//! maximum that it can build. For example, `sort` reads its list as often as a sort compares each
//! item, and builds a list of the items. The tables at the end of this file have all prices.
//! [`charge_before_call`] wraps a function for the engine.
//!
//! The package `tests/operations` lists every operation of both engines.
//! Tests measure each one, alone and in pairs: its work may be at most ten times what it paid.

use minijinja::value::{Rest, Value as EngineValue, ValueKind, ValueOrKwargs};
use minijinja::{
    State, filters as engine_filters, functions as engine_functions, tests as engine_tests,
};

use super::bridge::{self, EngineResult};
use super::budget::{JinjaBudget, Meter};
use super::costs::{ALLOCATION, CALL, CHARACTER, ENTRY, ITEM, SLOT};
use super::filters;

/// What a filter, test or function reads. Each reads its arguments once, with all their contents;
/// the other variants add to that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReadCost {
    /// Nothing more.
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
    /// The position of an argument that names an attribute of each item, as in
    /// `sum(attribute='price.net')`. The attribute is then looked up in each item.
    attribute: Option<usize>,
}

/// The factor by which a text can grow in another case: `\u{390}` has two bytes, and its upper case
/// has six.
const CASES: usize = 3;
/// The factor by which a text can grow when it is printed with escapes: `\u0000` has six bytes.
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
        let mut all_bytes = 0_usize;
        for argument in arguments {
            bridge::refuse_rich(argument)?;
            all_bytes = all_bytes.saturating_add(meter.charge_read(argument)?);
        }
        let Some(first) = arguments.first() else { return Ok(()) };
        let first_bytes = meter.size(first)?.bytes;
        let call =
            PricedCall { arguments, first, first_bytes, all_bytes, items: item_count(first) };
        let (lookup, attributes) = self.attribute_cost(arguments);
        let read = call.more_bytes_read(self.reads);
        meter.charge_read_bytes(read.saturating_add(call.items.saturating_mul(lookup)))?;
        // A sort by several attributes makes a list of keys for each item.
        let keys = match attributes {
            0 | 1 => 0,
            _ => call.list_of(ALLOCATION).saturating_add(first_bytes.saturating_mul(attributes)),
        };
        meter.charge(call.bytes_built(self.builds).saturating_add(keys))
    }

    /// The cost of looking up an attribute of an item, and the number of attributes:
    /// `author.name,year` has three lookups and two attributes.
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

/// A call whose arguments are measured.
struct PricedCall<'a> {
    arguments: &'a [EngineValue],
    /// The first argument; for a filter, the filtered value.
    first: &'a EngineValue,
    /// The size of the first argument with all its contents, and that of all arguments.
    first_bytes: usize,
    all_bytes: usize,
    /// The number of items of the first argument.
    items: usize,
}

impl PricedCall<'_> {
    /// The bytes that the call reads, in addition to reading each argument once.
    fn more_bytes_read(&self, reads: ReadCost) -> usize {
        let Self { first_bytes, items, .. } = *self;
        match reads {
            ReadCost::Sorted => first_bytes.saturating_mul(sort_comparisons(items)),
            ReadCost::Called => items.saturating_mul(CALL),
            ReadCost::Summed if !self.starts_with_number() => items.saturating_mul(self.all_bytes),
            ReadCost::Characters => first_bytes.saturating_mul(CHARACTER),
            ReadCost::Items if self.is_of_text() => first_bytes.saturating_mul(ITEM),
            ReadCost::Digits if self.arguments.len() > 1 => DIGITS,
            ReadCost::Once | ReadCost::Summed | ReadCost::Items | ReadCost::Digits => 0,
        }
    }

    /// The maximum number of bytes that the call builds.
    fn bytes_built(&self, builds: BuildCost) -> usize {
        let Self { arguments, first, first_bytes, all_bytes, .. } = *self;
        match builds {
            BuildCost::Items => self.list_of(SLOT),
            BuildCost::Pairs => self.list_of(SLOT + PAIR),
            BuildCost::Groups => self.list_of(SLOT + GROUP),
            BuildCost::Copies => self.list_of(SLOT + SET).saturating_add(first_bytes),
            BuildCost::Entries => {
                entry_count(arguments).saturating_mul(ENTRY).saturating_add(all_bytes)
            }
            BuildCost::Text if self.is_of_text() => first_bytes,
            BuildCost::Characters => length_in_other_case(first, first_bytes),
            BuildCost::Sum if !self.starts_with_number() => all_bytes,
            BuildCost::Printed => {
                let containers = arguments.iter().filter(|argument| is_container(argument));
                containers.count().saturating_mul(all_bytes.saturating_mul(ESCAPES))
            }
            BuildCost::PrintedFirst
                if is_container(first)
                    && arguments.get(1).is_some_and(|it| it.as_str().is_some()) =>
            {
                first_bytes.saturating_mul(ESCAPES)
            }
            BuildCost::Nothing | BuildCost::Text | BuildCost::Sum | BuildCost::PrintedFirst => 0,
        }
    }

    /// The size of a list with an item of this size for each item of the first argument.
    fn list_of(&self, item: usize) -> usize {
        self.items.saturating_mul(item).saturating_add(ALLOCATION)
    }

    fn is_of_text(&self) -> bool {
        self.first.kind() == ValueKind::String
    }

    /// Whether `sum` starts with a number, as without the argument `start`.
    fn starts_with_number(&self) -> bool {
        let placed = self.arguments.get(2).filter(|start| !start.is_kwargs()).cloned();
        let named = || named_argument(self.arguments, "start");
        placed.or_else(named).is_none_or(|start| matches!(start.kind(), ValueKind::Number))
    }
}

/// The maximum number of items, entries or characters that a call iterates over.
pub(super) fn item_count(value: &EngineValue) -> usize {
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
