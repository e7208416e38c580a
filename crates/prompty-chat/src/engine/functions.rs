//! The filters and tests that templates can call, by their names.

use super::run::{FilterFn, Named, TestFn};
use super::table::find;
use super::{filters, lists, predicates};

/// All filters and tests.
pub(super) const NAMED: Named = Named { filter, test };

/// The filter of a name.
pub(super) fn filter(name: &str) -> Option<FilterFn> {
    find(filters::FILTERS, name).or_else(|| find(lists::FILTERS, name))
}

/// The test of a name.
pub(super) fn test(name: &str) -> Option<TestFn> {
    find(predicates::TESTS, name)
}
