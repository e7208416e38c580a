//! The shape of what a model must write, out of a value that shows it.

use prompty_core::schema::shape::Shape;
use prompty_core::value::Value;

use super::yaml;

/// The shape that a value shows: maps and lists are structures, and anything else says in words what must
/// stand there.
pub(super) fn shape_of(value: &Value) -> Shape {
    match value {
        Value::Array(items) => Shape::list_of_each(items.iter().map(shape_of)),
        Value::Object(map) => {
            Shape::object(map.iter().map(|(name, value)| (name.to_owned(), shape_of(value))))
        }
        Value::String(text) => Shape::words(&**text),
        other => Shape::words(yaml::word(other)),
    }
}
