//! The shape of an output: what a model is asked to answer with, as a value that a program builds or reads
//! out of a JSON schema. A shape writes the text that the model is shown, and its JSON schema.
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

#[doc(hidden)]
pub mod around;
mod expression;
mod format;
mod from_schema;
mod names;
mod notation;
mod requirement;
mod rules;
mod sent;
mod strict;
mod text;
mod to_schema;

use std::sync::Arc;

pub use format::OutputFormat;
pub use requirement::Requirement;
pub use sent::SentSchema;
pub use strict::StrictDialect;

pub use super::Violation;

use crate::value::{Map, Value};

/// What a model is asked to answer with. Cloning shares it.
///
/// The constructors and methods build one; the [module](self) shows how.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Shape {
    kind: Kind,
    description: Option<Arc<str>>,
    presence: Presence,
    layout: Layout,
    /// What a schema says of it beside: keywords with their values.
    rules: Map,
}

/// What a shape is.
#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Any,
    /// Any value; the words say which.
    Words(Arc<str>),
    Null,
    Boolean,
    Integer,
    Number,
    Text,
    /// A list of anything.
    List,
    /// A list whose items follow one of the shapes.
    ListOf(Arc<[Shape]>),
    /// A list of so many items, each with its shape.
    Tuple(Arc<[Shape]>),
    /// An object of anything.
    Map,
    Object(Object),
    OneOf(Arc<[Shape]>),
    Literals(Arc<[Literal]>),
    /// A shape that holds itself where it has a `Reference` to the name.
    Recursive(Arc<str>, Arc<Shape>),
    Reference(Arc<str>),
}

/// The keys of an object.
#[derive(Debug, Clone, PartialEq)]
struct Object {
    fields: Arc<[(Arc<str>, Shape)]>,
    others: Others,
}

/// What an object may have under keys that it does not name.
#[derive(Debug, Clone, PartialEq)]
enum Others {
    /// Nothing is said of them.
    Unsaid,
    /// There are none.
    Nothing,
    Shape(Arc<Shape>),
}

/// One of the values that a shape lists.
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

/// How the requirement shows a shape that holds others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    Lines,
    Inline,
}

impl Shape {
    fn new(kind: Kind) -> Self {
        let (presence, layout) = (Presence::Required, Layout::Lines);
        Self { kind, description: None, presence, layout, rules: Map::new() }
    }

    /// A text.
    pub fn text() -> Self {
        Self::new(Kind::Text)
    }

    /// A number without a fraction.
    pub fn integer() -> Self {
        Self::new(Kind::Integer)
    }

    /// A number.
    pub fn number() -> Self {
        Self::new(Kind::Number)
    }

    /// `true` or `false`.
    pub fn boolean() -> Self {
        Self::new(Kind::Boolean)
    }

    /// `null`.
    pub fn null() -> Self {
        Self::new(Kind::Null)
    }

    /// Any value.
    pub fn any() -> Self {
        Self::new(Kind::Any)
    }

    /// Any value; the model is told in words which: `Shape::words("a date as yyyy-mm-dd")`.
    pub fn words(words: impl Into<Arc<str>>) -> Self {
        Self::new(Kind::Words(words.into()))
    }

    /// A list of anything.
    pub fn list() -> Self {
        Self::new(Kind::List)
    }

    /// A list whose items have a shape.
    pub fn list_of(item: Shape) -> Self {
        Self::list_of_each([item])
    }

    /// A list whose items have one of several shapes. Without any, it is a list of anything that the
    /// model is shown as `[]`.
    pub fn list_of_each(items: impl IntoIterator<Item = Shape>) -> Self {
        Self::new(Kind::ListOf(items.into_iter().collect()))
    }

    /// A list of exactly so many items, each with a shape of its own.
    pub fn tuple(items: impl IntoIterator<Item = Shape>) -> Self {
        Self::new(Kind::Tuple(items.into_iter().collect()))
    }

    /// An object of anything.
    pub fn map() -> Self {
        Self::new(Kind::Map)
    }

    /// An object whose keys are free and whose values have a shape.
    pub fn map_of(value: Shape) -> Self {
        let fields = Arc::from([]);
        Self::new(Kind::Object(Object { fields, others: Others::Shape(Arc::new(value)) }))
    }

