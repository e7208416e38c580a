//! The format that the content of an answer must have.

use std::borrow::Cow;

use prompty_core::schema::shape::{SentSchema, Shape};
use prompty_core::value::Value;
#[cfg(feature = "output")]
use prompty_output::output::Output;

/// The format that the content of an answer must have: see
/// [`Request::with_response_format`](super::Request::with_response_format). It is made of an
/// [`Output`](prompty_output::output::Output), of a [`Shape`], or by the functions here.
#[derive(Debug, Clone)]
pub struct ResponseFormat(pub(super) Option<FormatKind>);

impl ResponseFormat {
    /// JSON of any kind.
    pub fn json() -> Self {
        Self(Some(FormatKind::Json))
    }

    /// JSON that a JSON schema holds. OpenAI gets the schema as it is: what is `strict` must be in its strict
    /// form. Anthropic gets its strict form, and a schema without one is an error.
    pub fn schema(name: impl Into<Cow<'static, str>>, schema: Value, strict: bool) -> Self {
        Self(Some(FormatKind::Schema { name: name.into(), description: None, schema, strict }))
    }
}

/// Of a shape, such as that of a prompt's `outputs`.
impl From<&Shape> for ResponseFormat {
    fn from(shape: &Shape) -> Self {
        Self(Some(FormatKind::Sent(SentSchema::of_shape(shape.clone()))))
    }
}

/// Of an answer that an output reads. An output of plain text sets no format.
#[cfg(feature = "output")]
impl<T> From<&Output<T>> for ResponseFormat {
    fn from(output: &Output<T>) -> Self {
        Self(output.asks_for_json().then(|| FormatKind::Sent(output.sent().clone())))
    }
}

/// The kinds of formats.
#[derive(Debug, Clone)]
pub(super) enum FormatKind {
    /// JSON of any kind.
    Json,
    /// JSON that a schema holds.
    Schema { name: Cow<'static, str>, description: Option<String>, schema: Value, strict: bool },
    /// JSON that a schema holds, in the form that the protocol takes.
    Sent(SentSchema),
}

/// The form of the answer, as a protocol's body has it.
pub(super) enum AnswerForm<'r> {
    Json,
    Schema { name: &'r str, description: Option<&'r str>, schema: Cow<'r, Value>, strict: bool },
}
