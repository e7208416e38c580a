//! Operands of a size: strings, lists and maps in shapes that make an operation expensive. Some are
//! created in the template. Others are data, which the host shares with the render.

use prompty_core::value::{Map, Value};

use crate::operation::Class;

/// The maximum depth of a value. A deeper one is refused with any budget.
const MAX_DEPTH: usize = 100;
/// The size of one list item, in bytes.
const ITEM: usize = 32;

/// A way to create an operand of a size.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// The name in messages.
    pub name: &'static str,
    /// The class of the operand.
    pub class: Class,
    source: OperandSource,
}

#[derive(Debug, Clone, Copy)]
enum OperandSource {
    /// An expression in which `{n}` is the size, `{m}` a number of items with the same total
    /// size, and `{d}` a depth.
    Expression(&'static str),
    /// Tags that set `{x}`.
    Tags(&'static str),
    /// A value from the host.
    Data(fn(usize) -> Value),
}

impl Shape {
    /// The template code that sets a variable to an operand of a size, and the input that it needs.
    pub fn operand(&self, variable: &str, size: usize) -> (String, Option<Value>) {
        let filled = |code: &str| {
            let items = (size / ITEM).max(1);
            code.replace("{n}", &size.to_string())
                .replace("{m}", &items.to_string())
                .replace("{d}", &items.min(MAX_DEPTH).to_string())
                .replace("{x}", variable)
        };
        match self.source {
            OperandSource::Expression(code) => {
                (format!("{{% set {variable} = {} %}}", filled(code)), None)
            }
            OperandSource::Tags(code) => (filled(code), None),
            OperandSource::Data(value) => (String::new(), Some(value(size))),
        }
    }

    /// Whether the operand comes from the host.
    pub fn is_data(&self) -> bool {
        matches!(self.source, OperandSource::Data(_))
    }
}

const fn expression(class: Class, name: &'static str, code: &'static str) -> Shape {
    Shape { name, class, source: OperandSource::Expression(code) }
}

const fn tags(class: Class, name: &'static str, code: &'static str) -> Shape {
    Shape { name, class, source: OperandSource::Tags(code) }
}

const fn data(class: Class, name: &'static str, value: fn(usize) -> Value) -> Shape {
    Shape { name, class, source: OperandSource::Data(value) }
}

/// All shapes, grouped by class.
pub const SHAPES: &[Shape] = &[
    expression(Class::Text, "characters", "'a' * {n}"),
    expression(Class::Text, "characters and a different one at the end", "'a' * {n} ~ 'b'"),
    expression(Class::Text, "different characters and one at the end", "'b' * {n} ~ 'a'"),
    expression(Class::Text, "characters of several bytes", "'aé€😀İ<\\n' * {m} * 2"),
    expression(Class::Text, "spaces", "' ' * {n}"),
    expression(Class::Text, "words", "'a ' * {n}"),
    expression(Class::Text, "lines", "'a\\n' * {n}"),
    expression(Class::Text, "markup", "'<&' * {n}"),
    expression(Class::Text, "digits", "'1' * {n}"),
    expression(Class::Text, "one character", "'a'"),
    data(Class::Text, "characters as data", |size| "a".repeat(size).into()),
    data(Class::Text, "characters of several bytes as data", |size| {
        "é€ ".repeat(size / 4 + 1).into()
    }),
    expression(Class::Percent, "placeholders of `%`", "'%s' * {n}"),
    expression(Class::Percent, "unclosed placeholders of `%`", "'%(' * {n}"),
    expression(Class::Percent, "named placeholders", "'%(k0)s' * {n}"),
    expression(Class::Percent, "a wide placeholder of `%`", "'%{n}s'"),
    expression(Class::Percent, "signs", "'%%' * {n}"),
    expression(Class::Percent, "a truncating placeholder", "'%.{n}s%s'"),
    expression(Class::Braces, "placeholders", "'{}' * {n}"),
    expression(Class::Braces, "unclosed placeholders", "'{' * {n}"),
    expression(Class::Braces, "numbered placeholders", "'{0}' * {n}"),
    expression(Class::Braces, "placeholders with attributes", "'{0' ~ '[0]' * {n} ~ '}'"),
    expression(Class::Braces, "a wide placeholder", "'{:>{n}}'"),
    expression(Class::Path, "a name", "'a'"),
    expression(Class::Path, "the name of a number", "'b'"),
    expression(Class::Path, "many steps", "'a.' * {n} ~ 'a'"),
    expression(Class::Path, "several names", "'a,' * {n} ~ 'b'"),
    expression(Class::Path, "a long name", "'a' * {n}"),
    expression(Class::List, "a repeated string", "['a' * {n}] * {m}"),
    expression(
        Class::List,
        "two strings that differ at the end",
        "['a' * {n} ~ 'b', 'a' * {n} ~ 'c'] * {m}",
    ),
    expression(Class::List, "a repeated list", "[[0] * {m}] * {m}"),
    expression(Class::List, "numbers", "range([{m}, 90000]|min)|list"),
    expression(Class::List, "a repeated number", "[1] * {m}"),
    expression(Class::List, "distinct strings", "range([{m}, 90000]|min)|map('string')|list"),
    tags(
        Class::List,
        "a deep list",
        "{% set s = namespace(v=['a' * {n}]) %}{% for i in range({d}) %}{% set s.v = [s.v] %}{% endfor %}{% set {x} = s.v %}",
    ),
    tags(
        Class::List,
        "a list that doubles",
        "{% set s = namespace(v=['a', 1]) %}{% for i in range([{d}, 20]|min) %}{% set s.v = [s.v, s.v] %}{% endfor %}{% set {x} = s.v %}",
    ),
    data(Class::List, "a repeated string as data", |size| {
        vec![Value::from("a".repeat(size)); items(size)].into()
    }),
    data(Class::List, "distinct strings as data", |size| {
        (0..items(size))
            .map(|index| Value::from(format!("Text {index}")))
            .collect::<Vec<_>>()
            .into()
    }),
    data(Class::List, "a repeated list as data", |size| {
        let inner = Value::from(vec![Value::from(1); items(size)]);
        vec![inner; items(size)].into()
    }),
    data(Class::List, "a deep list as data", |size| {
        let deepest = Value::from("a".repeat(size));
        (0..MAX_DEPTH).fold(deepest, |value, _| vec![value].into())
    }),
    expression(Class::Records, "a repeated map", "[{'a': 'a' * {n}, 'b': 1}] * {m}"),
    expression(Class::Records, "maps of maps", "[{'a': {'a': {'a': 'a' * {n}}}, 'b': 1}] * {m}"),
    data(Class::Records, "maps as data", |size| {
        let text = Value::from("A".repeat(size));
        let record = |index: usize| {
            let number = i64::try_from(index).unwrap_or_default();
            Value::from(Map::from([("a", text.clone()), ("b", Value::from(number))]))
        };
        (0..items(size)).map(record).collect::<Vec<_>>().into()
    }),
    expression(Class::Map, "a map of long strings", "{'k0': 'a' * {n}, 'k1': 'a' * {n}, 'a': 1}"),
    expression(
        Class::Map,
        "a map with a long key",
        "{'k0': 1, 'a' * {n}: 'a' * {n}, 'k1': ['a' * {n}] * {m}}",
    ),
    tags(
        Class::Map,
        "a deep map",
        "{% set s = namespace(v={'k0': 'a' * {n}}) %}{% for i in range({d}) %}{% set s.v = {'k0': s.v, 'b': s.v} %}{% endfor %}{% set {x} = s.v %}",
    ),
    data(Class::Map, "many keys as data", |size| {
        (0..items(size))
            .map(|index| (format!("k{index}"), Value::from("v")))
            .collect::<Map>()
            .into()
    }),
    data(Class::Map, "one string under many keys as data", |size| {
        let text = Value::from("a".repeat(size));
        (0..items(size)).map(|index| (format!("k{index}"), text.clone())).collect::<Map>().into()
    }),
    data(Class::Map, "long keys as data", |size| {
        let name = |index: usize| format!("{}{index}", "k".repeat(size / 8));
        (0..8).map(|index| (name(index), Value::from("v"))).collect::<Map>().into()
    }),
    expression(Class::Count, "a large number", "{n}"),
    expression(Class::Count, "a small number", "3"),
];

fn items(size: usize) -> usize {
    (size / ITEM).max(1)
}

/// The shapes of some classes.
pub fn shapes(classes: &[Class]) -> Vec<&'static Shape> {
    SHAPES.iter().filter(|shape| classes.contains(&shape.class)).collect()
}
