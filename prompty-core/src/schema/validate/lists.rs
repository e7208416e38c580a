//! What a schema says of lists: `items`, `prefixItems`, `contains`, `uniqueItems`, `unevaluatedItems`.

use std::collections::HashSet;
use std::fmt::Write;

use super::{BYTES_PER_STEP, Check, Held};
use crate::schema::Decimal;
use crate::schema::keywords::{Counted, Keywords};
use crate::schema::part::Schema;
use crate::schema::pointer::Pointer;
use crate::value::Value;

impl<'a> Check<'a> {
    pub(super) fn items(
        &mut self,
        schema: Schema<'a>,
        keywords: Keywords<'a>,
        items: &'a [Value],
        at: &Pointer<'a>,
    ) -> Held {
        self.count(keywords, Counted::Items, items.len(), at);
        if keywords.map().get("uniqueItems") == Some(&Value::Bool(true)) {
            self.unique(items, at)?;
        }
        if let Some(schemas) = keywords.items() {
            let (_, first) = schemas.first;
            for (index, item) in items.iter().enumerate() {
                let part = first.get(index).or(schemas.rest.map(|(_, rest)| rest));
                let Some(part) = part else { break };
                self.hold_inside(schema.part(part), item, &at.index(index))?;
                self.has_item(index)?;
            }
        }
        match keywords.map().get("contains") {
            Some(part) => self.contains(keywords, schema.part(part), items, at),
            None => Ok(()),
        }
    }

    fn unique(&mut self, items: &[Value], at: &Pointer<'a>) -> Held {
        let mut seen = HashSet::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let mut written = String::new();
            write_canonical(item, &mut written);
            self.pay(1 + written.len() / BYTES_PER_STEP)?;
            if !seen.insert(written) {
                self.note(&at.index(index), "stands in the list already".to_owned());
                break;
            }
        }
        Ok(())
    }

    /// `contains`, `minContains` and `maxContains`.
    fn contains(
        &mut self,
        keywords: Keywords<'a>,
        part: Schema<'a>,
        items: &'a [Value],
        at: &Pointer<'a>,
    ) -> Held {
        let mut count = 0;
        for (index, item) in items.iter().enumerate() {
            if self.follows(part, item)? {
                count += 1;
                self.has_item(index)?;
            }
        }
        let Ok(bounds) = keywords.contained() else { return Ok(()) };
        if let Some(wanted) = bounds.missed_by(count) {
            let message = format!("must have {wanted} items that follow `contains`, found {count}");
            self.note(at, message);
        }
        Ok(())
    }
}

/// Writes a value so that those which JSON Schema calls equal are written alike: numbers by what they are
/// worth, and maps in the order of their names.
fn write_canonical(value: &Value, out: &mut String) {
    match (value, Decimal::from_value(value)) {
        (_, Some(number)) => {
            // Writing to a `String` does not fail.
            let _ = write!(out, "{number}");
        }
        (Value::Array(items), _) => {
            out.push('[');
            for item in items.iter() {
                write_canonical(item, out);
                out.push(',');
            }
            out.push(']');
        }
        (Value::Object(map), _) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_unstable_by_key(|(name, _)| *name);
            out.push('{');
            for (name, value) in entries {
                out.push_str(&Value::from(name).to_json());
                write_canonical(value, out);
                out.push(',');
            }
            out.push('}');
        }
        (other, _) => out.push_str(&other.to_json()),
    }
}
