//! Validates objects: `properties` and related keywords, `required`, `propertyNames`, and keywords
//! that depend on the presence of a property.

use super::{LimitResult, PendingViolation, Validation, excerpt};
use crate::schema::keywords::{CountKind, Keywords};
use crate::schema::part::Schema;
use crate::schema::pointer::Pointer;
use crate::value::{Map, Value};

impl<'a> Validation<'a> {
    pub(super) fn properties(
        &mut self,
        schema: Schema<'a>,
        keywords: Keywords<'a>,
        (object, map): (&'a Value, &'a Map),
        at: &Pointer<'a>,
    ) -> LimitResult {
        self.count(keywords, CountKind::Properties, map.len(), at);
        for name in keywords.required().unwrap_or_default() {
            self.pay(1)?;
            if map.get(name).is_none() {
                self.note(at, format!("must have the key `{}`", excerpt(name)));
            }
        }
        self.values(schema, keywords, map, at)?;
        if let Some(part) = keywords.map().get("propertyNames") {
            self.names(schema.part(part), map, at)?;
        }
        self.dependent(schema, keywords, (object, map), at)
    }

    /// Validates `properties`, `patternProperties` and `additionalProperties`.
    fn values(
        &mut self,
        schema: Schema<'a>,
        keywords: Keywords<'a>,
        map: &'a Map,
        at: &Pointer<'a>,
    ) -> LimitResult {
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
                match self.matches(pattern, name)? {
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
                Some(Value::Bool(false)) => self.unknown_name(name, named, at)?,
                Some(part) => self.validate_inside(schema.part(part), value, &at.name(name))?,
                None if is_other => continue,
                None => {}
            }
            self.mark_name(name)?;
        }
        Ok(())
    }

    /// Adds a violation for a name that the schema does not allow.
    fn unknown_name(&mut self, name: &str, named: Option<&Map>, at: &Pointer<'a>) -> LimitResult {
        if self.is_full() {
            return Ok(());
        }
        let known: Vec<&str> = named.map(|named| named.keys().collect()).unwrap_or_default();
        self.pay(known.len())?;
        let similar = crate::diagnostic::suggest(name, &known);
        let help = similar
            .map_or_else(String::new, |it| format!("; a key with a similar name exists: `{it}`"));
        self.note(at, format!("must not have the key `{}`{help}", excerpt(name)));
        Ok(())
    }

    /// Validates `propertyNames`, with each name as a string.
    fn names(&mut self, part: Schema<'_>, map: &'a Map, at: &Pointer<'a>) -> LimitResult {
        for name in map.keys() {
            let text = Value::from(name);
            let mut inner = Validation::new(self.left);
            inner.depth = self.depth;
            inner.programs = std::mem::take(&mut self.programs);
            let result = inner.validate(part, &text, &Pointer::root());
            let mut found = inner.found.into_iter();
            let message = found.next().map(|PendingViolation { message, .. }| message);
            self.left = inner.left;
            self.programs = inner.programs;
            result?;
            if let Some(message) = message {
                self.note(at, format!("has the name `{}`, which {message}", excerpt(name)));
            }
        }
        Ok(())
    }

    /// Validates `dependentRequired`, `dependentSchemas`, and `dependencies` of older drafts.
    fn dependent(
        &mut self,
        schema: Schema<'a>,
        keywords: Keywords<'a>,
        (object, map): (&'a Value, &'a Map),
        at: &Pointer<'a>,
    ) -> LimitResult {
        for keyword in ["dependentRequired", "dependentSchemas", "dependencies"] {
            let all = keywords.map().get(keyword).and_then(Value::as_object);
            for (name, needed) in all.into_iter().flat_map(Map::iter) {
                self.pay(1)?;
                if map.get(name).is_none() {
                    continue;
                }
                let Value::Array(needed) = needed else {
                    self.validate(schema.part(needed), object, at)?;
                    continue;
                };
                for needed in needed.iter().filter_map(Value::as_str) {
                    self.pay(1)?;
                    if map.get(needed).is_none() {
                        let (needed, name) = (excerpt(needed), excerpt(name));
                        self.note(
                            at,
                            format!(
                                "must have the key `{needed}`, because it has the key `{name}`"
                            ),
                        );
                    }
                }
            }
        }
        Ok(())
    }
}
