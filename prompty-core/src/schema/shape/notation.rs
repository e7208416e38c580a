//! Shapes as plain values, in the notation of prompt files. A program can store them, assemble them
//! from parts, and read them again.
//!
//! The notation is that of Agently's files, with two differences. A key is required unless
//! `$ensure` is `false`; in Agently it is required only if `$ensure` is `true`. Inside a described
//! structure, Agently exports a described type as an array, and reads that back as a list. Here it
//! is an object with `$type` and `$desc` everywhere.

use std::sync::Arc;

use super::{ObjectShape, OtherKeys, Presence, Shape, ShapeKind, ShapeLayout, expression};
use crate::diagnostic::suggest;
use crate::error::{Error, ErrorKind};
use crate::value::internal::excerpt;
use crate::value::{Map, Value};

/// The keywords of the notation. Files may also write them with a `.` instead of the `$`.
const KEYWORDS: [&str; 11] = [
    "$type", "$desc", "$ensure", "$default", "$items", "$one_of", "$others", "$fields", "$inline",
    "$schema", "$words",
];

impl Shape {
    /// Writes the shape as a plain value.
    ///
    /// | shape | value |
    /// |---|---|
    /// | a type | its name in the requirement: `"str"`, `"list[int]"`, `"Literal[calm, angry]"` |
    /// | an object | an object; the shape of other keys is under `$others` |
    /// | a list of items without a type name | an array |
    /// | one with a description, or optional | `{"$type": …, "$desc": "…", "$ensure": false}` |
    /// | an optional shape with a default | `{"$type": …, "$default": …}` |
    /// | a tuple; one of several shapes | `{"$items": […]}`; `{"$one_of": […]}` |
    /// | an inline list without a type name | `{"$type": ["a colour"], "$inline": true}` |
    /// | words that look like a type | `{"$words": "int"}` |
    /// | an object with keys that look like keywords | `{"$fields": {"$type": "str"}}` |
    /// | any other shape | `{"$schema": {…}}` |
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::schema::shape; }
    /// use typed_prompty::shape::Shape;
    ///
    /// let shape = Shape::object([
    ///     ("title", Shape::text().with_description("at most ten words")),
    ///     ("tags", Shape::list_of(Shape::text())),
    ///     ("mood", Shape::literals(["calm", "angry"]).optional()),
    /// ]);
    /// let notation = shape.to_notation();
    /// assert_eq!(
    ///     notation.to_json(),
    ///     r#"{"title": {"$type": "str", "$desc": "at most ten words"}, "tags": ["str"], "#.to_owned()
    ///         + r#""mood": {"$type": "Literal[calm, angry]", "$ensure": false}}"#
    /// );
    /// assert_eq!(Shape::from_notation(&notation)?, shape);
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    #[must_use]
    pub fn to_notation(&self) -> Value {
        let mut bare = self.clone();
        bare.presence = Presence::Required;
        let description = bare.description.take();
        let default = bare.rules.remove("default");
        let written = bare.bare_notation();
        // A type name is always read as inline.
        let is_inline = self.layout == ShapeLayout::Inline && written.as_str().is_none();
        if description.is_none() && default.is_none() && self.is_required() && !is_inline {
            return written;
        }
        let mut map = Map::from([("$type", written)]);
        map.insert_some("$desc", description);
        map.insert_some("$inline", is_inline.then_some(true));
        // A key with a default is optional.
        if self.is_required() == default.is_some() {
            map.insert("$ensure", self.is_required());
        }
        map.insert_some("$default", default);
        map.into()
    }

    /// The notation without description and presence.
    fn bare_notation(&self) -> Value {
        if !self.rules.is_empty() {
            return keyword_value("$schema", self.to_schema());
        }
        if let ShapeKind::Words(words) = &self.kind {
            let is_type = expression::read(words).is_some();
            let text = &**words;
            return if is_type { keyword_value("$words", text) } else { Value::from(text) };
        }
        let name = self.type_name();
        if expression::read(&name).is_some_and(|it| it == *self) {
            return Value::from(name);
        }
        match &self.kind {
            ShapeKind::ListOf(items) => notations(items),
            ShapeKind::Tuple(items) => keyword_value("$items", notations(items)),
            ShapeKind::OneOf(shapes) => keyword_value("$one_of", notations(shapes)),
            ShapeKind::Object(object) => object.notation(),
            _ => keyword_value("$schema", self.to_schema()),
        }
    }

    /// Reads the notation of [`to_notation`](Self::to_notation). A string that is not a type is
    /// words. A key without `$ensure` is required.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::WrongInput`] with the place if the notation is invalid, and the errors
    /// of [`from_schema`](Self::from_schema).
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::schema::shape; pub use prompty_core::value; }
    /// use typed_prompty::shape::Shape;
    /// use typed_prompty::value::Value;
    ///
    /// let notation = Value::from_json(r#"{"born": {"$type": "int", "$dsec": "the year"}}"#)?;
    /// let error = Shape::from_notation(&notation).unwrap_err();
    /// assert!(error.to_string().contains("at `born`: unknown keyword `$dsec`"));
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    pub fn from_notation(notation: &Value) -> Result<Self, Error> {
        if is_deeper_than(notation, MAX_NESTING) {
            let message = format!("the notation is nested more than {MAX_NESTING} levels deep");
            return Err(wrong("", &message).with_help("describe the inner parts as `any`"));
        }
        read_shape(notation, "")
    }
}

