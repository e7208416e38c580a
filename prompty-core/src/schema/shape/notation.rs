//! Shapes as plain values, in the notation of files of prompts: a program can keep them, put them together
//! part by part, and read them again.

use std::sync::Arc;

use super::{Kind, Layout, Object, Others, Presence, Shape, expression};
use crate::diagnostic::suggest;
use crate::error::{Error, ErrorKind};
use crate::value::{Map, Value};

/// The keys of the notation. Files may also have them with a point in front.
const WORDS: [&str; 11] = [
    "$type", "$desc", "$ensure", "$default", "$items", "$one_of", "$others", "$fields", "$inline",
    "$schema", "$words",
];

impl Shape {
    /// The shape as a plain value.
    ///
    /// | shape | value |
    /// |---|---|
    /// | a type | its name, as the model is shown it: `"str"`, `"list[int]"`, `"Literal[calm, angry]"` |
    /// | an object | a map; what other keys hold is under `$others` |
    /// | a list with items of shapes of their own | a list |
    /// | one with a description, or that may be missing | `{"$type": …, "$desc": "…", "$ensure": false}` |
    /// | one that may be missing, and has a default | `{"$type": …, "$default": …}` |
    /// | a list of so many items; one of several shapes | `{"$items": […]}`; `{"$one_of": […]}` |
    /// | a list that is shown in one line, of what has no name | `{"$type": ["a colour"], "$inline": true}` |
    /// | words that would be read as a type | `{"$words": "int"}` |
    /// | an object with keys that would be read as words of the notation | `{"$fields": {"$type": "str"}}` |
    /// | what else a schema can say | `{"$schema": {…}}` |
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
        let written = bare.write();
        // A name is read as it is shown: in one line.
        let is_inline = self.layout == Layout::Inline && written.as_str().is_none();
        if description.is_none() && default.is_none() && self.is_required() && !is_inline {
            return written;
        }
        let mut map = Map::from([("$type", written)]);
        if let Some(description) = description {
            map.insert("$desc", &*description);
        }
        if is_inline {
            map.insert("$inline", true);
        }
        // A key with a default may be missing.
        if self.is_required() == default.is_some() {
            map.insert("$ensure", self.is_required());
        }
        if let Some(default) = default {
            map.insert("$default", default);
        }
        map.into()
    }

    /// The shape without its description, and without that it may be missing.
    fn write(&self) -> Value {
        if !self.rules.is_empty() {
            return with("$schema", self.to_schema());
        }
        if let Kind::Words(words) = &self.kind {
            let is_type = expression::read(words).is_some();
            return if is_type { with("$words", &**words) } else { Value::from(&**words) };
        }
        let name = self.type_name();
        if expression::read(&name).is_some_and(|it| it == *self) {
            return Value::from(name);
        }
        match &self.kind {
            Kind::ListOf(items) => all(items),
            Kind::Tuple(items) => with("$items", all(items)),
            Kind::OneOf(shapes) => with("$one_of", all(shapes)),
            Kind::Object(object) => object.write(),
            _ => with("$schema", self.to_schema()),
        }
    }

    /// Reads the notation of [`to_notation`](Self::to_notation). A text that names no type is words, and a
    /// key that says nothing of `$ensure` must be there.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongInput`] with the place and what is wrong there, and the errors of
    /// [`from_schema`](Self::from_schema).
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::schema::shape; pub use prompty_core::value; }
    /// use typed_prompty::shape::Shape;
    /// use typed_prompty::value::Value;
    ///
    /// let notation = Value::from_json(r#"{"born": {"$type": "int", "$dsec": "the year"}}"#)?;
    /// let error = Shape::from_notation(&notation).unwrap_err();
    /// assert!(error.to_string().contains("at `born`: `$dsec` is no word of the notation"));
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    pub fn from_notation(notation: &Value) -> Result<Self, Error> {
        read(notation, "")
    }
}

impl From<Shape> for Value {
    /// The shape in its notation: see [`Shape::to_notation`].
    fn from(shape: Shape) -> Self {
        shape.to_notation()
    }
}

impl Object {
    /// Whether no key of it would be taken for a word of the notation.
    fn has_plain_names(&self) -> bool {
        self.fields.iter().all(|(name, _)| !name.starts_with('$') && word(name).is_none())
    }

    fn write(&self) -> Value {
        let fields = self.fields.iter().map(|(name, shape)| (name.clone(), shape.to_notation()));
        let fields: Map = fields.collect();
        let mut map = match self.has_plain_names() {
            true => fields,
            false => Map::from([("$fields", fields)]),
        };
        match &self.others {
            Others::Unsaid => {}
            Others::Nothing => drop(map.insert("$others", false)),
            Others::Shape(shape) => drop(map.insert("$others", shape.to_notation())),
        }
        map.into()
    }
}

fn all(shapes: &[Shape]) -> Value {
    shapes.iter().map(Shape::to_notation).collect()
}

fn with(word: &'static str, value: impl Into<Value>) -> Value {
    Map::from([(word, value.into())]).into()
}

/// The word of the notation that a key is.
fn word(key: &str) -> Option<&'static str> {
    let is_it = |word: &&&str| **word == key || key.strip_prefix('.') == word.strip_prefix('$');
    WORDS.iter().find(is_it).copied()
}