    /// An object with keys and their shapes. Each key must be there, unless its shape is
    /// [`optional`](Self::optional). Of two equal keys the last one counts.
    pub fn object<K: Into<Arc<str>>>(fields: impl IntoIterator<Item = (K, Shape)>) -> Self {
        let fields = fields.into_iter().map(|(name, shape)| (name.into(), shape));
        let fields: crate::ordered_map::OrderedMap<Arc<str>, Shape> = fields.collect();
        let object = Object { fields: fields.into_iter().collect(), others: Others::Unsaid };
        Self::new(Kind::Object(object))
    }

    /// The same object, which may also have other keys, with values of a shape. The model is told of
    /// them, unless they may be anything.
    ///
    /// Any other shape stays as it is.
    pub fn with_others(mut self, shape: Shape) -> Self {
        if let Kind::Object(object) = &mut self.kind {
            object.others = Others::Shape(Arc::new(shape));
        }
        self
    }

    /// The same object, which has no other keys. Any other shape stays as it is.
    pub fn closed(mut self) -> Self {
        if let Kind::Object(object) = &mut self.kind {
            object.others = Others::Nothing;
        }
        self
    }

    /// One of several shapes. Without any, any value.
    pub fn one_of(shapes: impl IntoIterator<Item = Shape>) -> Self {
        let shapes: Arc<[Shape]> = shapes.into_iter().collect();
        Self::new(if shapes.is_empty() { Kind::Any } else { Kind::OneOf(shapes) })
    }

    /// One of several values. Without any, any value.
    pub fn literals<V: Into<Value>>(values: impl IntoIterator<Item = V>) -> Self {
        let literal = |value: V| Literal { value: value.into(), description: None };
        let literals: Arc<[Literal]> = values.into_iter().map(literal).collect();
        Self::new(if literals.is_empty() { Kind::Any } else { Kind::Literals(literals) })
    }

    /// A shape that holds itself, by a name: where it does, it has [`Shape::reference`].
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
        Self::new(Kind::Recursive(name.into(), Arc::new(shape)))
    }

    /// The innermost shape around that is [`recursive`](Self::recursive) by this name. Without one, any
    /// value.
    pub fn reference(name: impl Into<Arc<str>>) -> Self {
        Self::new(Kind::Reference(name.into()))
    }

    /// The same shape with a description, which the model is shown.
    pub fn with_description(mut self, description: impl Into<Arc<str>>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The same shape under a key that must be there. Shapes are so from the start.
    pub fn required(mut self) -> Self {
        self.presence = Presence::Required;
        self
    }

    /// The same shape under a key that may be missing. The model is told that it may write `null` there, and
    /// that is read as if the key were missing.
    pub fn optional(mut self) -> Self {
        self.presence = Presence::Optional;
        self
    }

    /// The same shape under a key that may be missing. Then it has this value. If that is
    /// `null`, the value may also be `null` where it is there.
    pub fn with_default(self, default: impl Into<Value>) -> Self {
        self.optional().with_rule("default", default)
    }

    /// The same list or tuple, shown to the model in one line: `<list[str]>` instead of a list in brackets.
    /// One without items stays as it is, and so does any other shape.
    pub fn inline(mut self) -> Self {
        if let Kind::ListOf(items) | Kind::Tuple(items) = &self.kind
            && !items.is_empty()
        {
            self.layout = Layout::Inline;
        }
        self
    }

    /// Its description.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Whether an object must have it under its key.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.presence == Presence::Required
    }

    /// Whether `null` follows it.
    fn admits_null(&self) -> bool {
        match &self.kind {
            Kind::Null | Kind::Any | Kind::Words(_) => true,
            Kind::OneOf(shapes) => shapes.iter().any(Self::admits_null),
            Kind::Literals(literals) => literals.iter().any(|it| it.value.is_null()),
            _ => false,
        }
    }

    /// Whether a model may write `null`, which the shape does not have, since the key may be missing.
    fn is_null_if_missing(&self) -> bool {
        let has_default = self.rules.get("default").is_some_and(|it| !it.is_null());
        !self.is_required() && !has_default && !self.admits_null()
    }

    /// The shapes that it holds.
    fn parts(&self) -> Vec<&Shape> {
        match &self.kind {
            Kind::ListOf(parts) | Kind::Tuple(parts) | Kind::OneOf(parts) => parts.iter().collect(),
            Kind::Object(object) => {
                let others = match &object.others {
                    Others::Shape(shape) => Some(&**shape),
                    Others::Unsaid | Others::Nothing => None,
                };
                object.fields.iter().map(|(_, shape)| shape).chain(others).collect()
            }
            Kind::Recursive(_, shape) => vec![shape],
            _ => Vec::new(),
        }
    }
}
