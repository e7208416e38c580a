//! The filters and tests that templates can call, by name.

use super::run::{FilterFn, FunctionTables, TestFn};
use super::table::{Entry, find};
use super::{filters, lists, predicates};

/// All filters and tests.
pub(super) const TABLES: FunctionTables = FunctionTables { filter, test };

/// The filter with a name.
pub(super) fn filter(name: &str) -> Option<&'static Entry<FilterFn>> {
    find(filters::FILTERS, name).or_else(|| find(lists::FILTERS, name))
}

/// The test with a name.
pub(super) fn test(name: &str) -> Option<&'static Entry<TestFn>> {
    find(predicates::TESTS, name)
}
