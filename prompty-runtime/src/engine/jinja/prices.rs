//! What the engine's own filters, tests and functions cost. Each does its work in one go, so it is
//! paid for as a whole before the call: what it reads, and the most that it can build.
//!
//! One function registers them, and it asks for a [`Price`].

use minijinja::value::{Rest, Value as EngineValue, ValueKind, ValueOrKwargs};
use minijinja::{
    State, filters as engine_filters, functions as engine_functions, tests as engine_tests,
};

use super::bridge::{self, EngineResult};
use super::budget::{Budget, Meter};
use super::costs::{ALLOCATION, CALL, ENTRY, ITEM, LETTER, SLOT};
use super::filters;

/// How often a filter, test or function reads its arguments, with all that they hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reads {
    Once,
    /// The first as often as a sort compares each item.
    Sorted,
    /// It calls a filter or test for each item of the first.
    Called,
    /// The first once more for each of its items: what was added up so far is copied each time, unless
    /// it is a number.
    Summed,
    /// Each letter of the first argument by itself.
    Letters,
    /// The letters of the first argument as items, where it is a text.
    Items,
    /// It writes out a number with all its digits where it is told how many.
    Digits,
}

/// The most that a filter, test or function builds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Builds {
    /// It gives a number, a truth value, or something that it was given; or a lazy list, whose items are
    /// paid for when they are made.
    Nothing,
    /// A list of items of the first argument.
    Items,
    /// As many pairs as the first argument has entries.
    Pairs,
    /// A group for each item of the first argument.
    Groups,
    /// A list, and a copy of each text in the first argument.
    Copies,
    /// A map of all entries of the arguments.
    Entries,
    /// A text as long as the first argument.
    Text,
    /// A text of the first argument's letters in another case.
    Letters,
    /// All items together, unless they are numbers.
    Sum,
    /// The arguments as they print.
    Printed,
    /// The first argument as it prints, where the second is a text.
    PrintedFirst,
}

/// What a call costs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Price {
    reads: Reads,
    builds: Builds,
    /// The place of an argument that names an attribute of each item, where it has no name.
    attribute: Option<usize>,
}

/// How much longer a text can get in another case, and printed with escapes.
const CASES: usize = 3;
const ESCAPES: usize = 6;
/// The room of a pair, and of a group with one item, beside their items in a list.
const PAIR: usize = 96;
const GROUP: usize = 224;
/// The room that a set takes beside the list of its items.
const SET: usize = 2 * SLOT;
/// What writing out all digits of a number costs.
const DIGITS: usize = 8192;

impl Price {
    const READS: Self = Self { reads: Reads::Once, builds: Builds::Nothing, attribute: None };

    const fn builds(mut self, builds: Builds) -> Self {
        self.builds = builds;
        self
    }

    const fn reads(mut self, reads: Reads) -> Self {
        self.reads = reads;
        self
    }

    const fn attribute(mut self, place: usize) -> Self {
        self.attribute = Some(place);
        self
    }

    /// Charges for a call with these arguments.
    fn pay(self, meter: &mut Meter<'_, '_, '_>, arguments: &[EngineValue]) -> EngineResult<()> {
        let mut all = 0_usize;
        for argument in arguments {
            bridge::refuse_rich(argument)?;
            all = all.saturating_add(meter.read(argument)?);
        }
        let Some(first) = arguments.first() else { return Ok(()) };
        let whole = meter.size(first)?.bytes;
        let items = items(first);
        let more = match self.reads {
            Reads::Once => 0,
            Reads::Sorted => whole.saturating_mul(levels(items)),
            Reads::Called => items.saturating_mul(CALL),
            Reads::Summed if starts_with_number(arguments) => 0,
            Reads::Summed => items.saturating_mul(all),
            Reads::Letters => whole.saturating_mul(LETTER),
            Reads::Items if first.kind() == ValueKind::String => whole.saturating_mul(ITEM),
            Reads::Items => 0,
            Reads::Digits if arguments.len() > 1 => DIGITS,
            Reads::Digits => 0,
        };
        let (path, keys) = self.path(arguments);
        meter.read_bytes(more.saturating_add(items.saturating_mul(path)))?;
        let list = |each: usize| items.saturating_mul(each).saturating_add(ALLOCATION);
        let built = match self.builds {
            Builds::Nothing => 0,
            Builds::Items => list(SLOT),
            Builds::Pairs => list(SLOT + PAIR),
            Builds::Groups => list(SLOT + GROUP),
            Builds::Copies => list(SLOT + SET).saturating_add(whole),
            Builds::Entries => entries(arguments).saturating_mul(ENTRY).saturating_add(all),
            Builds::Text if first.kind() == ValueKind::String => whole,
            Builds::Text => 0,
            Builds::Letters => letters(first, whole),
            Builds::Printed => arguments.iter().fold(0_usize, |sum, argument| {
                let printed = if is_container(argument) { all } else { 0 };
                sum.saturating_add(printed.saturating_mul(ESCAPES))
            }),
            Builds::Sum if starts_with_number(arguments) => 0,
            Builds::Sum => all,
            Builds::PrintedFirst => match arguments.get(1) {
                Some(text) if text.as_str().is_some() && is_container(first) => {
                    whole.saturating_mul(ESCAPES)
                }
                _ => 0,
            },
        };
        // A sort by several attributes makes a list of keys for each item.
        let copied = match keys {
            0 | 1 => 0,
            _ => list(ALLOCATION).saturating_add(whole.saturating_mul(keys)),
        };
        meter.charge(built.saturating_add(copied))
    }

