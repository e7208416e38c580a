//! Validates objects: `properties` and related keywords, `required`, `propertyNames`, and keywords
//! that depend on the presence of a property.

use super::{Case, LimitResult, PendingViolation, Validation};
use crate::schema::keywords::CountKind;
use crate::schema::part::Schema;
use crate::schema::pointer::Pointer;
use crate::value::internal::excerpt;
use crate::value::{Map, Value};

impl<'a> Validation<'a> {
    /// Validates an object by all keywords of objects except `unevaluatedProperties`.
    pub(super) fn validate_properties(&mut self, case: &Case<'_, 'a>, map: &'a Map) -> LimitResult {
        self.validate_count(case, CountKind::Properties, map.len());
        self.validate_required(case, map)?;
        self.validate_entries(case, map)?;
        if let Some(part) = case.subschema("propertyNames") {
            self.validate_names(part, map, case.at)?;
        }
        self.validate_dependent(case, map)
    }

    fn validate_required(&mut self, case: &Case<'_, 'a>, map: &Map) -> LimitResult {
        for name in case.keywords.required().unwrap_or_default() {
            self.pay(1)?;
            if map.get(name).is_none() {
                self.report(case.at, || format!("must have the key `{}`", excerpt(name)));
            }
        }
        Ok(())
    }

    /// Validates `properties`, `patternProperties` and `additionalProperties`.
    fn validate_entries(&mut self, case: &Case<'_, 'a>, map: &'a Map) -> LimitResult {
        let Case { schema, keywords, at, .. } = *case;
        let named = keywords.properties();
        let patterns = keywords.map().get("patternProperties").and_then(Value::as_object);
        let others = keywords.additional_properties();
        if named.is_none() && patterns.is_none() && others.is_none() {
            return Ok(());
        }
        for (name, value) in map.iter() {
            self.pay(1)?;
            let own = named.and_then(|named| named.get(name));
            if let Some(part) = own {
                self.validate_inside(schema.part(part), value, &at.name(name))?;
            }
            let mut is_other = own.is_none();
            for (pattern, part) in patterns.into_iter().flat_map(Map::iter) {
                match self.matches_pattern(pattern, name)? {
                    Some(true) => {
                        self.validate_inside(schema.part(part), value, &at.name(name))?;
                        is_other = false;
                    }
                    Some(false) => {}
                    // A pattern that cannot be read may match the name.
                    None => is_other = false,
                }
            }
            match others.filter(|_| is_other) {
                Some(Value::Bool(false)) => self.add_unknown_name(name, named, at)?,
                Some(part) => self.validate_inside(schema.part(part), value, &at.name(name))?,
                // No keyword evaluates this name.
                None if is_other => continue,
                None => {}
            }
            self.mark_name(name)?;
        }
        Ok(())
    }

    /// Adds a violation for a name that the schema does not allow.
    fn add_unknown_name(
        &mut self,
        name: &str,
        named: Option<&Map>,
        at: &Pointer<'a>,
    ) -> LimitResult {
        if self.is_full() {
            return Ok(());
        }
        let known: Vec<&str> = named.map(|named| named.keys().collect()).unwrap_or_default();
        self.pay(known.len())?;
        let similar = crate::diagnostic::suggest(name, &known);
        let help = similar
            .map_or_else(String::new, |it| format!("; a key with a similar name exists: `{it}`"));
        self.report(at, || format!("must not have the key `{}`{help}", excerpt(name)));
        Ok(())
    }

    /// Validates `propertyNames`, with each name as a string.
    fn validate_names(&mut self, part: Schema<'_>, map: &'a Map, at: &Pointer<'a>) -> LimitResult {
        for name in map.keys() {
            let text = Value::from(name);
            // The name lives only in this loop, so it needs a validation with another lifetime.
            let mut inner = Validation::new(self.steps_left);
            inner.depth = self.depth;
            inner.programs = std::mem::take(&mut self.programs);
            let result = inner.validate(part, &text, &Pointer::root());
            let mut found = inner.found.into_iter();
            let message = found.next().map(|PendingViolation { message, .. }| message);
            self.steps_left = inner.steps_left;
            self.programs = inner.programs;
            result?;
            if let Some(message) = message {
                self.report(at, || format!("has the name `{}`, which {message}", excerpt(name)));
            }
        }
        Ok(())
    }

    /// Validates `dependentRequired`, `dependentSchemas`, and `dependencies` of older drafts.
    fn validate_dependent(&mut self, case: &Case<'_, 'a>, map: &'a Map) -> LimitResult {
        let Case { schema, keywords, value, at } = *case;
        for keyword in ["dependentRequired", "dependentSchemas", "dependencies"] {
            let all = keywords.map().get(keyword).and_then(Value::as_object);
            for (name, needed) in all.into_iter().flat_map(Map::iter) {
                self.pay(1)?;
                if map.get(name).is_none() {
                    continue;
                }
                // `{"a": ["b"]}` needs a name, and `{"a": {…}}` is a schema for the object.
                let Value::Array(needed) = needed else {
                    self.validate(schema.part(needed), value, at)?;
                    continue;
                };
                self.validate_needed(needed, name, map, at)?;
            }
        }
        Ok(())
    }

    /// Validates the names that an object needs because it has another name.
    fn validate_needed(
        &mut self,
        needed: &[Value],
        name: &str,
        map: &Map,
        at: &Pointer<'a>,
    ) -> LimitResult {
        for needed in needed.iter().filter_map(Value::as_str) {
            self.pay(1)?;
            if map.get(needed).is_none() {
                let (needed, name) = (excerpt(needed), excerpt(name));
                let message =
                    format!("must have the key `{needed}`, because it has the key `{name}`");
                self.report(at, || message);
            }
        }
        Ok(())
    }
}
