//! Fills placeholders `${name}` in strings, arrays and objects with values.

use crate::diagnostic::suggest::suggest;
use crate::error::{Error, ErrorKind};
use crate::value::{Map, Value};

use super::yaml;

/// The treatment of a placeholder whose name has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum UnknownPlaceholder {
    /// It is an error.
    #[default]
    Refuse,
    /// It is kept as text.
    Keep,
}

/// Fills the placeholders of a value with values. A string that is exactly one placeholder becomes
/// the value itself, of any type. Inside of a longer text, a value is written as text. Placeholders
/// in the keys of objects are filled as well; the last of several equal keys is kept. Values are
/// not searched for placeholders.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::value; pub use prompty_core::slots; }
/// use typed_prompty::slots::{UnknownPlaceholder, fill};
/// use typed_prompty::value::{Map, Value};
///
/// let values = Map::from([("city", Value::from("Bern")), ("days", Value::from(3))]);
/// let text = Value::from("${days} days in ${ city }");
/// assert_eq!(fill(&text, &values, UnknownPlaceholder::Refuse)?, Value::from("3 days in Bern"));
/// let days = Value::from("${days}");
/// assert_eq!(fill(&days, &values, UnknownPlaceholder::Refuse)?, Value::from(3));
/// # Ok::<(), prompty_core::Error>(())
/// ```
///
/// # Errors
///
/// Returns [`ErrorKind::MissingInput`] for a name without a value, unless it is kept. Returns
/// [`ErrorKind::WrongInput`] if the key of an object would be an array or an object.
pub fn fill(value: &Value, values: &Map, unknown: UnknownPlaceholder) -> Result<Value, Error> {
    match value {
        Value::String(text) => fill_text(text, values, unknown),
        Value::Array(items) => {
            let items = items.iter().map(|item| fill(item, values, unknown));
            Ok(Value::from(items.collect::<Result<Vec<_>, _>>()?))
        }
        Value::Object(map) => {
            let mut filled = Map::new();
            for (name, item) in map.iter() {
                filled.insert(fill_name(name, values, unknown)?, fill(item, values, unknown)?);
            }
            Ok(filled.into())
        }
        other => Ok(other.clone()),
    }
}

/// Fills the placeholders of a name.
pub(super) fn fill_name(
    name: &str,
    values: &Map,
    unknown: UnknownPlaceholder,
) -> Result<String, Error> {
    match fill_text(name, values, unknown)? {
        Value::String(text) => Ok(String::from(&*text)),
        value @ (Value::Array(_) | Value::Object(_)) => {
            let message =
                format!("the slot name `{name}` must be a string, found {}", value.kind_name());
            Err(Error::new(ErrorKind::WrongInput, message).with_help("pass a string or a number"))
        }
        other => Ok(yaml::word(&other)),
    }
}

/// Fills the placeholders of a string; see [`fill`].
fn fill_text(text: &str, values: &Map, unknown: UnknownPlaceholder) -> Result<Value, Error> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, placeholder, after)) = next_placeholder(rest) {
        filled.push_str(before);
        match (values.get(placeholder.name), unknown) {
            // The text is only this placeholder.
            (Some(value), _) if placeholder.written.len() == text.len() => {
                return Ok(value.clone());
            }
            (Some(value), _) => filled.push_str(&as_inline_text(value)),
            (None, UnknownPlaceholder::Keep) => filled.push_str(placeholder.written),
            (None, UnknownPlaceholder::Refuse) => {
                return Err(unknown_name(placeholder.name, values));
            }
        }
        rest = after;
    }
    filled.push_str(rest);
    Ok(Value::from(filled))
}

/// A placeholder in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placeholder<'t> {
    /// The placeholder with its braces.
    pub(super) written: &'t str,
    /// The name, without surrounding white space.
    pub(super) name: &'t str,
}

/// The first placeholder of a text, with the text before and after it. A placeholder without a name
/// or a closing brace is text.
pub(super) fn next_placeholder(text: &str) -> Option<(&str, Placeholder<'_>, &str)> {
    let mut searched = 0;
    while let Some(at) = text.get(searched..)?.find("${") {
        let start = searched + at;
        let inside = text.get(start + 2..)?;
        // If no closing brace follows this placeholder, none follows a later one.
        let length = inside.find('}')?;
        let name = inside.get(..length)?.trim();
        let end = start + 2 + length + 1;
        // `${}` is text.
        if !name.is_empty() {
            let placeholder = Placeholder { written: text.get(start..end)?, name };
            return Some((text.get(..start)?, placeholder, text.get(end..)?));
        }
        searched = end;
    }
    None
}

/// A value inside of a text: a string unchanged, and anything else in one line.
fn as_inline_text(value: &Value) -> String {
    match value {
        Value::String(text) => String::from(&**text),
        other => yaml::word(other),
    }
}

fn unknown_name(name: &str, values: &Map) -> Error {
    let message = format!("missing value for the placeholder `${{{name}}}`");
    let names: Vec<&str> = values.keys().collect();
    let help = match suggest(name, &names) {
        Some(close) => format!("a value with a similar name exists: `{close}`"),
        None => format!("pass a value for `{name}`"),
    };
    Error::new(ErrorKind::MissingInput, message).with_help(help)
}
