//! Prints values.

use std::fmt::{self, Write};

use prompty_core::value::Value;

/// A function that prints a value.
pub(super) type PrintValue = fn(&Value, &mut dyn Write) -> fmt::Result;

/// Prints a value by the rules of the Prompty subset.
pub(super) fn print_plain(value: &Value, output: &mut dyn Write) -> fmt::Result {
    match value {
        Value::String(text) => output.write_str(text),
        value => write!(output, "{value}"),
    }
}

/// Prints a value as .NET does: `True`, `False`, and each list item on its own line. Other values
/// print by the rules of the Prompty subset.
#[cfg(feature = "languages")]
pub(super) fn print_like_dot_net(value: &Value, output: &mut dyn Write) -> fmt::Result {
    match value {
        Value::String(text) => output.write_str(text),
        Value::Bool(true) => output.write_str("True"),
        Value::Bool(false) => output.write_str("False"),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    output.write_char('\n')?;
                }
                match item {
                    // A nested list keeps its brackets, so that its items can be distinguished.
                    Value::Array(_) => write!(output, "{item}")?,
                    item => print_like_dot_net(item, output)?,
                }
            }
            Ok(())
        }
        other => write!(output, "{other}"),
    }
}
