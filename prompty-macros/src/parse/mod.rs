//! Reads what the user wrote.

pub(crate) mod attributes;
pub(crate) mod expression;
pub(crate) mod fields;
pub(crate) mod invocation;
