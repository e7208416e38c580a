//! The operations of both engines.

use crate::operation::Class::{Braces, Count, List, Map, Path, Percent, Records, Text};
use crate::operation::Kind::{
    Filter, Function, ListMethod, LoopMethod, MapMethod, Operator, Statement, Test, TextMethod,
};
use crate::operation::{Operand, Row, row};

/// A string.
pub(crate) const TEXT: Operand = &[Text];
/// A list.
pub(crate) const LIST: Operand = &[List];
/// Values that can be iterated.
pub(crate) const ITEMS: Operand = &[List, Text, Map];
/// A list of maps.
pub(crate) const RECORDS: Operand = &[Records];
/// A map.
pub(crate) const MAP: Operand = &[Map];
/// The name of an attribute.
pub(crate) const PATH: Operand = &[Path];
/// An integer.
pub(crate) const COUNT: Operand = &[Count];
/// Format strings of `%`.
pub(crate) const PERCENT: Operand = &[Percent, Text];
/// Format strings of `format`.
pub(crate) const BRACES: Operand = &[Braces, Text];
/// A value of any class.
pub(crate) const ANY: Operand = &[Text, List, Map];

pub(crate) const FILTERS: &[Row] = &[
    row(Filter, "abs round", "b|@", &[TEXT, COUNT], None),
    row(Filter, "capitalize lower title trim upper", "a|@", &[TEXT], Some(Text)),
    row(Filter, "trim", "a|@(b)", &[TEXT, TEXT], Some(Text)),
    row(Filter, "replace", "a|@(b, c)", &[TEXT, TEXT, TEXT], Some(Text)),
    row(Filter, "replace", "a|@('a', b)", &[TEXT, TEXT], Some(Text)),
    row(Filter, "replace", "a|@('', 'b')", &[TEXT], Some(Text)),
    row(Filter, "indent", "a|@", &[TEXT], Some(Text)),
    row(Filter, "indent", "a|@(b)", &[TEXT, COUNT], Some(Text)),
    row(Filter, "string tojson", "a|@", &[ANY], Some(Text)),
    row(Filter, "truncate", "a|@(b)", &[TEXT, COUNT], Some(Text)),
    row(Filter, "truncate", "a|@(c, true, b)", &[TEXT, TEXT, COUNT], Some(Text)),
    row(Filter, "format", "a|@(b)", &[PERCENT, ANY], Some(Text)),
    row(Filter, "format", "a|@(*b)", &[PERCENT, ITEMS], Some(Text)),
    row(Filter, "format", "a|@(**b)", &[PERCENT, MAP], Some(Text)),
    row(Filter, "default d", "a|@(b)", &[ANY, ANY], Some(Text)),
    row(Filter, "default d", "a|@(b, true)", &[ANY, ANY], Some(Text)),
    row(Filter, "float int", "a|@", &[TEXT], None),
    row(Filter, "int", "a|@(0, 16)", &[TEXT], None),
    row(Filter, "float int", "a|@(b)", &[TEXT, TEXT], Some(Text)),
    row(Filter, "count length", "a|@", &[ITEMS], None),
    row(Filter, "first last", "a|@", &[ITEMS], Some(Text)),
    row(Filter, "list reverse", "a|@", &[ITEMS], Some(List)),
    row(Filter, "sort unique", "a|@|list", &[ITEMS], Some(List)),
    row(Filter, "sort unique", "a|@(case_sensitive=true)|list", &[LIST], Some(List)),
    row(Filter, "sort unique", "a|@(attribute=b)|list", &[RECORDS, PATH], Some(List)),
    row(Filter, "sort", "a|@(reverse=true)", &[LIST], Some(List)),
    row(Filter, "min max", "a|@", &[ITEMS], Some(Text)),
    row(Filter, "min max", "a|@(attribute=b)", &[RECORDS, PATH], Some(Map)),
    row(Filter, "sum", "a|@", &[LIST], Some(List)),
    row(Filter, "sum", "a|@(start=b)", &[LIST, ANY], Some(List)),
    row(Filter, "sum", "a|@(attribute=b)", &[RECORDS, PATH], Some(List)),
    row(Filter, "join", "a|@", &[ITEMS], Some(Text)),
    row(Filter, "join", "a|@(b)", &[LIST, TEXT], Some(Text)),
    row(Filter, "groupby", "a|@(b)", &[RECORDS, PATH], Some(List)),
    row(Filter, "groupby", "a|@(b, default=c)", &[RECORDS, PATH, TEXT], Some(List)),
    row(Filter, "items", "a|@|list", &[MAP], Some(List)),
    row(Filter, "dictsort", "a|@", &[MAP], Some(List)),
    row(Filter, "dictsort", "a|@(by='value', reverse=true)", &[MAP], Some(List)),
    row(Filter, "map", "a|@('upper')|list", &[ITEMS], Some(List)),
    row(Filter, "map", "a|@('string')|list", &[LIST], Some(List)),
    row(Filter, "map", "a|@('default', b)|list", &[LIST, ANY], Some(List)),
    row(Filter, "map", "a|@('replace', 'a', b)|list", &[LIST, TEXT], Some(List)),
    row(Filter, "map", "a|@('trim', b)|list", &[LIST, TEXT], Some(List)),
    row(Filter, "map", "a|@('join', b)|list", &[LIST, TEXT], Some(List)),
    row(Filter, "map", "a|@('sort')|list", &[LIST], Some(List)),
    row(Filter, "map", "a|@(b)|list", &[LIST, TEXT], Some(List)),
    row(Filter, "map", "a|@(attribute=b)|list", &[RECORDS, PATH], Some(List)),
    row(Filter, "map", "a|@(attribute=b, default=c)|list", &[RECORDS, PATH, TEXT], Some(List)),
    row(Filter, "select reject", "a|@|list", &[ITEMS], Some(List)),
    row(Filter, "select reject", "a|@('eq', b)|list", &[LIST, ANY], Some(List)),
    row(Filter, "select reject", "a|@('lt', b)|list", &[LIST, TEXT], Some(List)),
    row(Filter, "select reject", "a|@('in', b)|list", &[LIST, ANY], Some(List)),
    row(Filter, "select reject", "a|@(b)|list", &[LIST, TEXT], Some(List)),
    row(Filter, "selectattr rejectattr", "a|@(b)|list", &[RECORDS, PATH], Some(List)),
    row(
        Filter,
        "selectattr rejectattr",
        "a|@(b, 'eq', c)|list",
        &[RECORDS, PATH, TEXT],
        Some(List),
    ),
    row(Filter, "selectattr rejectattr", "a|@(b, 'in', c)|list", &[RECORDS, PATH, ANY], Some(List)),
];

