//! How the map of a body is written, and what stands in it in every protocol.

use std::borrow::Cow;

use prompty_core::error::Error;
use prompty_core::message::{ContentPart, Message, Strictness, ToolSpec};
use prompty_core::schema::shape::{SentSchema, Shape, StrictDialect};
use prompty_core::value::{Map, Value};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use super::error::{Result, WireError};
use super::protocol::Protocol;

/// Writes the entries of a body, and remembers their names.
pub(super) struct Entries<M> {
    map: M,
    written: Vec<&'static str>,
}

impl<M: SerializeMap> Entries<M> {
    pub(super) fn new(map: M) -> Self {
        Self { map, written: Vec::with_capacity(16) }
    }

    pub(super) fn put<V: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &V,
    ) -> Result<(), M::Error> {
        self.written.push(name);
        self.map.serialize_entry(name, value)
    }

    /// Puts an entry that may not be set.
    pub(super) fn put_set<V: Serialize>(
        &mut self,
        name: &'static str,
        value: Option<V>,
    ) -> Result<(), M::Error> {
        value.map_or(Ok(()), |value| self.put(name, &value))
    }

    /// Puts a list that may be empty.
    pub(super) fn put_list<V: Serialize>(
        &mut self,
        name: &'static str,
        list: &[V],
    ) -> Result<(), M::Error> {
        if list.is_empty() { Ok(()) } else { self.put(name, list) }
    }

    /// The map, for entries whose names are not constant.
    pub(super) fn into_map(self) -> M {
        self.map
    }

    /// Puts the entries that only the provider knows, but none twice.
    pub(super) fn end<'v>(
        mut self,
        additional: impl Iterator<Item = (&'v str, &'v Value)>,
    ) -> Result<M::Ok, M::Error> {
        for (name, value) in additional.filter(|(name, _)| !self.written.contains(name)) {
            self.map.serialize_entry(name, value)?;
        }
        self.map.end()
    }
}

/// The texts of a message, as one.
pub(super) fn text(message: &Message) -> Cow<'_, str> {
    match &*message.content {
        [ContentPart::Text(text)] => Cow::Borrowed(text),
        _ => Cow::Owned(message.text()),
    }
}

/// The texts of the operator as one, with blank lines between them.
pub(super) fn joined(texts: Vec<Cow<'_, str>>) -> Option<Cow<'_, str>> {
    match <[_; 1]>::try_from(texts) {
        Ok([text]) => Some(text),
        Err(texts) if texts.is_empty() => None,
        Err(texts) => Some(Cow::Owned(texts.join("\n\n"))),
    }
}

/// Two lists as one.
pub(super) struct Joined<'r, A, B>(pub(super) &'r [A], pub(super) &'r [B]);

impl<A: Serialize, B: Serialize> Serialize for Joined<'_, A, B> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len() + self.1.len()))?;
        self.0.iter().try_for_each(|item| list.serialize_element(item))?;
        self.1.iter().try_for_each(|item| list.serialize_element(item))?;
        list.end()
    }
}

/// A number, without a fraction where it has none: `1` for `1.0`.
pub(super) struct Number(pub(super) f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[expect(clippy::cast_possible_truncation, reason = "it is compared")]
        let whole = self.0 as i64;
        #[expect(clippy::cast_precision_loss, reason = "it is compared")]
        match whole as f64 == self.0 {
            true => serializer.serialize_i64(whole),
            false => serializer.serialize_f64(self.0),
        }
    }
}

/// The schema of an answer, as a protocol takes it, and whether that is its strict form.
pub(super) fn sent_form(sent: &SentSchema, protocol: Protocol) -> Result<(&Value, bool)> {
    let dialect = protocol.rules().strict_dialect;
    let error = match sent.strict(dialect) {
        Ok(schema) => return Ok((schema, true)),
        Err(error) => error,
    };
    // Anthropic takes none but strict schemas. For others, the answer is held to all of it when it is read.
    Err(match (dialect, sent.plain()) {
        (StrictDialect::Anthropic, _) => no_form(error),
        (_, Ok(schema)) => return Ok((schema, false)),
        (_, Err(error)) => no_form(error),
    })
}

/// The error of an answer's schema that a protocol cannot take.
fn no_form(error: &Error) -> WireError {
    let message =
        format!("the protocol takes no form of the answer's schema{}: {error}", place(error));
    WireError::unsupported(message).with_help(
        "change the type, or ask for the answer in the prompt (`{{ output_requirement }}`) and not in the request: \
         `reply.output::<T>()` reads it all the same",
    )
}

