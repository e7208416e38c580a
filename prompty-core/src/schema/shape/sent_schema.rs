//! The schema of an answer or a call, in the forms that are sent to providers.
//!
//! Only requests wrap a value. A prompt and the grammar of a local model ask for the value itself,
//! and a reader accepts both.

use std::sync::{Arc, OnceLock};

use super::wrapper::{self, WrapperStart};
use super::{ObjectShape, Shape, ShapeKind, StrictDialect};
use crate::error::{Error, ErrorKind};
use crate::schema::{Combination, Kinds, Schema};
use crate::value::Value;

/// A schema in the forms that are sent to providers. Each form is created once, on first use.
///
/// Providers require an object as the root. A list, a union or any other value that may not be an
/// object is wrapped in one, under the [`wrapper_key`](Self::wrapper_key).
///
/// ```
/// # mod typed_prompty { pub use prompty_core::schema::shape; }
/// use typed_prompty::shape::{SentSchema, Shape, StrictDialect};
///
/// let sent = SentSchema::of_shape(Shape::list_of(Shape::integer()));
/// assert_eq!(sent.wrapper_key(), Some("value"));
/// assert_eq!(
///     sent.strict(StrictDialect::OpenAi).unwrap().to_json(),
///     r#"{"type": "object", "properties": {"value": {"type": "array", "items": {"type": "integer"}}}, "required": ["value"], "additionalProperties": false}"#,
/// );
/// ```
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct SentSchema {
    forms: Arc<SchemaForms>,
}

/// The forms of a schema. Each is created on first use.
#[derive(Debug)]
struct SchemaForms {
    /// The shape that is sent, which is an object.
    shape: SharedResult<Shape>,
    /// The key of the value, if the shape wraps it.
    wrapper_key: Option<String>,
    open_ai: OnceLock<SharedResult<Value>>,
    anthropic: OnceLock<SharedResult<Value>>,
    plain: OnceLock<SharedResult<Value>>,
}

/// A result whose error several forms can share.
type SharedResult<T> = Result<T, Arc<Error>>;

impl SentSchema {
    /// Creates the schema of values that match a shape.
    #[must_use]
    pub fn of_shape(shape: Shape) -> Self {
        match &shape.kind {
            ShapeKind::Any | ShapeKind::Words(_) => {
                Self::new(Err(Arc::new(any_value_error())), None, OnceLock::new())
            }
            _ if shape.is_object() => Self::new(Ok(shape), None, OnceLock::new()),
            _ => {
                let key = unused_wrapper_key(&shape);
                let shape = Shape::object([(key.as_str(), shape.required())]);
                Self::new(Ok(shape), Some(key), OnceLock::new())
            }
        }
    }

    /// Creates it from a JSON schema.
    #[must_use]
    pub fn of_schema(schema: &Value) -> Self {
        match Shape::from_schema(schema) {
            Ok(shape) => Self::of_shape(shape),
            Err(error) => {
                let error = Arc::new(error);
                // A shape cannot express it, so it is sent unchanged if providers accept that.
                let plain = if is_object(schema) { Ok(schema.clone()) } else { Err(error.clone()) };
                Self::new(Err(error), None, OnceLock::from(plain))
            }
        }
    }

    /// `plain` is already set if the schema is sent unchanged.
    fn new(
        shape: SharedResult<Shape>,
        wrapper_key: Option<String>,
        plain: OnceLock<SharedResult<Value>>,
    ) -> Self {
        let (open_ai, anthropic) = (OnceLock::new(), OnceLock::new());
        Self { forms: Arc::new(SchemaForms { shape, wrapper_key, open_ai, anthropic, plain }) }
    }

    /// The key of the value in the wrapper object; `None` if the value is an object itself.
    #[must_use]
    pub fn wrapper_key(&self) -> Option<&str> {
        self.forms.wrapper_key.as_deref()
    }

    /// The rest of an answer after the beginning of the wrapper object. The rest still has the end
    /// of the wrapper. `None` if the answer has no wrapper.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::schema::shape; }
    /// use typed_prompty::shape::{SentSchema, Shape};
    ///
    /// let sent = SentSchema::of_shape(Shape::list_of(Shape::integer()));
    /// assert_eq!(sent.strip_wrapper_start(r#"{"value": [1, 2]}"#), Some(" [1, 2]}"));
    /// assert_eq!(sent.strip_wrapper_start("[1, 2]"), None);
    /// ```
    #[must_use]
    pub fn strip_wrapper_start<'t>(&self, answer: &'t str) -> Option<&'t str> {
        match wrapper::wrapper_start(answer) {
            WrapperStart::Present { key, rest } if self.wrapper_key() == Some(key) => Some(rest),
            _ => None,
        }
    }

    /// The form for a provider's strict mode.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Shape::from_schema`] and [`Shape::to_strict_schema`].
    pub fn strict(&self, dialect: StrictDialect) -> Result<&Value, &Error> {
        let form = match dialect {
            StrictDialect::OpenAi => &self.forms.open_ai,
            StrictDialect::Anthropic => &self.forms.anthropic,
        };
        get_or_create(form, &self.forms.shape, |shape| shape.to_strict_schema(dialect))
    }

    /// The form without strict mode: an object, with `anyOf` for `oneOf`, which OpenAI rejects.
    ///
    /// # Errors
    ///
    /// Returns an error if the schema allows any value, or if it is not a plain object schema and a
    /// shape cannot express it.
    pub fn plain(&self) -> Result<&Value, &Error> {
        get_or_create(&self.forms.plain, &self.forms.shape, Shape::to_plain_object)
    }
}

/// Returns a form, which is created on first use.
fn get_or_create<'f>(
    form: &'f OnceLock<SharedResult<Value>>,
    shape: &SharedResult<Shape>,
    create: impl FnOnce(&Shape) -> Result<Value, Error>,
) -> Result<&'f Value, &'f Error> {
    let created = form.get_or_init(|| match shape {
        Ok(shape) => create(shape).map_err(Arc::new),
        Err(error) => Err(Arc::clone(error)),
    });
    created.as_ref().map_err(|error| &**error)
}

fn any_value_error() -> Error {
    Error::new(ErrorKind::Schema, "the schema allows any value, but providers require an object")
        .with_help("describe the values in the schema")
}

/// Whether a schema allows only objects and has no combinations.
fn is_object(schema: &Value) -> bool {
    let is_absent = |combination: Combination| schema.get(combination.keyword()).is_none();
    Schema::from_value(schema).kinds() == Kinds::OBJECT
        && Combination::ALL.into_iter().all(is_absent)
}

/// A key that no object in a shape has, so that an answer with a wrapper differs from one without.
fn unused_wrapper_key(shape: &Shape) -> String {
    let mut key = wrapper::WRAPPER_KEY.to_owned();
    while has_key(shape, &key) {
        key.push('_');
    }
    key
}

fn has_key(shape: &Shape, key: &str) -> bool {
    let is_own = |object: &ObjectShape| object.fields.iter().any(|(name, _)| **name == *key);
    matches!(&shape.kind, ShapeKind::Object(object) if is_own(object))
        || shape.parts().into_iter().any(|part| has_key(part, key))
}
