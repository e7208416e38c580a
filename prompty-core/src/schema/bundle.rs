//! Extracts a part of a schema with all definitions that it refers to.
//!
//! Definitions that the part does not need are left out. Otherwise a grammar of many arguments
//! would contain all definitions once for each argument.
//!
//! The part `a` of the first schema becomes the second one:
//!
//! ```text
//! {"properties": {"a": {"$ref": "#/$defs/b"}, "x": {"$ref": "#/$defs/y"}},
//!  "$defs": {"b": {"items": {"$ref": "#/properties/x"}}, "y": true}}
//!
//! {"$ref": "#/$defs/b", "$defs": {"b": {"items": {"$ref": "#/$defs/#properties~1x"}},
//!  "#properties/x": {"$ref": "#/$defs/y"}, "y": true}}
//! ```

use std::collections::{HashMap, VecDeque};

use super::keywords::{SubschemaForm, subschema_form};
use super::part::Schema;
use super::pointer;
use crate::value::{Map, Value};

/// The keywords of definitions.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

impl Schema<'_> {
    /// The part as a complete schema. It contains exactly the definitions that its references lead
    /// to, directly or indirectly. Other targets of references become definitions as well.
    ///
    /// `pay` receives each value before it is read.
    ///
    /// # Errors
    ///
    /// Returns an error if `pay` does.
    pub fn bundled<E>(self, pay: &mut dyn FnMut(&Value) -> Result<(), E>) -> Result<Value, E> {
        // A root that was created from a map is complete.
        let Some(value) = self.value() else {
            return Ok(self
                .keywords()
                .map_or(Value::Null, |keywords| keywords.map().clone().into()));
        };
        if self.keywords().is_none() {
            return Ok(value.clone());
        }
        let mut bundle = Bundle { of: self, definitions: HashMap::new(), waiting: VecDeque::new() };
        pay(value)?;
        let mut part = match bundle.adjusted(value, 0) {
            Value::Object(map) => map,
            other => return Ok(other),
        };
        // The queue grows in this loop, because a definition may refer to further ones.
        let mut found = DEFINITIONS.map(|_| Map::new());
        while let Some((target, BundledDefinition { keyword_index, name })) =
            bundle.waiting.pop_front()
        {
            pay(&target)?;
            let definition = bundle.adjusted(&target, 0);
            if let Some(definitions) = found.get_mut(keyword_index) {
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

/// The maximum nesting of schemas in which references are adjusted, which limits the use of the
/// stack. Deeper references are copied unchanged.
const MAX_NESTING: usize = 256;

/// A definition: the index of its keyword in [`DEFINITIONS`], and its name.
#[derive(Clone)]
struct BundledDefinition {
    keyword_index: usize,
    name: String,
}

impl BundledDefinition {
    /// The reference to it in the bundle. References are URIs, in which a `%` begins an escape.
    fn reference(&self) -> String {
        let keyword = DEFINITIONS.get(self.keyword_index).copied().unwrap_or_default();
        format!("#/{keyword}/{}", pointer::escape(&self.name).replace('%', "%25"))
    }
}

/// The state while a part of a schema is extracted.
struct Bundle<'s> {
    /// The part, which also knows its root.
    of: Schema<'s>,
    /// The definitions by the references that lead to them.
    definitions: HashMap<String, BundledDefinition>,
    /// Definitions that still have to be copied.
    waiting: VecDeque<(Value, BundledDefinition)>,
}

impl Bundle<'_> {
    /// A part, with its references changed to those of the bundle.
    fn adjusted(&mut self, schema: &Value, depth: usize) -> Value {
        let Value::Object(map) = schema else { return schema.clone() };
        if depth > MAX_NESTING {
            return schema.clone();
        }
        let entry = |(keyword, value): (&str, &Value)| {
            let value = match (keyword, value, subschema_form(keyword)) {
                ("$ref", Value::String(reference), _) => self.bundled_reference(reference).into(),
                // In older schemas, `items` may be an array.
                (_, Value::Array(parts), Some(SubschemaForm::List | SubschemaForm::Schema)) => {
                    let parts = parts.iter().map(|part| self.adjusted(part, depth + 1));
                    parts.collect::<Vec<_>>().into()
                }
                (_, _, Some(SubschemaForm::Schema)) => self.adjusted(value, depth + 1),
                (_, Value::Object(parts), Some(SubschemaForm::Map)) => {
                    let parts = parts.iter();
                    let parts =
                        parts.map(|(name, part)| (name.to_owned(), self.adjusted(part, depth + 1)));
                    parts.collect::<Map>().into()
                }
                _ => value.clone(),
            };
            (keyword.to_owned(), value)
        };
        // Definitions are copied separately, and only if a reference leads to them.
        let kept = map.iter().filter(|(keyword, _)| !DEFINITIONS.contains(keyword));
        kept.map(entry).collect::<Map>().into()
    }

    /// The reference in the bundle. A reference without a target is not changed.
    fn bundled_reference(&mut self, reference: &str) -> String {
        if let Some(known) = self.definitions.get(reference) {
            return known.reference();
        }
        let Some(target) = self.of.target(reference) else { return reference.to_owned() };
        let value = match (target.value(), target.keywords()) {
            (Some(value), _) => value.clone(),
            (None, Some(keywords)) => keywords.map().clone().into(),
            (None, None) => return reference.to_owned(),
        };
        let definition = self.definition_for(reference);
        let written = definition.reference();
        self.definitions.insert(reference.to_owned(), definition.clone());
        self.waiting.push_back((value, definition));
        written
    }

    /// The definition for the target of a reference. An existing definition keeps its name.
    fn definition_for(&self, reference: &str) -> BundledDefinition {
        let steps = pointer::reference_steps(reference).unwrap_or_default();
        if let [keyword, name] = steps.as_slice()
            && let Some(keyword_index) = DEFINITIONS.iter().position(|it| it == keyword)
        {
            return BundledDefinition { keyword_index, name: name.to_string() };
        }
        // Other targets are named after their position. The `#` makes a conflict very unlikely.
        let steps: Vec<_> = steps.iter().map(|step| pointer::escape(step)).collect();
        BundledDefinition { keyword_index: 0, name: format!("#{}", steps.join("/")) }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use crate::schema::Schema;
    use crate::value::Value;

    /// A property of a schema as a complete schema.
    fn bundled(schema: &str, property: &str) -> Option<String> {
        let root = Value::from_json(schema).ok()?;
        let part = root.get("properties")?.get(property)?;
        let found = Schema::from_value(&root).part(part).bundled(&mut |_| Ok::<(), Infallible>(()));
        found.ok().map(|found| found.to_json())
    }

    #[test]
    fn targets_whose_names_have_slashes_stay_apart() {
        let schema = r##"{"properties": {"a": {"anyOf": [{"$ref": "#/properties/b/items"},
            {"$ref": "#/properties/b~1items"}]}, "b": {"items": {"const": 1}}, "b/items": {"const": 2}}}"##;
        let found = bundled(schema, "a").unwrap_or_default();
        assert!(found.contains("\"const\": 1") && found.contains("\"const\": 2"), "{found}");
    }

    #[test]
    fn a_part_has_the_definitions_that_it_refers_to_and_no_others() {
        let schema = r##"{"properties": {"a": {"items": {"$ref": "#/$defs/b"}}},
            "$defs": {"b": {"not": {"$ref": "#/definitions/c"}}, "d": true}, "definitions": {"c": {}}}"##;
        let found = r##"{"items": {"$ref": "#/$defs/b"}, "$defs": {"b": {"not": {"$ref": "#/definitions/c"}}}, "definitions": {"c": {}}}"##;
        assert_eq!(bundled(schema, "a").as_deref(), Some(found));
    }

    #[test]
    fn other_targets_become_definitions() {
        let schema =
            r##"{"properties": {"a": {"$ref": "#/properties/b~1c"}, "b/c": {"$ref": "#"}}}"##;
        let found = bundled(schema, "a").unwrap_or_default();
        let bundle = Value::from_json(&found).unwrap_or_default();
        let target = Schema::from_value(&bundle).own_target();
        let root = target.and_then(Schema::own_target).and_then(Schema::keywords);
        assert!(root.is_some_and(|root| root.properties().is_some()), "{found}");
    }

    #[test]
    fn values_that_look_like_references_are_not_changed() {
        let schema =
            r##"{"properties": {"a": {"const": {"$ref": "#/$defs/b"}}}, "$defs": {"b": {}}}"##;
        let found = r##"{"const": {"$ref": "#/$defs/b"}}"##;
        assert_eq!(bundled(schema, "a").as_deref(), Some(found));
    }
}
