//! The helpers that every Handlebars template has: one table for the parser, the checker, the engine and
//! the documentation.

use std::borrow::Cow;

use crate::builtins::{self, Builtin, Gives, Takes, builtin};

const MANY: usize = usize::MAX;

/// The blocks, in alphabetical order.
pub const BLOCKS: &[&str] = &["each", "if", "unless", "with"];

/// The blocks that are messages, beside `message`: their names are roles.
pub(super) const ROLES: &[&str] = &["assistant", "developer", "system", "tool", "user"];

/// The helpers that give a value, in alphabetical order.
///
/// ```
/// use prompty_template::handlebars::HELPERS;
///
/// assert!(HELPERS.iter().any(|helper| helper.name == "json"));
/// ```
pub const HELPERS: &[Builtin] = &[
    builtin("add", Takes::Number, Gives::Anything, "numbers added").arguments(2, MANY),
    builtin("array", Takes::Anything, Gives::List, "a list of the values").arguments(0, MANY),
    builtin("camelCase", Takes::Printed, Gives::Text, CAMEL_CASE).arguments(1, 1),
    builtin("camel_case", Takes::Printed, Gives::Text, CAMEL_CASE).arguments(1, 1),
    builtin("concat", Takes::Anything, Gives::Text, "the values as one text").arguments(1, MANY),
    builtin("doubleClose", Takes::Anything, Gives::Text, "two closing braces"),
    builtin("doubleOpen", Takes::Anything, Gives::Text, "two opening braces"),
    builtin("double_close", Takes::Anything, Gives::Text, "two closing braces"),
    builtin("double_open", Takes::Anything, Gives::Text, "two opening braces"),
    builtin("equals", Takes::Anything, Gives::Boolean, "whether two values are the same")
        .arguments(2, 2),
    builtin("get", Takes::Text, Gives::Anything, "the input of a name").arguments(1, 1),
    builtin("greaterThan", Takes::Anything, Gives::Boolean, GREATER).arguments(2, 2),
    builtin("greaterThanOrEqual", Takes::Anything, Gives::Boolean, NOT_LESS).arguments(2, 2),
    builtin("greater_than", Takes::Anything, Gives::Boolean, GREATER).arguments(2, 2),
    builtin("greater_than_or_equal", Takes::Anything, Gives::Boolean, NOT_LESS).arguments(2, 2),
    builtin("json", Takes::Anything, Gives::Text, "the value as JSON; a text as it is")
        .arguments(1, 1),
    builtin("lessThan", Takes::Anything, Gives::Boolean, LESS).arguments(2, 2),
    builtin("lessThanOrEqual", Takes::Anything, Gives::Boolean, NOT_GREATER).arguments(2, 2),
    builtin("less_than", Takes::Anything, Gives::Boolean, LESS).arguments(2, 2),
    builtin("less_than_or_equal", Takes::Anything, Gives::Boolean, NOT_GREATER).arguments(2, 2),
    builtin("log", Takes::Anything, Gives::Anything, "nothing: a prompt is the only output")
        .arguments(0, MANY)
        .named(&["level"]),
    builtin("lookup", Takes::Anything, Gives::Anything, "the entry or item of a list or map")
        .arguments(2, 2),
    builtin("messages", Takes::Anything, Gives::Same, "the messages of a thread").arguments(1, 1),
    builtin("or", Takes::Anything, Gives::Boolean, "whether one of the values is true")
        .arguments(2, MANY),
    builtin("range", Takes::Number, Gives::Integers, "the whole numbers from one up to another")
        .arguments(2, 2),
    builtin("snakeCase", Takes::Printed, Gives::Text, SNAKE_CASE).arguments(1, 1),
    builtin("snake_case", Takes::Printed, Gives::Text, SNAKE_CASE).arguments(1, 1),
    builtin("subtract", Takes::Number, Gives::Anything, "the first number without the others")
        .arguments(2, MANY),
];

const CAMEL_CASE: &str = "the words of a name with large first letters, without underscores";
const SNAKE_CASE: &str = "the words of a name in small letters, with underscores";
const GREATER: &str = "whether the first is greater";
const LESS: &str = "whether the first is less";
const NOT_LESS: &str = "whether the first is greater, or both are the same";
const NOT_GREATER: &str = "whether the first is less, or both are the same";

/// The helper of a name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    builtins::find(HELPERS, name)
}

/// How a template calls a function of the host, such as `time-now` for `time.now`.
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
