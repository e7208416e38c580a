//! Placeholders `${name}` in texts, lists and maps, which values are put into.

use crate::diagnostic::suggest::suggest;
use crate::error::{Error, ErrorKind};
use crate::value::{Map, Value};

use super::yaml;

/// What a placeholder is whose name has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum UnknownPlaceholder {
    /// An error that names it.
    #[default]
    Refuse,
    /// Text as it is written.
    Keep,
}

/// Puts values into the placeholders of a value. A text that is one placeholder and nothing else
/// becomes the value itself, of whatever type; inside of a text, a value stands in its text form. Keys
/// of maps have placeholders too; of keys that become one, the last counts. What is put in is not looked at again, so data can name no
/// placeholder.
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
/// [`ErrorKind::MissingInput`] for a name without a value, if that is asked for, and
/// [`ErrorKind::WrongInput`] where the key of a map would be a list or a map.
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

/// Puts values into the placeholders of a name.
pub(super) fn fill_name(
    name: &str,
    values: &Map,
    unknown: UnknownPlaceholder,
) -> Result<String, Error> {
    match fill_text(name, values, unknown)? {
        Value::String(text) => Ok(String::from(&*text)),
        Value::Array(_) | Value::Object(_) => {
            let message = format!("`{name}` stands for a name, but its value is a list or a map");
            Err(Error::new(ErrorKind::WrongInput, message).with_help("give it a text or a number"))
        }
        other => Ok(yaml::word(&other)),
    }
}

fn fill_text(text: &str, values: &Map, unknown: UnknownPlaceholder) -> Result<Value, Error> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, placeholder, behind)) = next_placeholder(rest) {
        filled.push_str(before);
        match (values.get(placeholder.name), unknown) {
            (Some(value), _) if placeholder.written.len() == text.len() => {
                return Ok(value.clone());
            }
            (Some(value), _) => filled.push_str(&inside_of_text(value)),
            (None, UnknownPlaceholder::Keep) => filled.push_str(placeholder.written),
            (None, UnknownPlaceholder::Refuse) => {
                return Err(unknown_name(placeholder.name, values));
            }
        }
        rest = behind;
    }
    filled.push_str(rest);
    Ok(Value::from(filled))
}

/// A placeholder of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placeholder<'t> {
    /// With its braces.
    pub(super) written: &'t str,
    /// Without the blanks around it.
    pub(super) name: &'t str,
}

/// The first placeholder of a text, with what stands before and behind it. What has no name, or no
/// closing brace, is text.
pub(super) fn next_placeholder(text: &str) -> Option<(&str, Placeholder<'_>, &str)> {
    let mut searched = 0;
    while let Some(at) = text.get(searched..)?.find("${") {
        let start = searched + at;
        let inside = text.get(start + 2..)?;
        // Without a closing brace behind this one, none of the others has one.
        let length = inside.find('}')?;
        let name = inside.get(..length)?.trim();
        let end = start + 2 + length + 1;
        if !name.is_empty() {
            let placeholder = Placeholder { written: text.get(start..end)?, name };
            return Some((text.get(..start)?, placeholder, text.get(end..)?));
        }
        searched = end;
    }
    None
}

/// A value in the middle of a text: a text as it is, and anything else in one line.
fn inside_of_text(value: &Value) -> String {
    match value {
        Value::String(text) => String::from(&**text),
        other => yaml::word(other),
    }
}

fn unknown_name(name: &str, values: &Map) -> Error {
    let message = format!("the placeholder `${{{name}}}` has no value");
    let names: Vec<&str> = values.keys().collect();
    let help = match suggest(name, &names) {
        Some(close) => format!("did you mean `${{{close}}}`?"),
        None => format!("give `{name}` a value"),
    };
    Error::new(ErrorKind::MissingInput, message).with_help(help)
}