pub(crate) const TESTS: &[Row] = &[
    row(Test, "boolean defined false float integer", "a is @", &[ANY], None),
    row(Test, "iterable mapping none number sequence", "a is @", &[ANY], None),
    row(Test, "string true undefined", "a is @", &[ANY], None),
    row(Test, "even odd", "b is @", &[TEXT, COUNT], None),
    row(Test, "divisibleby", "b is @(7)", &[TEXT, COUNT], None),
    row(Test, "eq equalto ne", "a is @(b)", &[ANY, ANY], None),
    row(
        Test,
        "lt lessthan le gt greaterthan ge",
        "a is @(b)",
        &[&[Text, List], &[Text, List]],
        None,
    ),
    row(Test, "in", "a is @(b)", &[ANY, ANY], None),
    row(Test, "== != < <= > >=", "[a]|select('@', b)|list", &[&[Text, List], &[Text, List]], None),
];

pub(crate) const OPERATORS: &[Row] = &[
    row(Operator, "== !=", "a @ b", &[ANY, ANY], None),
    row(Operator, "< <= > >=", "a @ b", &[&[Text, List], &[Text, List]], None),
    row(Operator, "<", "a @ b @ c", &[TEXT, TEXT, TEXT], None),
    row(Operator, "==", "a @ a", &[ANY], None),
    row(Operator, "==", "[a, b] @ [a, b]", &[ANY, ANY], None),
    row(Operator, "==", "{'k': a} @ {'k': b}", &[ANY, ANY], None),
    row(Operator, "in", "a @ b", &[ANY, ANY], None),
    row(Operator, "in", "a not @ b", &[ANY, ANY], None),
    row(Operator, "in", "a @ [b, c]", &[ANY, ANY, ANY], None),
    row(Operator, "+", "a @ b", &[TEXT, TEXT], Some(Text)),
    row(Operator, "+", "a @ b", &[LIST, LIST], Some(List)),
    row(Operator, "*", "a @ b", &[&[Text, List], COUNT], Some(Text)),
    row(Operator, "*", "[a] @ b", &[ANY, COUNT], Some(List)),
    row(Operator, "- / // % **", "b @ 2", &[TEXT, COUNT], None),
    row(Operator, "~", "a @ b", &[ANY, ANY], Some(Text)),
    row(Operator, "~", "a @ b @ c", &[ANY, TEXT, ANY], Some(Text)),
    row(Operator, "and or", "a @ b", &[ANY, ANY], Some(Text)),
    row(Operator, "not", "@ a", &[ANY], None),
    row(Operator, "-", "-b", &[TEXT, COUNT], None),
    row(Operator, "if", "a @ b else c", &[ANY, ANY, ANY], Some(Text)),
    row(Operator, "[]", "a[0]", &[&[Text, List]], Some(Text)),
    row(Operator, "[]", "a[-1]", &[&[Text, List]], Some(Text)),
    row(Operator, "[]", "a[b]", &[MAP, TEXT], Some(Text)),
    row(Operator, "[]", "a[b]", &[&[Text, List], COUNT], Some(Text)),
    row(Operator, "[]", "{'k': a}[b]", &[ANY, TEXT], Some(Text)),
    row(Operator, ".", "a.k0", &[MAP], Some(Text)),
    row(Operator, ".", "a.b.c.d.e", &[MAP], Some(Text)),
    row(Operator, "[:]", "a[1:]", &[&[Text, List]], Some(Text)),
    row(Operator, "[:]", "a[:-1]", &[&[Text, List]], Some(List)),
    row(Operator, "[:]", "a[b:]", &[&[Text, List], COUNT], Some(Text)),
    row(Operator, "[::]", "a[::2]", &[&[Text, List]], Some(Text)),
    row(Operator, "[::]", "a[::-1]", &[&[Text, List]], Some(Text)),
    row(Operator, "[,]", "[a, b, a]", &[ANY, ANY], Some(List)),
    row(Operator, "(,)", "(a, b, a)", &[ANY, ANY], Some(List)),
    row(Operator, "{:}", "{'k0': a, 'k1': b}", &[ANY, ANY], Some(Map)),
    row(Operator, "{:}", "{a: b}", &[TEXT, ANY], Some(Map)),
];