/// The schema of an answer that a caller wrote, or a body of a protocol says, as another protocol takes it, and whether the
/// provider holds the answer to it.
///
/// # Errors
///
/// Where the protocol takes none but strict schemas, and this has no strict form.
pub(super) fn given_form(
    schema: &Value,
    strict: bool,
    from: Option<Protocol>,
    to: Protocol,
) -> Result<(Cow<'_, Value>, bool)> {
    let as_it_is = |strict| Ok((Cow::Borrowed(schema), strict));
    let dialect = to.rules().strict_dialect;
    let form = match (from.map(|it| it.rules().strict_dialect), dialect) {
        (Some(StrictDialect::Anthropic), StrictDialect::Anthropic) => return as_it_is(strict),
        (Some(StrictDialect::Anthropic), _) | (_, StrictDialect::Anthropic) => {
            SentSchema::of_schema(schema)
        }
        _ => return as_it_is(strict),
    };
    // Who reads the answer knows of no object around it.
    let is_object = form.around().is_none();
    match (form.strict(dialect), dialect) {
        (Ok(strict), _) if is_object => Ok((Cow::Owned(strict.clone()), true)),
        (Ok(_), StrictDialect::Anthropic) => {
            Err(WireError::unsupported("the protocol takes no answer that is not an object")
                .with_help(
                    "put the schema into an object: `{\"type\": \"object\", \"properties\": …}`",
                ))
        }
        (Err(error), StrictDialect::Anthropic) => Err(no_form(error)),
        _ => as_it_is(false),
    }
}

/// The place of what a schema cannot have.
fn place(error: &Error) -> String {
    error.place().map(|place| format!(" at {place}")).unwrap_or_default()
}

/// The schema of a tool's parameters, as the provider must have it.
pub(super) fn parameters(tool: &ToolSpec, protocol: Protocol) -> Result<Parameters<'_>> {
    let unsaid = match tool.strict {
        Strictness::Off => Some(None),
        Strictness::Never => Some(Some(false)),
        _ => None,
    };
    if let Some(strict) = unsaid {
        return Ok(Parameters { schema: ParametersForm::Own(&tool.parameters), strict });
    }
    let sent = match tool.parameters.is_empty() {
        true => SentSchema::of_shape(Shape::object::<&str>([])),
        false => SentSchema::of_schema(&Value::Object(tool.parameters.clone())),
    };
    let dialect = protocol.rules().strict_dialect;
    let Err(error) = sent.strict(dialect) else {
        let schema = ParametersForm::Strict(sent, dialect);
        return Ok(Parameters { schema, strict: Some(true) });
    };
    if tool.strict == Strictness::On {
        let message = format!("the tool `{}` cannot be strict{}: {error}", tool.name, place(error));
        let help = "send it without `strict`, or change the type";
        return Err(WireError::unsupported(message).with_help(help));
    }
    let schema = match sent.plain() {
        Ok(_) => ParametersForm::Plain(sent),
        Err(_) => ParametersForm::Own(&tool.parameters),
    };
    Ok(Parameters { schema, strict: Some(false) })
}

/// The schema of a tool's parameters.
pub(super) struct Parameters<'r> {
    schema: ParametersForm<'r>,
    strict: Option<bool>,
}

enum ParametersForm<'r> {
    /// As the tool has it.
    Own(&'r Map),
    Plain(SentSchema),
    Strict(SentSchema, StrictDialect),
}

impl Parameters<'_> {
    /// The strict schema, where the provider must hold calls to it.
    pub(super) fn strict_schema(&self) -> Option<&Value> {
        match &self.schema {
            ParametersForm::Strict(sent, dialect) => sent.strict(*dialect).ok(),
            ParametersForm::Own(_) | ParametersForm::Plain(_) => None,
        }
    }

    /// The same parameters, to which the provider need not hold calls.
    pub(super) fn loosened(self) -> Self {
        match self.schema {
            ParametersForm::Strict(sent, _) => {
                Self { schema: ParametersForm::Plain(sent), strict: Some(false) }
            }
            ParametersForm::Own(_) | ParametersForm::Plain(_) => self,
        }
    }

    /// Whether the provider must hold calls to the schema, where the tool says so.
    pub(super) fn strict(&self) -> Option<bool> {
        self.strict
    }

    /// The same, for protocols in which nothing means that it need not.
    pub(super) fn strict_if_so(&self) -> Option<bool> {
        self.strict.filter(|is_strict| *is_strict)
    }
}

impl Serialize for Parameters<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let form = match &self.schema {
            ParametersForm::Own(map) => return with_properties(map, serializer),
            ParametersForm::Plain(sent) => sent.plain(),
            ParametersForm::Strict(sent, dialect) => sent.strict(*dialect),
        };
        match form.map_err(serde::ser::Error::custom)? {
            Value::Object(map) => with_properties(map, serializer),
            schema => schema.serialize(serializer),
        }
    }
}

/// Writes a tool's parameters. OpenAI demands `properties`, also where there are none.
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
