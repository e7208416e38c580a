//! Writes the entries of a body that all protocols share: options, response formats and tool
//! parameters.

use std::borrow::Cow;

use prompty_core::error::Error;
use prompty_core::message::{ContentPart, Message, Strictness, ToolSpec};
use prompty_core::schema::shape::{SentSchema, Shape, StrictDialect};
use prompty_core::value::{Map, Value};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::error::{Result, WireError};
use super::protocol::Protocol;

/// Writes the entries of an object, and remembers their names.
pub(super) struct EntryWriter<'n, M> {
    map: M,
    /// The names of the first entries. Most objects have no others, so they need no allocation.
    first: [&'n str; 8],
    others: Vec<&'n str>,
    count: usize,
}

impl<'n, M: SerializeMap> EntryWriter<'n, M> {
    pub(super) fn new(map: M) -> Self {
        Self { map, first: [""; 8], others: Vec::new(), count: 0 }
    }

    pub(super) fn put<V: Serialize + ?Sized>(
        &mut self,
        name: &'n str,
        value: &V,
    ) -> Result<(), M::Error> {
        match self.first.get_mut(self.count) {
            Some(free) => *free = name,
            None => self.others.push(name),
        }
        self.count += 1;
        self.map.serialize_entry(name, value)
    }

    /// Writes an entry if it is set.
    pub(super) fn put_set<V: Serialize>(
        &mut self,
        name: &'n str,
        value: Option<V>,
    ) -> Result<(), M::Error> {
        value.map_or(Ok(()), |value| self.put(name, &value))
    }

    /// Writes a list unless it is empty.
    pub(super) fn put_list<V: Serialize>(
        &mut self,
        name: &'n str,
        list: &[V],
    ) -> Result<(), M::Error> {
        if list.is_empty() { Ok(()) } else { self.put(name, list) }
    }

    /// Writes the additional entries, except for names that are already written.
    pub(super) fn end<'v>(
        mut self,
        additional: impl Iterator<Item = (&'v str, &'v Value)>,
    ) -> Result<M::Ok, M::Error> {
        let (first, others, count) = (self.first, self.others, self.count);
        let is_written =
            |name: &str| first.iter().take(count).chain(&others).any(|written| *written == name);
        for (name, value) in additional.filter(|(name, _)| !is_written(name)) {
            self.map.serialize_entry(name, value)?;
        }
        self.map.end()
    }
}

/// The text parts of a message, joined.
pub(super) fn message_text(message: &Message) -> Cow<'_, str> {
    match &*message.content {
        [ContentPart::Text(text)] => Cow::Borrowed(text),
        _ => Cow::Owned(message.text()),
    }
}

/// The system texts, joined with blank lines.
pub(super) fn join_texts(texts: Vec<Cow<'_, str>>) -> Option<Cow<'_, str>> {
    match <[_; 1]>::try_from(texts) {
        Ok([text]) => Some(text),
        Err(texts) if texts.is_empty() => None,
        Err(texts) => Some(Cow::Owned(texts.join("\n\n"))),
    }
}

/// A number that is written as an integer if possible: `1` for `1.0`.
pub(super) struct JsonNumber(pub(super) f64);

impl Serialize for JsonNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[expect(clippy::cast_possible_truncation, reason = "the result is compared")]
        let integer = self.0 as i64;
        #[expect(clippy::cast_precision_loss, reason = "the result is compared")]
        match integer as f64 == self.0 {
            true => serializer.serialize_i64(integer),
            false => serializer.serialize_f64(self.0),
        }
    }
}

/// The schema of an output in the form of a protocol, and whether it is the strict form.
pub(super) fn output_schema_form(sent: &SentSchema, protocol: Protocol) -> Result<(&Value, bool)> {
    let dialect = protocol.rules().strict_dialect;
    let error = match sent.strict(dialect) {
        Ok(schema) => return Ok((schema, true)),
        Err(error) => error,
    };
    // Anthropic only accepts strict schemas. A request without the schema would look as if the
    // provider enforced it, so this is an error. For others, the complete schema is checked when
    // the answer is read.
    Err(match (dialect, sent.plain()) {
        (StrictDialect::Anthropic, _) => unsupported_schema(error),
        (_, Ok(schema)) => return Ok((schema, false)),
        (_, Err(error)) => unsupported_schema(error),
    })
}

/// The error of a schema that a protocol does not support.
fn unsupported_schema(error: &Error) -> WireError {
    let message =
        format!("the protocol does not support the answer's schema{}: {error}", place(error));
    WireError::unsupported(message).with_help(
        "change the type, or describe it in the prompt with `{{ output_requirement }}` instead of \
         in the request; `reply.output::<T>()` reads both",
    )
}

/// The schema that a caller or a request body contains, in the form of a protocol, and whether the
/// provider must enforce it.
///
/// # Errors
///
/// Returns an error if the protocol only accepts strict schemas, and this one has no strict form.
pub(super) fn custom_schema_form(
    schema: &Value,
    strict: bool,
    from: Option<Protocol>,
    to: Protocol,
) -> Result<(Cow<'_, Value>, bool)> {
    let unchanged = |strict| Ok((Cow::Borrowed(schema), strict));
    let dialect = to.rules().strict_dialect;
    // The strict forms of OpenAI and Anthropic differ, so a schema from or for Anthropic is
    // converted.
    let form = match (from.map(|it| it.rules().strict_dialect), dialect) {
        (Some(StrictDialect::Anthropic), StrictDialect::Anthropic) => return unchanged(strict),
        (Some(StrictDialect::Anthropic), _) | (_, StrictDialect::Anthropic) => {
            SentSchema::of_schema(schema)
        }
        _ => return unchanged(strict),
    };
    // The reader of the answer does not expect a wrapper object, which the form of another type
    // has.
    let is_object = form.wrapper_key().is_none();
    match (form.strict(dialect), dialect) {
        (Ok(strict_form), _) if is_object => Ok((Cow::Owned(strict_form.clone()), true)),
        (Ok(_), StrictDialect::Anthropic) => {
            Err(WireError::unsupported("the protocol only accepts the schema of an object")
                .with_help(
                    "put the schema into an object: `{\"type\": \"object\", \"properties\": …}`",
                ))
        }
        (Err(error), StrictDialect::Anthropic) => Err(unsupported_schema(error)),
        _ => unchanged(false),
    }
}

