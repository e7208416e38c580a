//! The schema of an answer or of a call, in the forms in which it is sent to providers.

use std::sync::{Arc, OnceLock};

use super::around::{self, Beginning};
use super::{Kind, Shape, StrictDialect};
use crate::error::{Error, ErrorKind};
use crate::schema::{Combination, Kinds, Schema};
use crate::value::Value;

/// A schema as it is sent to providers. Each form is made once, when it is asked for.
///
/// Providers demand an object at the top. A list, a union or any other value that may be no object stands in one,
/// under the key that [`around`](Self::around) gives.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::schema::shape; }
/// use typed_prompty::shape::{SentSchema, Shape, StrictDialect};
///
/// let sent = SentSchema::of_shape(Shape::list_of(Shape::integer()));
/// assert_eq!(sent.around(), Some("value"));
/// assert_eq!(
///     sent.strict(StrictDialect::OpenAi).unwrap().to_json(),
///     r#"{"type": "object", "properties": {"value": {"type": "array", "items": {"type": "integer"}}}, "required": ["value"], "additionalProperties": false}"#,
/// );
/// ```
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct SentSchema {
    forms: Arc<Forms>,
}

#[derive(Debug)]
struct Forms {
    /// The shape of what is sent: an object.
    shape: Shared<Shape>,
    around: Option<String>,
    open_ai: OnceLock<Shared<Value>>,
    anthropic: OnceLock<Shared<Value>>,
    plain: OnceLock<Shared<Value>>,
}

/// One error may be that of all forms.
type Shared<T> = Result<T, Arc<Error>>;

impl SentSchema {
    /// That of the values that follow a shape.
    #[must_use]
    pub fn of_shape(shape: Shape) -> Self {
        match &shape.kind {
            Kind::Any | Kind::Words(_) => {
                Self::new(Err(Arc::new(any_value())), None, OnceLock::new())
            }
            _ if shape.is_object() => Self::new(Ok(shape), None, OnceLock::new()),
            _ => {
                let around = key_around(&shape);
                let shape = Shape::object([(around.as_str(), shape.required())]);
                Self::new(Ok(shape), Some(around), OnceLock::new())
            }
        }
    }

    /// That of the values that a JSON schema admits.
    #[must_use]
    pub fn of_schema(schema: &Value) -> Self {
        match Shape::from_schema(schema) {
            Ok(shape) => Self::of_shape(shape),
            Err(error) => {
                let error = Arc::new(error);
                // No shape can say it, so it is sent as it is, if providers take that.
                let plain = if is_object(schema) { Ok(schema.clone()) } else { Err(error.clone()) };
                Self::new(Err(error), None, OnceLock::from(plain))
            }
        }
    }

    fn new(shape: Shared<Shape>, around: Option<String>, plain: OnceLock<Shared<Value>>) -> Self {
        let (open_ai, anthropic) = (OnceLock::new(), OnceLock::new());
        Self { forms: Arc::new(Forms { shape, around, open_ai, anthropic, plain }) }
    }

    /// The key under which the value stands in the object that is sent. Nothing where the value is an object
    /// itself.
    #[must_use]
    pub fn around(&self) -> Option<&str> {
        self.forms.around.as_deref()
    }

    /// The value of an answer that begins with the object around it, and what closes that. Nothing where the
    /// answer begins otherwise.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::schema::shape; }
    /// use typed_prompty::shape::{SentSchema, Shape};
    ///
    /// let sent = SentSchema::of_shape(Shape::list_of(Shape::integer()));
    /// assert_eq!(sent.inside(r#"{"value": [1, 2]}"#), Some(" [1, 2]}"));
    /// assert_eq!(sent.inside("[1, 2]"), None);
    /// ```
    #[must_use]
    pub fn inside<'t>(&self, answer: &'t str) -> Option<&'t str> {
        match around::beginning(answer) {
            Beginning::Around { key, rest } if self.around() == Some(key) => Some(rest),
            _ => None,
        }
    }

    /// The strict form that a provider takes.
    ///
    /// # Errors
    ///
    /// Those of [`Shape::from_schema`] and [`Shape::to_strict_schema`].
    pub fn strict(&self, dialect: StrictDialect) -> Result<&Value, &Error> {
        let form = match dialect {
            StrictDialect::OpenAi => &self.forms.open_ai,
            StrictDialect::Anthropic => &self.forms.anthropic,
        };
        made(form, &self.forms.shape, |shape| shape.to_strict_schema(dialect))
    }

    /// The form that providers take without holding the model to it: an object, with `anyOf` for `oneOf`, which
    /// OpenAI refuses.
    ///
    /// # Errors
    ///
    /// Where any value follows the schema, and where it is that of no object and no shape can say it.
    pub fn plain(&self) -> Result<&Value, &Error> {
        made(&self.forms.plain, &self.forms.shape, Shape::to_plain_object)
    }
}

/// A form, which is made when it is first asked for.
fn made<'f>(
    form: &'f OnceLock<Shared<Value>>,
    shape: &Shared<Shape>,
    make: impl FnOnce(&Shape) -> Result<Value, Error>,
) -> Result<&'f Value, &'f Error> {
    let made = form.get_or_init(|| match shape {
        Ok(shape) => make(shape).map_err(Arc::new),
        Err(error) => Err(Arc::clone(error)),
    });
    made.as_ref().map_err(|error| &**error)
}

fn any_value() -> Error {
    Error::new(ErrorKind::Schema, "any value follows the schema, and providers demand an object")
        .with_help("say what the values are")
}

/// Whether objects alone follow a schema, and it is none of several schemas.
fn is_object(schema: &Value) -> bool {
    let is_one = |combination: Combination| schema.get(combination.keyword()).is_none();
    Schema::from_value(schema).kinds() == Kinds::OBJECT && Combination::ALL.into_iter().all(is_one)
}

/// A key that no object in a shape has, so that an answer without the object around is told from one with it.
fn key_around(shape: &Shape) -> String {
    let mut key = around::KEY.to_owned();
    while names(shape, &key) {
        key.push('_');
    }
    key
}

fn names(shape: &Shape, key: &str) -> bool {
    let is_own = match &shape.kind {
        Kind::Object(object) => object.fields.iter().any(|(name, _)| **name == *key),
        _ => false,
    };
    is_own || shape.parts().into_iter().any(|part| names(part, key))
}