fn read(value: &Value, place: &str) -> Result<Shape, Error> {
    match value {
        Value::String(text) => Ok(expression::read(text).unwrap_or_else(|| Shape::words(&**text))),
        Value::Array(items) => Ok(Shape::list_of_each(read_all(items, place)?)),
        Value::Object(map) => read_map(map, place),
        other => Ok(Shape::words(other.to_json())),
    }
}

fn read_all(items: &[Value], place: &str) -> Result<Vec<Shape>, Error> {
    let read = |(index, item): (usize, &Value)| read(item, &format!("{place}[{index}]"));
    items.iter().enumerate().map(read).collect()
}

fn read_map(map: &Map, place: &str) -> Result<Shape, Error> {
    let mut shape: Option<Shape> = None;
    let mut others = None;
    let (mut description, mut ensure, mut default, mut is_inline) = (None, None, None, false);
    let mut fields: Vec<(Arc<str>, Shape)> = Vec::new();
    for (key, value) in map.iter() {
        let here = if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") };
        match word(key) {
            None if key.starts_with('$') => return Err(unknown(key, place)),
            None => fields.push((key.into(), read(value, &here)?)),
            Some("$fields") => fields.extend(read_fields(value, &here)?),
            Some("$type") => shape = Some(read(value, place)?),
            Some("$items") => shape = Some(Shape::tuple(read_all(list(value, &here)?, &here)?)),
            Some("$one_of") => shape = Some(Shape::one_of(read_all(list(value, &here)?, &here)?)),
            Some("$schema") => shape = Some(Shape::from_schema(value)?),
            Some("$words") => shape = Some(Shape::words(text(value, &here)?)),
            Some("$desc") => description = Some(text(value, &here)?),
            Some("$default") => default = Some(value),
            Some("$inline") => is_inline = is_true(value, &here)?,
            Some("$ensure") => ensure = Some(is_ensured(value, &here)?),
            Some(_) => others = Some((value, here)),
        }
    }
    let shape = match (shape, others) {
        (Some(_), Some((_, here))) => return Err(wrong(&here, "`$others` is for objects")),
        (Some(_), None) if !fields.is_empty() => {
            return Err(wrong(place, "a type has no keys of its own beside its words"));
        }
        (Some(shape), None) => shape,
        (None, None) => Shape::object(fields),
        (None, Some((Value::Bool(false), _))) => Shape::object(fields).closed(),
        (None, Some((Value::Bool(true), _))) => Shape::object(fields).with_others(Shape::any()),
        (None, Some((value, here))) => Shape::object(fields).with_others(read(value, &here)?),
    };
    let shape = if is_inline { shape.inline() } else { shape };
    let shape = match description {
        Some(description) => shape.with_description(description),
        None => shape,
    };
    let shape = match default {
        Some(default) => shape.with_default(default.clone()),
        None => shape,
    };
    Ok(match ensure {
        Some(true) => shape.required(),
        Some(false) => shape.optional(),
        None => shape,
    })
}

/// Keys with their shapes, of which none is a word of the notation.
fn read_fields(value: &Value, place: &str) -> Result<Vec<(Arc<str>, Shape)>, Error> {
    let message = || format!("expected a map, found {}", value.kind_name());
    let map = value.as_object().ok_or_else(|| wrong(place, &message()))?;
    let read =
        |(key, value): (&str, &Value)| Ok((key.into(), read(value, &format!("{place}.{key}"))?));
    map.iter().map(read).collect()
}

fn list<'v>(value: &'v Value, place: &str) -> Result<&'v [Value], Error> {
    let message = || format!("expected a list, found {}", value.kind_name());
    value.as_array().ok_or_else(|| wrong(place, &message()))
}

fn text<'v>(value: &'v Value, place: &str) -> Result<&'v str, Error> {
    let message = || format!("expected a text, found {}", value.kind_name());
    value.as_str().ok_or_else(|| wrong(place, &message()))
}

fn is_true(value: &Value, place: &str) -> Result<bool, Error> {
    value.as_bool().ok_or_else(|| wrong(place, "expected `true` or `false`"))
}

/// Whether a key must be there. The reference writes `not_null` where the value must not be `null`, which
/// is so of every type here that does not have it.
fn is_ensured(value: &Value, place: &str) -> Result<bool, Error> {
    match value {
        Value::Bool(ensured) => Ok(*ensured),
        Value::Null => Ok(false),
        Value::String(word) if &**word == "not_null" => Ok(true),
        _ => Err(wrong(place, "expected `true`, `false` or `not_null`")),
    }
}

fn unknown(key: &str, place: &str) -> Error {
    let error = wrong(place, &format!("`{key}` is no word of the notation"));
    match suggest(key, &WORDS) {
        Some(meant) => error.with_help(format!("write `{meant}`")),
        None => error
            .with_help(format!("its words are {}", WORDS.map(|it| format!("`{it}`")).join(", "))),
    }
}

fn wrong(place: &str, what: &str) -> Error {
    let message = match place {
        "" => what.to_owned(),
        place => format!("at `{place}`: {what}"),
    };
    Error::new(ErrorKind::WrongInput, message)
}
