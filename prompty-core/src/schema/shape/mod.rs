//! The shape of an output, which a program builds or reads from a JSON schema. From a shape come
//! the text that describes the output to the model, and its JSON schema.
//!
//! ```
//! # mod typed_prompty { pub use prompty_core::schema::shape; }
//! use typed_prompty::shape::Shape;
//!
//! let shape = Shape::object([
//!     ("title", Shape::text().with_description("at most ten words")),
//!     ("tags", Shape::list_of(Shape::text())),
//!     ("mood", Shape::literals(["calm", "angry"]).optional()),
//! ]);
//! assert_eq!(shape.requirement(), r#"{
//!   "title": <str>, // at most ten words
//!   "tags": [
//!     <str>,
//!     ...
//!   ],
//!   "mood": <Literal[calm, angry] | NoneType>
//! }"#);
//! ```

// A shape has what the text for the model shows: the order of the keys, descriptions and layout. A
// JSON schema is what values are validated against. A shape keeps bounds and patterns only for the
// schemas that it writes.
//
// A schema that a shape cannot express, such as one with `not`, is an error. It must not become a
// wider shape, because the model would then be asked for values that the schema rejects.
//
// Shapes are in this crate because prompts show them and replies are read by them.

mod expression;
mod format;
mod from_schema;
mod names;
mod notation;
mod requirement;
mod requirement_text;
mod rules;
mod sent_schema;
mod strict;
mod to_schema;
#[doc(hidden)]
pub mod wrapper;

use std::sync::Arc;

pub use format::OutputFormat;
pub use requirement::Requirement;
pub use sent_schema::SentSchema;
pub use strict::StrictDialect;

pub use super::Violation;

use crate::value::{Map, Value};

/// The structure of a model's answer. Clones share it.
///
/// The constructors and methods build one; the [module](self) has an example.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Shape {
    kind: ShapeKind,
    description: Option<Arc<str>>,
    presence: Presence,
    layout: ShapeLayout,
    /// Further keywords of the schema, with their values: those that restrict the values of the
    /// shape, and `default`, which does not.
    rules: Map,
}

/// The kind of a shape.
#[derive(Debug, Clone, PartialEq)]
enum ShapeKind {
    Any,
    /// Any value, described by these words.
    Words(Arc<str>),
    Null,
    Boolean,
    Integer,
    Number,
    Text,
    /// A list of any items.
    List,
    /// A list whose items each match one of the shapes.
    ListOf(Arc<[Shape]>),
    /// A list with exactly these items.
    Tuple(Arc<[Shape]>),
    /// An object with any keys and values.
    Map,
    Object(ObjectShape),
    OneOf(Arc<[Shape]>),
    Literals(Arc<[Literal]>),
    /// A shape that contains itself at each `Reference` with this name.
    Recursive(Arc<str>, Arc<Shape>),
    Reference(Arc<str>),
}

/// The keys of an object.
#[derive(Debug, Clone, PartialEq)]
struct ObjectShape {
    fields: Arc<[(Arc<str>, Shape)]>,
    others: OtherKeys,
}

/// The keys that an object may have in addition to its fields.
#[derive(Debug, Clone, PartialEq)]
enum OtherKeys {
    /// The shape does not mention them.
    Unspecified,
    /// There are none.
    None,
    Shape(Arc<Shape>),
}

/// One of the values of a shape.
#[derive(Debug, Clone, PartialEq)]
struct Literal {
    value: Value,
    description: Option<Arc<str>>,
}

/// Whether an object must have the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    Required,
    Optional,
}

/// How the requirement shows a shape that contains others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShapeLayout {
    Lines,
    Inline,
}

impl Shape {
    fn new(kind: ShapeKind) -> Self {
        let (presence, layout) = (Presence::Required, ShapeLayout::Lines);
        Self { kind, description: None, presence, layout, rules: Map::new() }
    }

    /// A string.
    pub fn text() -> Self {
        Self::new(ShapeKind::Text)
    }

    /// An integer.
    pub fn integer() -> Self {
        Self::new(ShapeKind::Integer)
    }

    /// A number.
    pub fn number() -> Self {
        Self::new(ShapeKind::Number)
    }

    /// `true` or `false`.
    pub fn boolean() -> Self {
        Self::new(ShapeKind::Boolean)
    }

    /// `null`.
    pub fn null() -> Self {
        Self::new(ShapeKind::Null)
    }

    /// Any value.
    pub fn any() -> Self {
        Self::new(ShapeKind::Any)
    }

    /// Any value that words describe to the model: `Shape::words("a date as yyyy-mm-dd")`.
    pub fn words(words: impl Into<Arc<str>>) -> Self {
        Self::new(ShapeKind::Words(words.into()))
    }

    /// A list of any items.
    pub fn list() -> Self {
        Self::new(ShapeKind::List)
    }

    /// A list whose items match a shape.
    pub fn list_of(item: Shape) -> Self {
        Self::list_of_each([item])
    }

    /// A list whose items each match one of several shapes. Without shapes, it is a list of any
    /// items, and the requirement shows it as `[]`.
    pub fn list_of_each(items: impl IntoIterator<Item = Shape>) -> Self {
        Self::new(ShapeKind::ListOf(items.into_iter().collect()))
    }

    /// A list with exactly these items, each with its own shape.
    pub fn tuple(items: impl IntoIterator<Item = Shape>) -> Self {
        Self::new(ShapeKind::Tuple(items.into_iter().collect()))
    }

    /// An object with any keys and values.
    pub fn map() -> Self {
        Self::new(ShapeKind::Map)
    }

    /// An object with any keys whose values match a shape.
    pub fn map_of(value: Shape) -> Self {
        let fields = Arc::from([]);
        Self::new(ShapeKind::Object(ObjectShape {
            fields,
            others: OtherKeys::Shape(Arc::new(value)),
        }))
    }