pub(crate) const FUNCTIONS: &[Row] = &[
    row(Function, "range", "@(b)|list", &[TEXT, COUNT], Some(List)),
    row(Function, "range", "@(0, b, 3)|list", &[TEXT, COUNT], Some(List)),
    row(Function, "dict", "@(a)", &[MAP], Some(Map)),
    row(Function, "dict", "@(a, k=b)", &[MAP, ANY], Some(Map)),
    row(Function, "dict", "@(**a)", &[MAP], Some(Map)),
    row(Function, "namespace", "@(**a).k0", &[MAP], Some(Text)),
    row(Function, "namespace", "@(k=a).k", &[ANY], Some(Text)),
];

pub(crate) const METHODS: &[Row] = &[
    row(
        TextMethod,
        "capitalize casefold lower upper title swapcase strip lstrip rstrip expandtabs",
        "a.@()",
        &[TEXT],
        Some(Text),
    ),
    row(TextMethod, "strip lstrip rstrip", "a.@(b)", &[TEXT, TEXT], Some(Text)),
    row(TextMethod, "removeprefix removesuffix", "a.@(b)", &[TEXT, TEXT], Some(Text)),
    row(TextMethod, "startswith endswith", "a.@(b)", &[TEXT, TEXT], None),
    row(TextMethod, "startswith endswith", "a.@((b, c) * 99)", &[TEXT, TEXT, TEXT], None),
    row(TextMethod, "startswith endswith", "a.@((b,) * c)", &[TEXT, TEXT, COUNT], None),
    row(TextMethod, "startswith endswith", "a.@(b, 1, c)", &[TEXT, TEXT, COUNT], None),
    row(TextMethod, "find rfind index rindex count", "a.@(b)", &[TEXT, TEXT], None),
    row(TextMethod, "find rfind index rindex count", "a.@('')", &[TEXT], None),
    row(TextMethod, "partition rpartition", "a.@(b)", &[TEXT, TEXT], Some(List)),
    row(TextMethod, "split rsplit splitlines", "a.@()", &[TEXT], Some(List)),
    row(TextMethod, "splitlines", "a.@(true)", &[TEXT], Some(List)),
    row(TextMethod, "split rsplit", "a.@(b)", &[TEXT, TEXT], Some(List)),
    row(TextMethod, "split rsplit", "a.@('a', b)", &[TEXT, COUNT], Some(List)),
    row(TextMethod, "replace", "a.@(b, c)", &[TEXT, TEXT, TEXT], Some(Text)),
    row(TextMethod, "replace", "a.@('', b)", &[TEXT, TEXT], Some(Text)),
    row(TextMethod, "join", "a.@(b)", &[TEXT, ITEMS], Some(Text)),
    row(TextMethod, "format", "a.@(b, c)", &[BRACES, ANY, ANY], Some(Text)),
    row(TextMethod, "format", "a.@(*b)", &[BRACES, ITEMS], Some(Text)),
    row(TextMethod, "format", "a.@(**b)", &[BRACES, MAP], Some(Text)),
    row(TextMethod, "center ljust rjust zfill", "a.@(b)", &[TEXT, COUNT], Some(Text)),
    row(TextMethod, "center ljust rjust", "a.@(b, 'é')", &[TEXT, COUNT], Some(Text)),
    row(TextMethod, "expandtabs", "a.@(b)", &[TEXT, COUNT], Some(Text)),
    row(
        TextMethod,
        "isalnum isalpha isascii isdecimal isdigit isidentifier",
        "a.@()",
        &[TEXT],
        None,
    ),
    row(
        TextMethod,
        "islower isnumeric isprintable isspace istitle isupper",
        "a.@()",
        &[TEXT],
        None,
    ),
    row(ListMethod, "count index", "a.@(b)", &[LIST, ANY], None),
    row(MapMethod, "get", "a.@(b)", &[MAP, TEXT], Some(Text)),
    row(MapMethod, "get", "a.@(b, c)", &[MAP, TEXT, ANY], Some(Text)),
    row(MapMethod, "items keys values", "a.@()|list", &[MAP], Some(List)),
    row(LoopMethod, "changed", "{% for x in b %}{{ loop.@(a) }}{% endfor %}", &[ANY, LIST], None),
    row(
        LoopMethod,
        "changed",
        "{% for x in b %}{{ loop.@(x, a) }}{% endfor %}",
        &[ANY, LIST],
        None,
    ),
    row(
        LoopMethod,
        "cycle",
        "{% for x in b %}{{ loop.@(a, x)|length }}{% endfor %}",
        &[ANY, LIST],
        None,
    ),
];