/// The place of an error in a schema, as text.
fn place(error: &Error) -> String {
    error.place().map(|place| format!(" at {place}")).unwrap_or_default()
}

/// A tool as a function in the form of OpenAI.
#[derive(Serialize)]
pub(super) struct ToolFunction<'r> {
    name: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'r str>,
    parameters: ToolParameters<'r>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
}

impl<'r> ToolFunction<'r> {
    pub(super) fn new(
        tool: &'r ToolSpec,
        parameters: ToolParameters<'r>,
        strict: Option<bool>,
    ) -> Self {
        let description = tool.description.as_deref();
        Self { name: &tool.name, description, parameters, strict }
    }
}

/// The schema of a tool's parameters in the form of a protocol.
pub(super) fn tool_parameters(tool: &ToolSpec, protocol: Protocol) -> Result<ToolParameters<'_>> {
    // With these, the schema is sent unchanged: `strict` is missing or `false`.
    let unchanged = match tool.strict {
        Strictness::Off => Some(None),
        Strictness::Never => Some(Some(false)),
        _ => None,
    };
    if let Some(strict) = unchanged {
        return Ok(ToolParameters { schema: ParametersSchema::Own(&tool.parameters), strict });
    }
    let sent = match tool.parameters.is_empty() {
        true => SentSchema::of_shape(Shape::object::<&str>([])),
        false => SentSchema::of_schema(&Value::Object(tool.parameters.clone())),
    };
    let dialect = protocol.rules().strict_dialect;
    let Err(error) = sent.strict(dialect) else {
        let schema = ParametersSchema::Strict(sent, dialect);
        return Ok(ToolParameters { schema, strict: Some(true) });
    };
    if tool.strict == Strictness::On {
        let message = format!("the tool `{}` cannot be strict{}: {error}", tool.name, place(error));
        let help = "remove `strict`, or change the type";
        return Err(WireError::unsupported(message).with_help(help));
    }
    let schema = match sent.plain() {
        Ok(_) => ParametersSchema::Plain(sent),
        Err(_) => ParametersSchema::Own(&tool.parameters),
    };
    // OpenAI's responses enforce a schema without this entry if they can.
    Ok(ToolParameters { schema, strict: Some(false) })
}

/// The schema of a tool's parameters.
pub(super) struct ToolParameters<'r> {
    schema: ParametersSchema<'r>,
    strict: Option<bool>,
}

enum ParametersSchema<'r> {
    /// The tool's own schema.
    Own(&'r Map),
    Plain(SentSchema),
    Strict(SentSchema, StrictDialect),
}

impl ToolParameters<'_> {
    /// The strict schema, if the provider must enforce it.
    pub(super) fn strict_schema(&self) -> Option<&Value> {
        match &self.schema {
            ParametersSchema::Strict(sent, dialect) => sent.strict(*dialect).ok(),
            ParametersSchema::Own(_) | ParametersSchema::Plain(_) => None,
        }
    }

    /// The same parameters, which the provider need not enforce.
    pub(super) fn without_strict(self) -> Self {
        match self.schema {
            ParametersSchema::Strict(sent, _) => {
                Self { schema: ParametersSchema::Plain(sent), strict: Some(false) }
            }
            ParametersSchema::Own(_) | ParametersSchema::Plain(_) => self,
        }
    }

    /// Whether the provider must enforce the schema, if that is set.
    pub(super) fn strict(&self) -> Option<bool> {
        self.strict
    }

    /// `Some(true)` if the provider must enforce the schema, for protocols whose default is not to.
    pub(super) fn strict_if_on(&self) -> Option<bool> {
        self.strict.filter(|is_strict| *is_strict)
    }
}

impl Serialize for ToolParameters<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let form = match &self.schema {
            ParametersSchema::Own(map) => return with_properties(map, serializer),
            ParametersSchema::Plain(sent) => sent.plain(),
            ParametersSchema::Strict(sent, dialect) => sent.strict(*dialect),
        };
        match form.map_err(serde::ser::Error::custom)? {
            Value::Object(map) => with_properties(map, serializer),
            schema => schema.serialize(serializer),
        }
    }
}

/// Writes a tool's parameters. OpenAI demands `properties`, even if there are none.
fn with_properties<S: Serializer>(schema: &Map, serializer: S) -> Result<S::Ok, S::Error> {
    let kind = schema.get("type").and_then(Value::as_str);
    let is_bare = kind == Some("object") && schema.get("properties").is_none();
    if !schema.is_empty() && !is_bare {
        return schema.serialize(serializer);
    }
    let mut written = serializer.serialize_map(None)?;
    for (name, value) in schema.iter() {
        written.serialize_entry(name, value)?;
    }
    if schema.is_empty() {
        written.serialize_entry("type", "object")?;
    }
    written.serialize_entry("properties", &Map::new())?;
    written.end()
}