    /// An object with keys and their shapes. Each key is required, unless its shape is
    /// [`optional`](Self::optional). The last of two equal keys is kept.
    pub fn object<K: Into<Arc<str>>>(fields: impl IntoIterator<Item = (K, Shape)>) -> Self {
        let fields = fields.into_iter().map(|(name, shape)| (name.into(), shape));
        let fields: crate::ordered_map::OrderedMap<Arc<str>, Shape> = fields.collect();
        let object =
            ObjectShape { fields: fields.into_iter().collect(), others: OtherKeys::Unspecified };
        Self::new(ShapeKind::Object(object))
    }

    /// The same object, which may also have other keys, whose values match `shape`. The requirement
    /// mentions them, unless `shape` allows any value.
    ///
    /// Has no effect on other kinds of shapes.
    pub fn with_others(mut self, shape: Shape) -> Self {
        if let ShapeKind::Object(object) = &mut self.kind {
            object.others = OtherKeys::Shape(Arc::new(shape));
        }
        self
    }

    /// The same object without other keys. Has no effect on other kinds of shapes.
    pub fn closed(mut self) -> Self {
        if let ShapeKind::Object(object) = &mut self.kind {
            object.others = OtherKeys::None;
        }
        self
    }

    /// A value that matches one of several shapes. Without shapes, any value.
    pub fn one_of(shapes: impl IntoIterator<Item = Shape>) -> Self {
        let shapes: Arc<[Shape]> = shapes.into_iter().collect();
        Self::new(if shapes.is_empty() { ShapeKind::Any } else { ShapeKind::OneOf(shapes) })
    }

    /// One of several values. Without values, any value.
    pub fn literals<V: Into<Value>>(values: impl IntoIterator<Item = V>) -> Self {
        let literal = |value: V| Literal { value: value.into(), description: None };
        let literals: Arc<[Literal]> = values.into_iter().map(literal).collect();
        Self::new(if literals.is_empty() { ShapeKind::Any } else { ShapeKind::Literals(literals) })
    }

    /// A named shape that contains itself: [`Shape::reference`] with its name refers to it.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::schema::shape; }
    /// use typed_prompty::shape::Shape;
    ///
    /// let replies = Shape::list_of(Shape::reference("Comment"));
    /// let comment = Shape::object([("text", Shape::text()), ("replies", replies)]);
    /// let shape = Shape::recursive("Comment", comment);
    /// assert_eq!(shape.requirement(), r#"<Comment>
    ///
    /// <Comment>:
    /// {
    ///   "text": <str>,
    ///   "replies": [
    ///     <Comment>,
    ///     ...
    ///   ]
    /// }"#);
    /// ```
    pub fn recursive(name: impl Into<Arc<str>>, shape: Shape) -> Self {
        Self::new(ShapeKind::Recursive(name.into(), Arc::new(shape)))
    }

    /// A reference to the innermost enclosing [`recursive`](Self::recursive) shape with this name.
    /// Without one, any value.
    pub fn reference(name: impl Into<Arc<str>>) -> Self {
        Self::new(ShapeKind::Reference(name.into()))
    }

    /// The same shape with a description for the model.
    pub fn with_description(mut self, description: impl Into<Arc<str>>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The same shape with a required key, which is the default.
    pub fn required(mut self) -> Self {
        self.presence = Presence::Required;
        self
    }

    /// The same shape with an optional key. The requirement also allows `null`, read as missing.
    pub fn optional(mut self) -> Self {
        self.presence = Presence::Optional;
        self
    }

    /// The same shape with an optional key and the value of a missing key. If that value is `null`,
    /// the key may also be `null`.
    pub fn with_default(self, default: impl Into<Value>) -> Self {
        self.optional().with_rule("default", default)
    }

    /// The same list or tuple, which the requirement shows in one line: `<list[str]>` instead of a
    /// list in brackets. Has no effect on one without items, and on other kinds of shapes.
    pub fn inline(mut self) -> Self {
        if let ShapeKind::ListOf(items) | ShapeKind::Tuple(items) = &self.kind
            && !items.is_empty()
        {
            self.layout = ShapeLayout::Inline;
        }
        self
    }

    /// Its description.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Whether its key in an object is required.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.presence == Presence::Required
    }

    /// Whether `null` matches it.
    fn allows_null(&self) -> bool {
        match &self.kind {
            ShapeKind::Null | ShapeKind::Any | ShapeKind::Words(_) => true,
            ShapeKind::OneOf(shapes) => shapes.iter().any(Self::allows_null),
            ShapeKind::Literals(literals) => literals.iter().any(|it| it.value.is_null()),
            _ => false,
        }
    }

    /// Whether `null`, which the shape itself does not allow, represents a missing key.
    fn is_null_if_missing(&self) -> bool {
        let has_default = self.rules.get("default").is_some_and(|it| !it.is_null());
        !self.is_required() && !has_default && !self.allows_null()
    }

    /// The shapes that it contains.
    fn parts(&self) -> Vec<&Shape> {
        match &self.kind {
            ShapeKind::ListOf(parts) | ShapeKind::Tuple(parts) | ShapeKind::OneOf(parts) => {
                parts.iter().collect()
            }
            ShapeKind::Object(object) => {
                let others = match &object.others {
                    OtherKeys::Shape(shape) => Some(&**shape),
                    OtherKeys::Unspecified | OtherKeys::None => None,
                };
                object.fields.iter().map(|(_, shape)| shape).chain(others).collect()
            }
            ShapeKind::Recursive(_, shape) => vec![shape],
            _ => Vec::new(),
        }
    }
}
