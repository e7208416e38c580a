//! Operands of a size: texts, lists and maps in the shapes that make an operation work hard. Some are
//! made in the template, others are given as data, which a service shares with the render.

use prompty_core::value::{Map, Value};

use crate::operation::Class;

/// How deep a value is nested at most: more would be refused, whatever the budget.
const DEEPEST: usize = 100;
/// The bytes that an item of a list stands for.
const ITEM: usize = 32;

/// A way to make an operand of a size.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// What it is called in messages.
    pub name: &'static str,
    /// The class of what it makes.
    pub class: Class,
    made: Made,
}

#[derive(Debug, Clone, Copy)]
enum Made {
    /// An expression in which `{n}` is the size, `{m}` a number of items that takes up as much, and
    /// `{d}` a depth.
    InTemplate(&'static str),
    /// Tags that set `{x}`.
    ByTags(&'static str),
    /// A value that the host gives.
    AsData(fn(usize) -> Value),
}

impl Shape {
    /// The template's code that sets a variable to an operand of a size, and the input that it needs.
    pub fn operand(&self, variable: &str, size: usize) -> (String, Option<Value>) {
        let filled = |code: &str| {
            let items = (size / ITEM).max(1);
            code.replace("{n}", &size.to_string())
                .replace("{m}", &items.to_string())
                .replace("{d}", &items.min(DEEPEST).to_string())
                .replace("{x}", variable)
        };
        match self.made {
            Made::InTemplate(code) => (format!("{{% set {variable} = {} %}}", filled(code)), None),
            Made::ByTags(code) => (filled(code), None),
            Made::AsData(value) => (String::new(), Some(value(size))),
        }
    }

    /// Whether the operand is given by the host.
    pub fn is_data(&self) -> bool {
        matches!(self.made, Made::AsData(_))
    }
}

const fn made(class: Class, name: &'static str, code: &'static str) -> Shape {
    Shape { name, class, made: Made::InTemplate(code) }
}

const fn tags(class: Class, name: &'static str, code: &'static str) -> Shape {
    Shape { name, class, made: Made::ByTags(code) }
}

const fn data(class: Class, name: &'static str, value: fn(usize) -> Value) -> Shape {
    Shape { name, class, made: Made::AsData(value) }
}

/// All shapes. Those of a class stand together.
pub const SHAPES: &[Shape] = &[
    made(Class::Text, "letters", "'a' * {n}"),
    made(Class::Text, "letters and another at the end", "'a' * {n} ~ 'b'"),
    made(Class::Text, "other letters and one at the end", "'b' * {n} ~ 'a'"),
    made(Class::Text, "letters of many bytes", "'aé€😀İ<\\n' * {m} * 2"),
    made(Class::Text, "spaces", "' ' * {n}"),
    made(Class::Text, "words", "'a ' * {n}"),
    made(Class::Text, "lines", "'a\\n' * {n}"),
    made(Class::Text, "markup", "'<&' * {n}"),
    made(Class::Text, "digits", "'1' * {n}"),
    made(Class::Text, "a letter", "'a'"),
    data(Class::Text, "letters as data", |size| "a".repeat(size).into()),
    data(Class::Text, "letters of many bytes as data", |size| "é€ ".repeat(size / 4 + 1).into()),
    made(Class::Percent, "places for texts", "'%s' * {n}"),
    made(Class::Percent, "places that are not closed", "'%(' * {n}"),
    made(Class::Percent, "named places", "'%(k0)s' * {n}"),
    made(Class::Percent, "a wide place", "'%{n}s'"),
    made(Class::Percent, "signs", "'%%' * {n}"),
    made(Class::Percent, "a cut place", "'%.{n}s%s'"),
    made(Class::Braces, "places", "'{}' * {n}"),
    made(Class::Braces, "places that are not closed", "'{' * {n}"),
    made(Class::Braces, "numbered places", "'{0}' * {n}"),
    made(Class::Braces, "places with attributes", "'{0' ~ '[0]' * {n} ~ '}'"),
    made(Class::Braces, "a wide place", "'{:>{n}}'"),
    made(Class::Path, "a name", "'a'"),
    made(Class::Path, "the name of a number", "'b'"),
    made(Class::Path, "hops", "'a.' * {n} ~ 'a'"),
    made(Class::Path, "several names", "'a,' * {n} ~ 'b'"),
    made(Class::Path, "a long name", "'a' * {n}"),
    made(Class::List, "one text often", "['a' * {n}] * {m}"),
    made(
        Class::List,
        "two texts that differ at the end",
        "['a' * {n} ~ 'b', 'a' * {n} ~ 'c'] * {m}",
    ),
    made(Class::List, "one list often", "[[0] * {m}] * {m}"),
    made(Class::List, "numbers", "range([{m}, 90000]|min)|list"),
    made(Class::List, "one number often", "[1] * {m}"),
    made(Class::List, "distinct texts", "range([{m}, 90000]|min)|map('string')|list"),
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
    data(Class::List, "one text often as data", |size| {
        vec![Value::from("a".repeat(size)); items(size)].into()
    }),
    data(Class::List, "distinct texts as data", |size| {
        (0..items(size))
            .map(|index| Value::from(format!("Text {index}")))
            .collect::<Vec<_>>()
            .into()
    }),
    data(Class::List, "one list often as data", |size| {
        let inner = Value::from(vec![Value::from(1); items(size)]);
        vec![inner; items(size)].into()
    }),
    data(Class::List, "a deep list as data", |size| {
        let deepest = Value::from("a".repeat(size));
        (0..DEEPEST).fold(deepest, |value, _| vec![value].into())
    }),
    made(Class::Records, "one map often", "[{'a': 'a' * {n}, 'b': 1}] * {m}"),
    made(Class::Records, "maps of maps", "[{'a': {'a': {'a': 'a' * {n}}}, 'b': 1}] * {m}"),
    data(Class::Records, "maps as data", |size| {
        let text = Value::from("A".repeat(size));
        let record = |index: usize| {
            let number = i64::try_from(index).unwrap_or_default();
            Value::from(Map::from([("a", text.clone()), ("b", Value::from(number))]))
        };
        (0..items(size)).map(record).collect::<Vec<_>>().into()
    }),
    made(Class::Map, "a map of long texts", "{'k0': 'a' * {n}, 'k1': 'a' * {n}, 'a': 1}"),
    made(
        Class::Map,
        "a map of a long name",
        "{'k0': 1, 'a' * {n}: 'a' * {n}, 'k1': ['a' * {n}] * {m}}",
    ),
    tags(
        Class::Map,
        "a deep map",
        "{% set s = namespace(v={'k0': 'a' * {n}}) %}{% for i in range({d}) %}{% set s.v = {'k0': s.v, 'b': s.v} %}{% endfor %}{% set {x} = s.v %}",
    ),
    data(Class::Map, "many names as data", |size| {
        (0..items(size))
            .map(|index| (format!("k{index}"), Value::from("v")))
            .collect::<Map>()
            .into()
    }),
    data(Class::Map, "one text under many names as data", |size| {
        let text = Value::from("a".repeat(size));
        (0..items(size)).map(|index| (format!("k{index}"), text.clone())).collect::<Map>().into()
    }),
    data(Class::Map, "long names as data", |size| {
        let name = |index: usize| format!("{}{index}", "k".repeat(size / 8));
        (0..8).map(|index| (name(index), Value::from("v"))).collect::<Map>().into()
    }),
    made(Class::Count, "a large number", "{n}"),
    made(Class::Count, "a small number", "3"),
];

fn items(size: usize) -> usize {
    (size / ITEM).max(1)
}

/// The shapes of an operand's classes.
pub fn shapes(classes: &[Class]) -> Vec<&'static Shape> {
    SHAPES.iter().filter(|shape| classes.contains(&shape.class)).collect()
}
