//! The operations that only chat templates have.

use crate::operation::Class::{List, Map, Text};
use crate::operation::Kind::{
    Filter, Function, ListMethod, MapMethod, Operator, OtherMethod, Statement, Test, TextMethod,
    TupleMethod,
};
use crate::operation::{Row, row};
use crate::shared::{ANY, BRACES, COUNT, ITEMS, LIST, MAP, PATH, PERCENT, RECORDS, TEXT};

pub(crate) const FILTERS: &[Row] = &[
    row(Filter, "attr", "a|@(b)", &[ANY, TEXT], Some(Text)),
    row(Filter, "batch slice", "a|@(b)", &[ITEMS, COUNT], Some(List)),
    row(Filter, "batch slice", "a|@(3, b)", &[LIST, ANY], Some(List)),
    row(Filter, "batch", "a|@(b, 'x')", &[LIST, COUNT], Some(List)),
    row(Filter, "center", "a|@(b)", &[TEXT, COUNT], Some(Text)),
    row(Filter, "e escape forceescape safe", "a|@", &[ANY], Some(Text)),
    row(Filter, "striptags urlencode pprint", "a|@", &[ANY], Some(Text)),
    row(Filter, "wordcount", "a|@", &[TEXT], None),
    row(Filter, "filesizeformat", "('1' * a)|@", &[COUNT], None),
    row(Filter, "indent", "a|@(b, true, true)", &[TEXT, TEXT], Some(Text)),
    row(Filter, "join", "a|@(b, attribute=c)", &[RECORDS, TEXT, PATH], Some(Text)),
    row(Filter, "random", "a|@", &[ITEMS], Some(Text)),
    row(Filter, "replace", "a|@('a', b, c)", &[TEXT, TEXT, COUNT], Some(Text)),
    row(Filter, "round", "b|@(c, 'ceil')", &[TEXT, COUNT, COUNT], None),
    row(Filter, "tojson", "a|@(indent=b)", &[ANY, &[Text, crate::Class::Count]], Some(Text)),
    row(Filter, "tojson", "a|@(sort_keys=true, ensure_ascii=true)", &[ANY], Some(Text)),
    row(Filter, "tojson", "a|@(separators=(b, c))", &[ANY, TEXT, TEXT], Some(Text)),
    row(Filter, "wordwrap", "a|@", &[TEXT], Some(Text)),
    row(Filter, "wordwrap", "a|@(b)", &[TEXT, COUNT], Some(Text)),
    row(Filter, "wordwrap", "a|@(1, true, b)", &[TEXT, TEXT], Some(Text)),
    row(Filter, "xmlattr", "a|@", &[MAP], Some(Text)),
    row(Filter, "map", "a|@('format', b, b)|list", &[LIST, ANY], Some(List)),
    row(Filter, "map", "a|@('wordwrap', 1)|list", &[LIST], Some(List)),
];

pub(crate) const TESTS: &[Row] = &[
    row(Test, "callable escaped lower upper filter test", "a is @", &[ANY], None),
    row(Test, "sameas", "a is @(b)", &[ANY, ANY], None),
];

pub(crate) const OPERATORS: &[Row] = &[
    row(Operator, "%", "a @ b", &[PERCENT, ANY], Some(Text)),
    row(Operator, "%", "a @ (b, c)", &[PERCENT, ANY, ANY], Some(Text)),
    row(Operator, "%", "'%s%s' @ (a, b)", &[ANY, ANY], Some(Text)),
    row(Operator, "%", "'%.3s%r' @ (a, b)", &[ANY, ANY], Some(Text)),
    row(Operator, "+", "+b", &[TEXT, COUNT], None),
    row(Operator, "in", "(a, b) @ [[a, b]]", &[ANY, ANY], None),
    row(Operator, "{:}", "{(a, b): c}", &[TEXT, TEXT, ANY], Some(Map)),
];

pub(crate) const FUNCTIONS: &[Row] = &[
    row(Function, "dict", "@(a|items)", &[MAP], Some(Map)),
    row(Function, "cycler", "@(*a).next()", &[ITEMS], Some(Text)),
    row(Function, "joiner", "@(a)()", &[ANY], Some(Text)),
    row(Function, "raise_exception strftime_now", "@(a)", &[TEXT], Some(Text)),
    row(Function, "strftime_now", "@('%c' * b)", &[TEXT, COUNT], Some(Text)),
];