/// The maximum nesting of arrays and objects in a notation, which limits the use of the stack.
const MAX_NESTING: usize = 64;

/// Whether arrays and objects are nested more than this many levels deep.
fn is_deeper_than(value: &Value, levels: usize) -> bool {
    let is_deeper = |inner: &Value| levels == 0 || is_deeper_than(inner, levels - 1);
    match value {
        Value::Array(items) => items.iter().any(is_deeper),
        Value::Object(map) => map.values().any(is_deeper),
        _ => false,
    }
}

impl From<Shape> for Value {
    /// The shape in its notation; see [`Shape::to_notation`].
    fn from(shape: Shape) -> Self {
        shape.to_notation()
    }
}

impl ObjectShape {
    /// Whether no key looks like a keyword of the notation.
    fn has_plain_names(&self) -> bool {
        self.fields.iter().all(|(name, _)| !name.starts_with('$') && keyword(name).is_none())
    }

    /// The notation of the fields, with `$others` for other keys.
    fn notation(&self) -> Value {
        let fields = self.fields.iter().map(|(name, shape)| (name.clone(), shape.to_notation()));
        let fields: Map = fields.collect();
        let mut map = match self.has_plain_names() {
            true => fields,
            false => Map::from([("$fields", fields)]),
        };
        match &self.others {
            OtherKeys::Unspecified => {}
            OtherKeys::None => drop(map.insert("$others", false)),
            OtherKeys::Shape(shape) => drop(map.insert("$others", shape.to_notation())),
        }
        map.into()
    }
}

fn notations(shapes: &[Shape]) -> Value {
    shapes.iter().map(Shape::to_notation).collect()
}

fn keyword_value(keyword: &'static str, value: impl Into<Value>) -> Value {
    Map::from([(keyword, value.into())]).into()
}

/// The keyword of the notation that a key matches.
fn keyword(key: &str) -> Option<&'static str> {
    let matches = |word: &&&str| **word == key || key.strip_prefix('.') == word.strip_prefix('$');
    KEYWORDS.iter().find(matches).copied()
}

/// Reads a shape. `place` is its path for error messages, such as `user.tags[0]`.
fn read_shape(value: &Value, place: &str) -> Result<Shape, Error> {
    match value {
        Value::String(text) => Ok(expression::read(text).unwrap_or_else(|| Shape::words(&**text))),
        Value::Array(items) => Ok(Shape::list_of_each(read_all(items, place)?)),
        Value::Object(map) => read_map(map, place),
        // `3` and `true` are not types, so they describe the value in words.
        other => Ok(Shape::words(other.to_json())),
    }
}

fn read_all(items: &[Value], place: &str) -> Result<Vec<Shape>, Error> {
    let shapes = items.iter().enumerate();
    shapes.map(|(index, item)| read_shape(item, &format!("{place}[{index}]"))).collect()
}

