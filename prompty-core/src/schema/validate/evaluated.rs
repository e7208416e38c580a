//! Tracks the items and properties that schemas have evaluated. `unevaluatedItems` and
//! `unevaluatedProperties` apply to the others.
//!
//! For `{"allOf": [A, B], "unevaluatedProperties": false}` a record is begun before `allOf`. The
//! properties that `A` and `B` evaluate are added to it. All other properties are then violations.
//! An alternative of `anyOf` has a separate record, which is added only if the value matches it.
//!
//! Without such a keyword there is no record ([`Validation::evaluated`] is `None`), so this costs
//! nothing.

use super::{Case, EvaluatedParts, LimitResult, Validation};
use crate::schema::part::Schema;
use crate::schema::pointer::Pointer;
use crate::value::Value;
use crate::value::internal::excerpt;

impl<'a> Validation<'a> {
    /// Validates the keywords of a schema, and then its unevaluated items or properties.
    pub(super) fn validate_keywords_and_unevaluated(&mut self, case: &Case<'_, 'a>) -> LimitResult {
        let rest = match case.value {
            Value::Array(_) => case.subschema("unevaluatedItems"),
            Value::Object(_) => case.subschema("unevaluatedProperties"),
            _ => None,
        };
        match rest {
            Some(rest) => self.validate_with_record(case, rest),
            None => self.validate_keywords(case),
        }
    }

    /// Validates the keywords of a schema with a record, and then what they do not evaluate.
    fn validate_with_record(&mut self, case: &Case<'_, 'a>, rest: Schema<'a>) -> LimitResult {
        let outer = self.evaluated.replace(EvaluatedParts::default());
        let result = self.validate_keywords(case);
        // The next call takes as much of the stack as a schema.
        self.depth += 1;
        let result = result.and_then(|()| self.validate_unevaluated(rest, case.value, case.at));
        self.depth -= 1;
        // What was evaluated here also counts for the schemas around this one.
        self.end_evaluated(outer, true)?;
        result
    }

    /// Marks an item as evaluated.
    pub(super) fn mark_item(&mut self, index: usize) -> LimitResult {
        let Some(evaluated) = &mut self.evaluated else { return Ok(()) };
        evaluated.items.insert(index);
        self.pay(1)
    }

    /// Marks a property as evaluated.
    pub(super) fn mark_name(&mut self, name: &'a str) -> LimitResult {
        let Some(evaluated) = &mut self.evaluated else { return Ok(()) };
        evaluated.names.insert(name);
        self.pay(1)
    }

    /// Begins a separate record, if any record is kept, and returns the previous one.
    pub(super) fn begin_evaluated(&mut self) -> Option<EvaluatedParts<'a>> {
        let begun = self.evaluated.as_ref().map(|_| EvaluatedParts::default());
        std::mem::replace(&mut self.evaluated, begun)
    }

    /// Restores the previous record, and adds the current one if it counts.
    pub(super) fn end_evaluated(
        &mut self,
        outer: Option<EvaluatedParts<'a>>,
        counts: bool,
    ) -> LimitResult {
        let inner = std::mem::replace(&mut self.evaluated, outer);
        let (Some(all), Some(inner)) = (&mut self.evaluated, inner) else { return Ok(()) };
        if !counts {
            return Ok(());
        }
        let more = inner.items.len() + inner.names.len();
        all.items.extend(inner.items);
        all.names.extend(inner.names);
        self.pay(more)
    }

    /// Validates the unevaluated items and properties.
    fn validate_unevaluated(
        &mut self,
        rest: Schema<'a>,
        value: &'a Value,
        at: &Pointer<'a>,
    ) -> LimitResult {
        // A forbidden key is reported at the object, as for `additionalProperties`. A forbidden
        // item is reported at the item.
        let is_closed = rest.value() == Some(&Value::Bool(false));
        for (index, item) in value.as_array().unwrap_or_default().iter().enumerate() {
            self.pay(1)?;
            if self.evaluated.as_ref().is_none_or(|it| !it.items.contains(&index)) {
                self.validate_inside(rest, item, &at.index(index))?;
                self.mark_item(index)?;
            }
        }
        for (name, property) in value.as_object().into_iter().flat_map(crate::value::Map::iter) {
            self.pay(1)?;
            if self.evaluated.as_ref().is_none_or(|it| !it.names.contains(name)) {
                match is_closed {
                    true => {
                        self.report(at, || format!("must not have the key `{}`", excerpt(name)));
                    }
                    false => self.validate_inside(rest, property, &at.name(name))?,
                }
                self.mark_name(name)?;
            }
        }
        Ok(())
    }
}
