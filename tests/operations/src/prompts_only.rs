//! The operations that only prompts have.

use crate::operation::Class::{List, Text};
use crate::operation::Kind::{Filter, Function, Test};
use crate::operation::{Row, row};
use crate::shared::{ANY, COUNT, ITEMS, LIST, TEXT};

pub(crate) const FILTERS: &[Row] = &[
    row(Filter, "bool", "a|@", &[ANY], None),
    row(Filter, "lines", "a|@", &[TEXT], Some(List)),
    row(Filter, "split", "a|@|list", &[TEXT], Some(List)),
    row(Filter, "split", "a|@(b)|list", &[TEXT, TEXT], Some(List)),
    row(Filter, "split", "a|@('')|list", &[TEXT], Some(List)),
    row(Filter, "tojson", "a|@(indent=3)", &[ANY], Some(Text)),
    row(Filter, "tojson", "a|@(b)", &[ANY, COUNT], Some(Text)),
    row(Filter, "truncate", "a|@(b, end=c)", &[TEXT, COUNT, TEXT], Some(Text)),
    row(Filter, "trusted", "a|@", &[TEXT], Some(Text)),
    row(Filter, "map", "a|@('split', b)|list", &[ITEMS, TEXT], Some(List)),
];

pub(crate) const FUNCTIONS: &[Row] = &[
    row(Function, "zip", "@(a)", &[ITEMS], Some(List)),
    row(Function, "zip", "@(a, b)", &[ITEMS, ITEMS], Some(List)),
    row(Function, "zip", "@(a, a, b)", &[LIST, LIST], Some(List)),
];

pub(crate) const TESTS: &[Row] = &[
    row(Test, "int", "a is @", &[ANY], None),
    row(Test, "startingwith endingwith", "a is @(b)", &[TEXT, TEXT], None),
];
