//! The operations that only prompts have.

use crate::both::{ANY, ITEMS, TEXT};
use crate::operation::Class::{List, Text};
use crate::operation::Kind::{Filter, Test};
use crate::operation::{Row, row};

pub(crate) const FILTERS: &[Row] = &[
    row(Filter, "bool", "a|@", &[ANY], None),
    row(Filter, "lines", "a|@", &[TEXT], Some(List)),
    row(Filter, "split", "a|@|list", &[TEXT], Some(List)),
    row(Filter, "split", "a|@(b)|list", &[TEXT, TEXT], Some(List)),
    row(Filter, "split", "a|@('')|list", &[TEXT], Some(List)),
    row(Filter, "trusted", "a|@", &[TEXT], Some(Text)),
    row(Filter, "map", "a|@('split', b)|list", &[ITEMS, TEXT], Some(List)),
];

pub(crate) const TESTS: &[Row] = &[
    row(Test, "int", "a is @", &[ANY], None),
    row(Test, "startingwith endingwith", "a is @(b)", &[TEXT, TEXT], None),
];
