//! A part of a schema that goes on alone, with what its references lead to.

use std::collections::{HashMap, VecDeque};

use super::keywords::{Holds, holds};
use super::part::Schema;
use super::pointer;
use crate::value::{Map, Value};

/// Where the definitions of a schema stand.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

impl Schema<'_> {
    /// The schema as a whole one: with the definitions that its references lead to, and theirs, and
    /// without others. What references lead to elsewhere becomes a definition, too.
    ///
    /// `pay` is told of each value before it is read.
    ///
    /// # Errors
    ///
    /// Those of `pay`.
    pub fn bundled<E>(self, pay: &mut dyn FnMut(&Value) -> Result<(), E>) -> Result<Value, E> {
        let Some(value) = self.value() else {
            return Ok(self
                .keywords()
                .map_or(Value::Null, |keywords| keywords.map().clone().into()));
        };
        if self.keywords().is_none() {
            return Ok(value.clone());
        }
        let mut bundle = Bundle { of: self, known: HashMap::new(), waiting: VecDeque::new() };
        pay(value)?;
        let mut part = match bundle.part(value, 0) {
            Value::Object(map) => map,
            other => return Ok(other),
        };
        let mut found = DEFINITIONS.map(|_| Map::new());
        while let Some((target, Definition { list, name })) = bundle.waiting.pop_front() {
            pay(&target)?;
            let definition = bundle.part(&target, 0);
            if let Some(definitions) = found.get_mut(list) {
                definitions.insert(name, definition);
            }
        }
        for (keyword, definitions) in DEFINITIONS.into_iter().zip(found) {
            part.remove(keyword);
            if !definitions.is_empty() {
                part.insert(keyword, definitions);
            }
        }
        Ok(part.into())
    }
}

/// Schemas inside of each other that are looked into for references.
const DEEPEST: usize = 256;

/// A definition: which of the lists it stands in, and its name.
#[derive(Clone)]
struct Definition {
    list: usize,
    name: String,
}

impl Definition {
    fn reference(&self) -> String {
        let list = DEFINITIONS.get(self.list).copied().unwrap_or_default();
        format!("#/{list}/{}", pointer::escape(&self.name).replace('%', "%25"))
    }
}

/// What a part of a schema takes along.
struct Bundle<'s> {
    of: Schema<'s>,
    /// What references lead to, by what they say.
    known: HashMap<String, Definition>,
    waiting: VecDeque<(Value, Definition)>,
}

impl Bundle<'_> {
    /// A part, with references to what is in the bundle.
    fn part(&mut self, schema: &Value, depth: usize) -> Value {
        let Value::Object(map) = schema else { return schema.clone() };
        if depth > DEEPEST {
            return schema.clone();
        }
        let entry = |(keyword, value): (&str, &Value)| {
            let value = match (keyword, value, holds(keyword)) {
                ("$ref", Value::String(reference), _) => self.reference(reference).into(),
                (_, Value::Array(parts), Some(Holds::List | Holds::Schema)) => {
                    let parts = parts.iter().map(|part| self.part(part, depth + 1));
                    parts.collect::<Vec<_>>().into()
                }
                (_, _, Some(Holds::Schema)) => self.part(value, depth + 1),
                (_, Value::Object(parts), Some(Holds::Map)) => {
                    let parts = parts.iter();
                    let parts =
                        parts.map(|(name, part)| (name.to_owned(), self.part(part, depth + 1)));
                    parts.collect::<Map>().into()
                }
                _ => value.clone(),
            };
            (keyword.to_owned(), value)
        };
        // No reference leads to definitions by the place that they have in the part.
        let kept = map.iter().filter(|(keyword, _)| !DEFINITIONS.contains(keyword));
        kept.map(entry).collect::<Map>().into()
    }

    /// A reference to what is in the bundle. What leads nowhere is left as it is.
    fn reference(&mut self, reference: &str) -> String {
        if let Some(known) = self.known.get(reference) {
            return known.reference();
        }
        let Some(target) = self.of.target(reference) else { return reference.to_owned() };
        let value = match (target.value(), target.keywords()) {
            (Some(value), _) => value.clone(),
            (None, Some(keywords)) => keywords.map().clone().into(),
            (None, None) => return reference.to_owned(),
        };
        let definition = self.definition(reference);
        let written = definition.reference();
        self.known.insert(reference.to_owned(), definition.clone());
        self.waiting.push_back((value, definition));
        written
    }

    /// Where the bundle has what a reference leads to: a definition keeps its name.
    fn definition(&self, reference: &str) -> Definition {
        let steps = pointer::steps(reference).unwrap_or_default();
        if let [keyword, name] = steps.as_slice()
            && let Some(list) = DEFINITIONS.iter().position(|it| it == keyword)
        {
            return Definition { list, name: name.to_string() };
        }
        // The place as a name: no definition has a name of that beginning but by intent.
        Definition { list: 0, name: format!("#{}", steps.join("/")) }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use crate::schema::Schema;
    use crate::value::Value;

    /// A property of a schema, bundled.
    fn bundled(schema: &str, property: &str) -> Option<String> {
        let whole = Value::from_json(schema).ok()?;
        let part = whole.get("properties")?.get(property)?;
        let found =
            Schema::from_value(&whole).part(part).bundled(&mut |_| Ok::<(), Infallible>(()));
        found.ok().map(|found| found.to_json())
    }

    #[test]
    fn a_part_takes_along_what_its_references_lead_to_and_no_more() {
        let schema = r##"{"properties": {"a": {"items": {"$ref": "#/$defs/b"}}},
            "$defs": {"b": {"not": {"$ref": "#/definitions/c"}}, "d": true}, "definitions": {"c": {}}}"##;
        let found = r##"{"items": {"$ref": "#/$defs/b"}, "$defs": {"b": {"not": {"$ref": "#/definitions/c"}}}, "definitions": {"c": {}}}"##;
        assert_eq!(bundled(schema, "a").as_deref(), Some(found));
    }

    #[test]
    fn what_is_no_definition_becomes_one() {
        let schema =
            r##"{"properties": {"a": {"$ref": "#/properties/b~1c"}, "b/c": {"$ref": "#"}}}"##;
        let found = bundled(schema, "a").unwrap_or_default();
        let bundle = Value::from_json(&found).unwrap_or_default();
        let target = Schema::from_value(&bundle).own_target();
        let whole = target.and_then(Schema::own_target).and_then(Schema::keywords);
        assert!(whole.is_some_and(|whole| whole.properties().is_some()), "{found}");
    }

    #[test]
    fn values_that_look_like_references_are_left_alone() {
        let schema =
            r##"{"properties": {"a": {"const": {"$ref": "#/$defs/b"}}}, "$defs": {"b": {}}}"##;
        let found = r##"{"const": {"$ref": "#/$defs/b"}}"##;
        assert_eq!(bundled(schema, "a").as_deref(), Some(found));
    }
}