pub(crate) const METHODS: &[Row] = &[
    row(TextMethod, "format_map", "a.@(b)", &[BRACES, MAP], Some(Text)),
    row(TextMethod, "find rfind index rindex count", "a.@(b, 0, c)", &[TEXT, TEXT, COUNT], None),
    row(TextMethod, "translate encode", "a.@(b)", &[TEXT, ANY], Some(Text)),
    row(MapMethod, "copy", "a.@()", &[MAP], Some(Map)),
    row(MapMethod, "clear popitem", "a.copy().@()", &[MAP], Some(List)),
    row(MapMethod, "pop setdefault", "a.copy().@(b, c)", &[MAP, TEXT, ANY], Some(Text)),
    row(MapMethod, "update", "a.copy().@(b)", &[MAP, MAP], None),
    row(MapMethod, "update", "a.copy().@(**b)", &[MAP, MAP], None),
    row(MapMethod, "fromkeys", "a.@(b, c)", &[MAP, ITEMS, ANY], Some(Map)),
    row(
        MapMethod,
        "popitem",
        "{% set m = a.copy() %}{% for x in a %}{% do m.@() %}{% endfor %}",
        &[MAP],
        None,
    ),
    row(
        MapMethod,
        "pop",
        "{% set m = a.copy() %}{% for x in a %}{% do m.@(x) %}{% endfor %}",
        &[MAP],
        None,
    ),
    row(
        MapMethod,
        "setdefault",
        "{% set m = {} %}{% for x in a %}{% do m.@(x, b) %}{% endfor %}{% set r = m %}",
        &[LIST, ANY],
        Some(Map),
    ),
    row(
        MapMethod,
        "update",
        "{% set m = {} %}{% for x in a %}{% do m.@({x: b}) %}{% endfor %}{% set r = m %}",
        &[LIST, ANY],
        Some(Map),
    ),
    row(ListMethod, "copy", "a.@()", &[LIST], Some(List)),
    row(ListMethod, "clear reverse sort pop", "a.copy().@()", &[LIST], None),
    row(ListMethod, "sort", "a.copy().@(reverse=true)", &[LIST], None),
    row(ListMethod, "pop", "a.copy().@(0)", &[LIST], Some(Text)),
    row(ListMethod, "append extend remove", "a.copy().@(b)", &[LIST, ANY], None),
    row(ListMethod, "insert", "a.copy().@(0, b)", &[LIST, ANY], None),
    row(
        ListMethod,
        "append insert",
        "{% set l = [] %}{% for x in b %}{% do l.append(a) %}{% do l.insert(0, x) %}{% endfor %}{% set r = l %}",
        &[ANY, LIST],
        Some(List),
    ),
    row(
        ListMethod,
        "pop",
        "{% set l = a.copy() %}{% for x in a %}{% do l.@(0) %}{% endfor %}",
        &[LIST],
        None,
    ),
    row(
        ListMethod,
        "remove",
        "{% set l = a.copy() %}{% for x in a %}{% do l.@(x) %}{% endfor %}",
        &[LIST],
        None,
    ),
    row(TupleMethod, "count index", "((a,) * c).@(b)", &[ANY, ANY, COUNT], None),
    row(ListMethod, "index", "a.@(a[-1], 1, b)", &[LIST, COUNT], None),
    row(OtherMethod, "is_integer", "1.5.@()", &[], None),
    row(OtherMethod, "next reset", "cycler(*a).@()", &[ITEMS], Some(Text)),
];

pub(crate) const STATEMENTS: &[Row] = &[
    row(Statement, "do", "{% @ a|sort %}", &[ITEMS], None),
    row(Statement, "break", "{% for x in a %}{% @ %}{% endfor %}", &[ITEMS], None),
    row(Statement, "continue", "{% for x in a %}{% @ %}{{ x }}{% endfor %}", &[ITEMS], None),
    row(Statement, "generation", "{% @ %}{{ a }}{% endgeneration %}", &[ANY], None),
    row(
        Statement,
        "macro",
        "{% macro f() %}{{ varargs|length }}{{ kwargs|length }}{% endmacro %}{% set r = f(*a, **b) %}",
        &[ITEMS, MAP],
        None,
    ),
];
