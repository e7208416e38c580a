//! How the map of a body is written, and what stands in it in every protocol.

use std::borrow::Cow;

use prompty_core::error::Error;
use prompty_core::message::{Strictness, Tool};
use prompty_core::schema::shape::Shape;
use prompty_core::value::{Map, Value};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use super::error::WireError;

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

/// The schema of a tool's parameters, as the provider must have it.
pub(super) fn parameters(tool: &Tool) -> Result<Parameters<'_>, WireError> {
    let own = Parameters { schema: ParametersForm::Own(&tool.parameters) };
    match (tool.strict, strict_schema(tool)) {
        (Strictness::Off, _) => Ok(own),
        (_, Some(Ok(schema))) => Ok(Parameters { schema: ParametersForm::Strict(schema) }),
        (Strictness::On, Some(Err(error))) => {
            let place = error.place().map(|place| format!(" at {place}")).unwrap_or_default();
            let message = format!("the tool `{}` cannot be strict{place}: {error}", tool.name);
            let help = "send it without `strict`, or change the type";
            Err(WireError::unsupported(message).with_help(help))
        }
        _ => Ok(own),
    }
}

/// The strict form of a tool's schema, where it is wanted.
fn strict_schema(tool: &Tool) -> Option<Result<Value, Error>> {
    if tool.strict == Strictness::Off {
        return None;
    }
    let shape = match tool.parameters.is_empty() {
        true => Ok(Shape::object::<&str>([])),
        false => Shape::from_schema(&Value::Object(tool.parameters.clone())),
    };
    Some(shape.and_then(|shape| shape.to_strict_schema()))
}

/// The schema of a tool's parameters.
pub(super) struct Parameters<'r> {
    schema: ParametersForm<'r>,
}

enum ParametersForm<'r> {
    Own(&'r Map),
    Strict(Value),
}

impl Parameters<'_> {
    /// What stands beside the schema where the provider must hold calls to it.
    pub(super) fn strict(&self) -> Option<bool> {
        matches!(self.schema, ParametersForm::Strict(_)).then_some(true)
    }
}

impl Serialize for Parameters<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.schema {
            ParametersForm::Own(map) if map.is_empty() => {
                let mut schema = serializer.serialize_map(Some(2))?;
                schema.serialize_entry("type", "object")?;
                schema.serialize_entry("properties", &Map::new())?;
                schema.end()
            }
            ParametersForm::Own(map) => map.serialize(serializer),
            ParametersForm::Strict(schema) => schema.serialize(serializer),
        }
    }
}
