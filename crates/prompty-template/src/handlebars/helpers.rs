//! The helpers that every Handlebars template has. The parser, the checker, the engine and the
//! documentation share this table.

use std::borrow::Cow;

use crate::builtins::{self, Builtin, Operand, Output, builtin};

const MANY: usize = usize::MAX;

/// The blocks, in alphabetical order.
pub const BLOCKS: &[&str] = &["each", "if", "unless", "with"];

/// The blocks that are messages, in addition to `message`. Their names are roles.
pub(super) const ROLES: &[&str] = &["assistant", "developer", "system", "tool", "user"];

/// The helpers that return a value. They must be in alphabetical order, as [`builtins::find`]
/// requires.
///
/// ```
/// use prompty_template::handlebars::HELPERS;
///
/// assert!(HELPERS.iter().any(|helper| helper.name == "json"));
/// ```
pub const HELPERS: &[Builtin] = &[
    builtin("add", Operand::Number, Output::Anything, "the sum of the numbers").arguments(2, MANY),
    builtin("array", Operand::Anything, Output::List, "a list of the values").arguments(0, MANY),
    builtin("camelCase", Operand::Printed, Output::Text, CAMEL_CASE).arguments(1, 1),
    builtin("camel_case", Operand::Printed, Output::Text, CAMEL_CASE).arguments(1, 1),
    builtin("concat", Operand::Anything, Output::Text, "the values joined to one string")
        .arguments(1, MANY),
    builtin("doubleClose", Operand::Anything, Output::Text, "two closing braces"),
    builtin("doubleOpen", Operand::Anything, Output::Text, "two opening braces"),
    builtin("double_close", Operand::Anything, Output::Text, "two closing braces"),
    builtin("double_open", Operand::Anything, Output::Text, "two opening braces"),
    builtin("equals", Operand::Anything, Output::Boolean, "whether two values are equal")
        .arguments(2, 2),
    builtin("get", Operand::Text, Output::Anything, "the input with the given name")
        .arguments(1, 1),
    builtin("greaterThan", Operand::Anything, Output::Boolean, GREATER).arguments(2, 2),
    builtin("greaterThanOrEqual", Operand::Anything, Output::Boolean, NOT_LESS).arguments(2, 2),
    builtin("greater_than", Operand::Anything, Output::Boolean, GREATER).arguments(2, 2),
    builtin("greater_than_or_equal", Operand::Anything, Output::Boolean, NOT_LESS).arguments(2, 2),
    builtin("json", Operand::Anything, Output::Text, "the value as JSON; a string is unchanged")
        .arguments(1, 1),
    builtin("lessThan", Operand::Anything, Output::Boolean, LESS).arguments(2, 2),
    builtin("lessThanOrEqual", Operand::Anything, Output::Boolean, NOT_GREATER).arguments(2, 2),
    builtin("less_than", Operand::Anything, Output::Boolean, LESS).arguments(2, 2),
    builtin("less_than_or_equal", Operand::Anything, Output::Boolean, NOT_GREATER).arguments(2, 2),
    builtin("log", Operand::Anything, Output::Anything, "nothing, because a prompt has no log")
        .arguments(0, MANY)
        .named(&["level"]),
    builtin("lookup", Operand::Anything, Output::Anything, "the entry or item of a list or map")
        .arguments(2, 2),
    builtin("messages", Operand::Anything, Output::Same, "the messages of a thread")
        .arguments(1, 1),
    builtin("or", Operand::Anything, Output::Boolean, "whether one of the values is true")
        .arguments(2, MANY),
    builtin("range", Operand::Number, Output::Integers, "the integers up to another number")
        .arguments(2, 2),
    builtin("snakeCase", Operand::Printed, Output::Text, SNAKE_CASE).arguments(1, 1),
    builtin("snake_case", Operand::Printed, Output::Text, SNAKE_CASE).arguments(1, 1),
    builtin("subtract", Operand::Number, Output::Anything, "the first number minus the others")
        .arguments(2, MANY),
];

const CAMEL_CASE: &str =
    "the words of a name, each with an upper-case first letter, without underscores";
const SNAKE_CASE: &str = "the words of a name in lower case, with underscores";
const GREATER: &str = "whether the first value is greater";
const LESS: &str = "whether the first value is less";
const NOT_LESS: &str = "whether the first value is greater or equal";
const NOT_GREATER: &str = "whether the first value is less or equal";

/// Returns the helper with a name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    builtins::find(HELPERS, name)
}

/// Returns the name by which a template calls a host function, such as `time-now` for `time.now`.
pub fn function_name(name: &str) -> Cow<'_, str> {
    if name.contains('.') { name.replace('.', "-").into() } else { name.into() }
}

/// Whether a name is that of a block.
pub(super) fn is_block(name: &str) -> bool {
    BLOCKS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::HELPERS;

    #[test]
    fn the_table_is_sorted_so_that_names_are_found() {
        assert!(HELPERS.is_sorted_by(|left, right| left.name < right.name));
    }
}
