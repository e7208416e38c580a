//! What a schema says of maps: `properties` and their siblings, `required`, `propertyNames`, and what
//! depends on a name that is there.

use super::{Check, Found, Held, excerpt};
use crate::schema::keywords::{Counted, Keywords};
use crate::schema::part::Schema;
use crate::schema::pointer::Pointer;
use crate::value::{Map, Value};

impl<'a> Check<'a> {
    pub(super) fn properties(
        &mut self,
        schema: Schema<'a>,
        keywords: Keywords<'a>,
        (whole, map): (&'a Value, &'a Map),
        at: &Pointer<'a>,
    ) -> Held {
        self.count(keywords, Counted::Properties, map.len(), at);
        for name in keywords.required().unwrap_or_default() {
            self.pay(1)?;
            if map.get(name).is_none() {
                self.note(at, format!("must have `{}`", excerpt(name)));
            }
        }
        self.values(schema, keywords, map, at)?;
        if let Some(part) = keywords.map().get("propertyNames") {
            self.names(schema.part(part), map, at)?;
        }
        self.dependent(schema, keywords, (whole, map), at)
    }

    /// `properties`, `patternProperties` and `additionalProperties`.
    fn values(
        &mut self,
        schema: Schema<'a>,
        keywords: Keywords<'a>,
        map: &'a Map,
        at: &Pointer<'a>,
    ) -> Held {
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
                self.hold_inside(schema.part(part), value, &at.name(name))?;
            }
            let mut is_other = own.is_none();
            for (pattern, part) in patterns.into_iter().flat_map(Map::iter) {
                match self.matches(pattern, name)? {
                    Some(true) => {
                        self.hold_inside(schema.part(part), value, &at.name(name))?;
                        is_other = false;
                    }
                    Some(false) => {}
                    // Which names the pattern is for is not known.
                    None => is_other = false,
                }
            }
            match others.filter(|_| is_other) {
                Some(Value::Bool(false)) => self.unknown_name(name, named, at)?,
                Some(part) => self.hold_inside(schema.part(part), value, &at.name(name))?,
                None if is_other => continue,
                None => {}
            }
            self.has_name(name)?;
        }
        Ok(())
    }

    /// A name that the schema does not admit.
    fn unknown_name(&mut self, name: &str, named: Option<&Map>, at: &Pointer<'a>) -> Held {
        if self.is_full() {
            return Ok(());
        }
        let known: Vec<&str> = named.map(|named| named.keys().collect()).unwrap_or_default();
        self.pay(known.len())?;
        let similar = crate::diagnostic::suggest(name, &known);
        let help = similar.map_or_else(String::new, |it| format!("; there is `{it}`"));
        self.note(at, format!("must not have `{}`{help}", excerpt(name)));
        Ok(())
    }

    /// `propertyNames`: the names as texts.
    fn names(&mut self, part: Schema<'_>, map: &'a Map, at: &Pointer<'a>) -> Held {
        for name in map.keys() {
            let text = Value::from(name);
            let mut inner = Check::new(self.left);
            inner.depth = self.depth;
            inner.programs = std::mem::take(&mut self.programs);
            let held = inner.hold(part, &text, &Pointer::root());
            let message = inner.found.into_iter().next().map(|Found { message, .. }| message);
            self.left = inner.left;
            self.programs = inner.programs;
            held?;
            if let Some(message) = message {
                self.note(at, format!("has the name `{}`, which {message}", excerpt(name)));
            }
        }
        Ok(())
    }

    /// `dependentRequired`, `dependentSchemas`, and `dependencies`, which older schemas have for both.
    fn dependent(
        &mut self,
        schema: Schema<'a>,
        keywords: Keywords<'a>,
        (whole, map): (&'a Value, &'a Map),
        at: &Pointer<'a>,
    ) -> Held {
        for keyword in ["dependentRequired", "dependentSchemas", "dependencies"] {
            let all = keywords.map().get(keyword).and_then(Value::as_object);
            for (name, wanted) in all.into_iter().flat_map(Map::iter) {
                self.pay(1)?;
                if map.get(name).is_none() {
                    continue;
                }
                let Value::Array(wanted) = wanted else {
                    self.hold(schema.part(wanted), whole, at)?;
                    continue;
                };
                for wanted in wanted.iter().filter_map(Value::as_str) {
                    self.pay(1)?;
                    if map.get(wanted).is_none() {
                        let (wanted, name) = (excerpt(wanted), excerpt(name));
                        self.note(at, format!("must have `{wanted}`, since it has `{name}`"));
                    }
                }
            }
        }
        Ok(())
    }
}