pub(crate) const STATEMENTS: &[Row] = &[
    row(Statement, "print", "{{ a }}", &[ANY], None),
    row(Statement, "set", "{% set r %}{{ a }}{{ b }}{% endset %}", &[ANY, ANY], Some(Text)),
    row(Statement, "set", "{% set x, y = a, b %}{% set r = [x, y] %}", &[ANY, ANY], Some(List)),
    row(Statement, "set", "{% set x, y = a %}", &[ITEMS], None),
    row(
        Statement,
        "set",
        "{% set s = namespace(v='') %}{% for x in b %}{% set s.v = s.v ~ a %}{% endfor %}{% set r = s.v %}",
        &[TEXT, LIST],
        Some(Text),
    ),
    row(
        Statement,
        "set",
        "{% set s = namespace(v=[]) %}{% for x in b %}{% set s.v = s.v + [a] %}{% endfor %}{% set r = s.v %}",
        &[ANY, LIST],
        Some(List),
    ),
    row(
        Statement,
        "set",
        "{% set s = namespace(v=a) %}{% for x in b %}{% set s.v = [s.v] %}{% endfor %}{% set r = s.v %}",
        &[ANY, LIST],
        Some(List),
    ),
    row(Statement, "for", "{% for x in a %}{{ x }}{% endfor %}", &[ITEMS], None),
    row(Statement, "for", "{% for x in a if x == b %}{{ x }}{% endfor %}", &[ITEMS, TEXT], None),
    row(
        Statement,
        "for",
        "{% for x in a if x in b %}{{ loop.index }}{% endfor %}",
        &[LIST, ANY],
        None,
    ),
    row(Statement, "for", "{% for x, y in a|items %}{{ y }}{% endfor %}", &[MAP], None),
    row(
        Statement,
        "for",
        "{% for x in a %}{% for y in b %}{% endfor %}{% endfor %}",
        &[ITEMS, ITEMS],
        None,
    ),
    row(
        Statement,
        "for",
        "{% for x in a recursive %}{% if loop.depth < 9 %}{{ loop(b) }}{% endif %}{% endfor %}",
        &[LIST, LIST],
        None,
    ),
    row(
        Statement,
        "for",
        "{% for x in a %}{{ loop.previtem }}{{ loop.nextitem }}{{ loop.last }}{% endfor %}",
        &[LIST],
        None,
    ),
    row(Statement, "if", "{% if a %}{% elif b %}{% endif %}", &[ANY, ANY], None),
    row(Statement, "with", "{% with x = a %}{% set r = x %}{{ x }}{% endwith %}", &[ANY], None),
    row(Statement, "filter", "{% filter upper %}{{ a }}{% endfilter %}", &[ANY], None),
    row(
        Statement,
        "filter",
        "{% filter replace('a', b) %}{{ a }}{% endfilter %}",
        &[ANY, TEXT],
        None,
    ),
    row(
        Statement,
        "macro",
        "{% macro f(x, y=b) %}{{ x }}{{ y }}{% endmacro %}{% set r = f(a) %}",
        &[ANY, ANY],
        Some(Text),
    ),
    row(
        Statement,
        "macro",
        "{% macro f(x, y=1, z=2) %}{% endmacro %}{% set r = f(*a) %}",
        &[ITEMS],
        Some(Text),
    ),
    row(
        Statement,
        "macro",
        "{% macro f(k0, k1=1, z=2) %}{{ k0 }}{% endmacro %}{% set r = f(**a) %}",
        &[MAP],
        Some(Text),
    ),
    row(
        Statement,
        "call",
        "{% macro f(x) %}{{ caller() }}{{ x }}{% endmacro %}{% call f(a) %}{{ b }}{% endcall %}",
        &[ANY, ANY],
        None,
    ),
];
