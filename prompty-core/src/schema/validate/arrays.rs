//! Validates arrays: `items`, `prefixItems`, `contains` and `uniqueItems`.
//!
//! An item that `items` or `prefixItems` has a schema for, or that matches `contains`, is marked as
//! evaluated. The module `evaluated` validates `unevaluatedItems` by these marks.

use std::collections::HashSet;
use std::fmt::Write;

use super::{BYTES_PER_STEP, Case, LimitResult, Validation};
use crate::schema::Decimal;
use crate::schema::keywords::CountKind;
use crate::schema::pointer::Pointer;
use crate::value::Value;

impl<'a> Validation<'a> {
    /// Validates an array by all keywords of arrays except `unevaluatedItems`.
    pub(super) fn validate_items(
        &mut self,
        case: &Case<'_, 'a>,
        items: &'a [Value],
    ) -> LimitResult {
        let Case { schema, keywords, at, .. } = *case;
        self.validate_count(case, CountKind::Items, items.len());
        if keywords.map().get("uniqueItems") == Some(&Value::Bool(true)) {
            self.validate_unique(items, at)?;
        }
        if let Some(schemas) = keywords.items() {
            for (index, item) in items.iter().enumerate() {
                let Some(part) = schemas.of_item(index) else { break };
                self.validate_inside(schema.part(part), item, &at.index(index))?;
                self.mark_item(index)?;
            }
        }
        self.validate_contains(case, items)
    }

    /// Validates `uniqueItems`. Only the first duplicate is reported.
    fn validate_unique(&mut self, items: &[Value], at: &Pointer<'a>) -> LimitResult {
        let mut seen = HashSet::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let mut written = String::new();
            write_canonical(item, &mut written);
            self.pay(1 + written.len() / BYTES_PER_STEP)?;
            if !seen.insert(written) {
                self.report(&at.index(index), || "must not duplicate an earlier item".to_owned());
                break;
            }
        }
        Ok(())
    }

    /// Validates `contains`, `minContains` and `maxContains`.
    fn validate_contains(&mut self, case: &Case<'_, 'a>, items: &'a [Value]) -> LimitResult {
        let Some(part) = case.subschema("contains") else { return Ok(()) };
        let mut count = 0;
        for (index, item) in items.iter().enumerate() {
            if self.matches_schema(part, item)? {
                count += 1;
                self.mark_item(index)?;
            }
        }
        self.check_contains_count(case, count);
        Ok(())
    }

    /// Reports a wrong number of items that match `contains`.
    fn check_contains_count(&mut self, case: &Case<'_, 'a>, count: usize) {
        let Ok(bounds) = case.keywords.contained() else { return };
        if let Some(expected) = bounds.missed_by(count) {
            let message =
                format!("must have {expected} items that match `contains`, found {count}");
            self.report(case.at, || message);
        }
    }
}

/// Writes a value so that values that are equal in JSON Schema have the same text. Numbers are
/// written by their value, and objects with sorted keys.
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