    /// What looking up an attribute costs for each item, and how many attributes it is.
    fn path(self, arguments: &[EngineValue]) -> (usize, usize) {
        let placed = self.attribute.and_then(|place| arguments.get(place));
        let placed = || placed.filter(|it| !it.is_kwargs()).cloned();
        let Some(attribute) = named(arguments, "attribute").or_else(placed) else {
            return (0, 0);
        };
        let Some(path) = attribute.as_str() else { return (ITEM, 1) };
        let hops = path.split(['.', ',']).count();
        (hops.saturating_mul(ITEM).saturating_add(path.len()), path.split(',').count())
    }
}

/// How many items, entries or characters a call may go through.
fn items(value: &EngineValue) -> usize {
    value.as_str().map_or_else(|| value.len().unwrap_or_default(), str::len)
}

/// How many entries a map of all arguments may have.
fn entries(arguments: &[EngineValue]) -> usize {
    arguments.iter().fold(1, |sum, argument| sum.saturating_add(items(argument)))
}

/// How often a sort of so many items compares each of them.
fn levels(items: usize) -> usize {
    items.checked_ilog2().map_or(0, |levels| levels as usize + 1)
}

fn is_container(value: &EngineValue) -> bool {
    matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable | ValueKind::Map)
}

/// Whether `sum` starts with a number.
fn starts_with_number(arguments: &[EngineValue]) -> bool {
    let placed = arguments.get(2).filter(|start| !start.is_kwargs()).cloned();
    let named = || named(arguments, "start");
    placed.or_else(named).is_none_or(|start| matches!(start.kind(), ValueKind::Number))
}

/// An argument that is given by name.
fn named(arguments: &[EngineValue], name: &str) -> Option<EngineValue> {
    let named = arguments.last().filter(|last| last.is_kwargs())?;
    named.get_attr(name).ok().filter(|value| !value.is_undefined())
}

/// How long a value can get in another case.
fn letters(value: &EngineValue, whole: usize) -> usize {
    match value.as_str() {
        Some(text) if text.is_ascii() => text.len(),
        Some(text) => text.len().saturating_mul(CASES),
        None if is_container(value) => whole.saturating_mul(ESCAPES),
        None => whole,
    }
}

/// A filter, test or function of the engine that pays its price before it is called.
pub(super) fn paid(
    budget: Budget,
    price: Price,
    inner: EngineValue,
) -> impl Fn(&mut State<'_, '_>, Rest<ValueOrKwargs>) -> EngineResult {
    move |state, arguments| {
        let arguments = arguments.into_values();
        let mut meter = Meter::new(budget, state);
        price.pay(&mut meter, &arguments)?;
        let result = inner.call(meter.state, &arguments)?;
        meter.measured(result)
    }
}

/// A name, what a call costs, and what is called.
pub(super) type Priced = (&'static str, Price, EngineValue);

/// Lines of a name, a price and a function, as a list.
macro_rules! priced {
    ($($name:literal, $price:expr, $function:path;)*) => {
        vec![$(($name, $price, EngineValue::from_function($function)),)*]
    };
}

/// The engine's filters.
pub(super) fn filters() -> Vec<Priced> {
    let reads = Price::READS;
    let sorts = reads.reads(Reads::Sorted);
    let calls = reads.reads(Reads::Called).builds(Builds::Items);
    priced![
        "abs", reads, engine_filters::abs;
        "bool", reads, engine_filters::bool;
        "capitalize", reads.builds(Builds::Letters), engine_filters::capitalize;
        "title", reads.reads(Reads::Letters).builds(Builds::Letters), engine_filters::title;
        "first", reads, filters::first;
        "last", reads, filters::last;
        "float", reads, engine_filters::float;
        "int", reads, engine_filters::int;
        "round", reads.reads(Reads::Digits), engine_filters::round;
        "items", reads.builds(Builds::Pairs), filters::items;
        "dictsort", sorts.builds(Builds::Pairs), engine_filters::dictsort;
        "list", reads.builds(Builds::Items), engine_filters::list;
        "max", reads.reads(Reads::Items), engine_filters::max;
        "min", reads.reads(Reads::Items), engine_filters::min;
        "sum", reads.reads(Reads::Summed).builds(Builds::Sum).attribute(1), engine_filters::sum;
        "reverse", reads.builds(Builds::Text), engine_filters::reverse;
        "sort", sorts.builds(Builds::Items), engine_filters::sort;
        "unique", sorts.builds(Builds::Copies), engine_filters::unique;
        "select", calls, engine_filters::select;
        "reject", calls, engine_filters::reject;
        "selectattr", calls.attribute(1), engine_filters::selectattr;
        "rejectattr", calls.attribute(1), engine_filters::rejectattr;
        "map", calls, engine_filters::map;
        "groupby", sorts.builds(Builds::Groups).attribute(1), engine_filters::groupby;
    ]
}

/// `[::-1]`, which the engine does not do for what is empty.
pub(super) fn reversed() -> (Price, EngineValue) {
    (Price::READS.builds(Builds::Text), EngineValue::from_function(filters::reversed))
}

/// The engine's tests that look at more than the kind of a value, or a number.
pub(super) fn tests() -> Vec<Priced> {
    let reads = Price::READS;
    let mut tests = priced![
        "startingwith", reads.builds(Builds::Printed), engine_tests::is_startingwith;
        "endingwith", reads.builds(Builds::Printed), engine_tests::is_endingwith;
        "in", reads.builds(Builds::PrintedFirst), engine_tests::is_in;
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
pub(super) fn functions() -> Vec<Priced> {
    let builds = Price::READS.builds(Builds::Entries);
    priced![
        "dict", builds, engine_functions::dict;
        "namespace", builds, filters::namespace;
    ]
}
