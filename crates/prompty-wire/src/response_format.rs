//! The format of the content of an answer.

use std::borrow::Cow;

use prompty_core::schema::shape::{SentSchema, Shape};
use prompty_core::value::{Map, Value};
#[cfg(feature = "output")]
use prompty_output::output::Output;

/// The format of the content of an answer: see
/// [`Request::with_response_format`](super::Request::with_response_format). It is created from an
/// [`Output`](prompty_output::output::Output), from a [`Shape`], or by the functions here.
#[derive(Debug, Clone)]
pub struct ResponseFormat(pub(super) Option<FormatKind>);

impl ResponseFormat {
    /// JSON of any kind.
    pub fn json() -> Self {
        Self(Some(FormatKind::Json))
    }

    /// JSON that matches a JSON schema. OpenAI receives the schema unchanged: a `strict` schema
    /// must be in OpenAI's strict form. Anthropic receives its own strict form, and a schema
    /// without one is an error.
    pub fn schema(name: impl Into<Cow<'static, str>>, schema: Value, strict: bool) -> Self {
        Self(Some(FormatKind::Schema { name: name.into(), description: None, schema, strict }))
    }
}

/// From a shape, such as that of a prompt's `outputs`.
impl From<&Shape> for ResponseFormat {
    fn from(shape: &Shape) -> Self {
        Self(Some(FormatKind::Sent(SentSchema::of_shape(shape.clone()))))
    }
}

/// From an output. An output of plain text sets no format.
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
    /// JSON that matches a schema from the caller or from the body of a request.
    Schema { name: Cow<'static, str>, description: Option<String>, schema: Value, strict: bool },
    /// JSON that matches the schema of a type or a shape. Each protocol gets the form that it
    /// accepts.
    Sent(SentSchema),
}

/// The response format in the form of a protocol's body.
pub(super) enum AnswerForm<'r> {
    Json,
    Schema { name: &'r str, description: Option<&'r str>, schema: Cow<'r, Value>, strict: bool },
}

impl AnswerForm<'_> {
    /// The type of the format in the protocols of OpenAI.
    pub(super) fn kind(&self) -> &'static str {
        if matches!(self, Self::Json) { "json_object" } else { "json_schema" }
    }

    /// The schema and its properties in the protocols of OpenAI.
    pub(super) fn named_schema(&self) -> Option<Map> {
        let Self::Schema { name, description, schema, strict } = self else { return None };
        let mut entries = Map::from([("name", *name)]);
        if let Some(description) = description {
            entries.insert("description", *description);
        }
        entries.insert("strict", *strict);
        entries.insert("schema", Value::clone(schema));
        Some(entries)
    }
}
