//! How values print.

use std::fmt::{self, Write};

use prompty_core::value::Value;

/// Writes a value.
pub(super) type PrintValue = fn(&Value, &mut dyn Write) -> fmt::Result;

/// Writes a value as in the Prompty subset.
pub(super) fn print_plain(value: &Value, output: &mut dyn Write) -> fmt::Result {
    match value {
        Value::String(text) => output.write_str(text),
        value => write!(output, "{value}"),
    }
}

/// Writes a value: `True` and `False` as .NET has them, and the items of a list each on a line. All else
/// prints as in every template.
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
                    // A list in a list keeps its brackets, so that the items can be told apart.
                    Value::Array(_) => write!(output, "{item}")?,
                    item => print_like_dot_net(item, output)?,
                }
            }
            Ok(())
        }
        other => write!(output, "{other}"),
    }
}