/// Reads an object: one shape under a keyword such as `$type`, or the fields of an object shape,
/// each with further keywords next to it.
fn read_map(map: &Map, place: &str) -> Result<Shape, Error> {
    let mut shape: Option<Shape> = None;
    let mut others = None;
    let (mut description, mut ensure, mut default, mut is_inline) = (None, None, None, false);
    let mut fields: Vec<(Arc<str>, Shape)> = Vec::new();
    for (key, value) in map.iter() {
        let here = if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") };
        match keyword(key) {
            None if key.starts_with('$') => return Err(unknown_keyword(key, place)),
            None => fields.push((key.into(), read_shape(value, &here)?)),
            Some("$fields") => fields.extend(read_fields(value, &here)?),
            Some("$type") => shape = Some(read_shape(value, place)?),
            Some("$items") => shape = Some(Shape::tuple(read_all(array(value, &here)?, &here)?)),
            Some("$one_of") => shape = Some(Shape::one_of(read_all(array(value, &here)?, &here)?)),
            Some("$schema") => shape = Some(Shape::from_schema(value)?),
            Some("$words") => shape = Some(Shape::words(string(value, &here)?)),
            Some("$desc") => description = Some(string(value, &here)?),
            Some("$default") => default = Some(value),
            Some("$inline") => is_inline = read_boolean(value, &here)?,
            Some("$ensure") => ensure = Some(read_ensure(value, &here)?),
            // `$others`
            Some(_) => others = Some((value, here)),
        }
    }
    let mut shape = match (shape, others) {
        (Some(_), Some((_, here))) => {
            return Err(wrong(&here, "`$others` requires an object")
                .with_help("remove `$others`, or describe the object by its fields"));
        }
        (Some(_), None) if !fields.is_empty() => {
            let name = fields.first().map_or("", |(name, _)| name);
            let message = format!("a shape has both a type and the field `{}`", excerpt(name));
            return Err(wrong(place, &message).with_help("remove one of them"));
        }
        (Some(shape), None) => shape,
        (None, others) => read_object(fields, others)?,
    };
    if is_inline {
        shape = shape.inline();
    }
    if let Some(description) = description {
        shape = shape.with_description(description);
    }
    if let Some(default) = default {
        shape = shape.with_default(default.clone());
    }
    // `$ensure` is applied after the default, because a default makes the key optional.
    Ok(match ensure {
        Some(true) => shape.required(),
        Some(false) => shape.optional(),
        None => shape,
    })
}

/// The object with these fields. `others` is the value of `$others` and its place.
fn read_object(
    fields: Vec<(Arc<str>, Shape)>,
    others: Option<(&Value, String)>,
) -> Result<Shape, Error> {
    let object = Shape::object(fields);
    Ok(match others {
        None => object,
        Some((Value::Bool(false), _)) => object.closed(),
        Some((Value::Bool(true), _)) => object.with_others(Shape::any()),
        Some((value, place)) => object.with_others(read_shape(value, &place)?),
    })
}

/// Reads fields whose keys are never keywords.
fn read_fields(value: &Value, place: &str) -> Result<Vec<(Arc<str>, Shape)>, Error> {
    let message = || format!("expected an object, found {}", value.kind_name());
    let map = value.as_object().ok_or_else(|| wrong(place, &message()))?;
    let field = |(key, value): (&str, &Value)| {
        Ok((key.into(), read_shape(value, &format!("{place}.{key}"))?))
    };
    map.iter().map(field).collect()
}

fn array<'v>(value: &'v Value, place: &str) -> Result<&'v [Value], Error> {
    let message = || format!("expected an array, found {}", value.kind_name());
    value.as_array().ok_or_else(|| wrong(place, &message()))
}

fn string<'v>(value: &'v Value, place: &str) -> Result<&'v str, Error> {
    let message = || format!("expected a string, found {}", value.kind_name());
    value.as_str().ok_or_else(|| wrong(place, &message()))
}

fn read_boolean(value: &Value, place: &str) -> Result<bool, Error> {
    value.as_bool().ok_or_else(|| wrong(place, "expected `true` or `false`"))
}

/// Whether a key is required. Agently writes `not_null` for a value that must not be `null`. Here a
/// type that does not include `null` never allows it.
fn read_ensure(value: &Value, place: &str) -> Result<bool, Error> {
    match value {
        Value::Bool(ensured) => Ok(*ensured),
        Value::Null => Ok(false),
        Value::String(word) if &**word == "not_null" => Ok(true),
        _ => Err(wrong(place, "expected `true`, `false` or `not_null`")),
    }
}

fn unknown_keyword(key: &str, place: &str) -> Error {
    let error = wrong(place, &format!("unknown keyword `{key}`"));
    match suggest(key, &KEYWORDS) {
        Some(meant) => error.with_help(format!("a keyword with a similar name exists: `{meant}`")),
        None => {
            let known = KEYWORDS.map(|it| format!("`{it}`")).join(", ");
            error.with_help(format!("available keywords: {known}"))
        }
    }
}

fn wrong(place: &str, problem: &str) -> Error {
    let message = match place {
        "" => problem.to_owned(),
        place => format!("at `{place}`: {problem}"),
    };
    Error::new(ErrorKind::WrongInput, message)
}
