//! Parses the tokens of the user.

pub(crate) mod attributes;
#[cfg(feature = "local")]
pub(crate) mod chat_template;
pub(crate) mod expression;
pub(crate) mod fields;
pub(crate) mod invocation;
