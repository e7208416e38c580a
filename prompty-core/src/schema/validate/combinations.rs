//! Validates combinations of schemas: `allOf`, `anyOf`, `oneOf`, `not` and `if`.

use super::{Case, Detail, LimitResult, PendingViolation, TriedUnion, UnionKey, Validation, shown};
use crate::schema::keywords::Combination;
use crate::schema::part::Schema;
use crate::schema::pointer::Pointer;
use crate::value::Value;

impl<'a> Validation<'a> {
    /// Validates all combinations of a schema.
    pub(super) fn validate_combinations(&mut self, case: &Case<'_, 'a>) -> LimitResult {
        for combination in Combination::ALL {
            let parts = case.keywords.combination(combination).unwrap_or_default();
            match combination {
                _ if parts.is_empty() => {}
                Combination::AllOf => self.validate_all(case, parts)?,
                Combination::AnyOf | Combination::OneOf => {
                    self.validate_union(case, parts, combination)?;
                }
            }
        }
        self.validate_not(case)?;
        self.validate_condition(case)
    }

    fn validate_all(&mut self, case: &Case<'_, 'a>, parts: &'a [Value]) -> LimitResult {
        for part in parts {
            self.validate(case.schema.part(part), case.value, case.at)?;
        }
        Ok(())
    }

    fn validate_not(&mut self, case: &Case<'_, 'a>) -> LimitResult {
        let Some(part) = case.subschema("not") else { return Ok(()) };
        if self.matches_schema(part, case.value)? {
            self.report(case.at, || format!("must not be {}", shown(case.value)));
        }
        Ok(())
    }

    /// Validates `if`, `then` and `else`.
    fn validate_condition(&mut self, case: &Case<'_, 'a>) -> LimitResult {
        let Some(condition) = case.subschema("if") else { return Ok(()) };
        let matches = self.collect_violations(condition, case.value, case.at)?.is_empty();
        match case.subschema(if matches { "then" } else { "else" }) {
            Some(part) => self.validate(part, case.value, case.at),
            None => Ok(()),
        }
    }

    /// Validates `anyOf`, or `oneOf` if exactly one part must match. If no part matches, the
    /// violations of the nearest one are reported: it is probably the intended one.
    fn validate_union(
        &mut self,
        case: &Case<'_, 'a>,
        parts: &'a [Value],
        combination: Combination,
    ) -> LimitResult {
        let outer = self.detail;
        self.detail = outer.max(Detail::Places);
        let tried = self.try_parts(case, parts, combination);
        self.detail = outer;
        let Some(part) = self.report_tried(case, &tried?, combination, parts) else {
            return Ok(());
        };
        // Once more, for the messages.
        let outer_evaluated = self.evaluated.take();
        let result = self.validate(case.schema.part(part), case.value, case.at);
        self.evaluated = outer_evaluated;
        result
    }

    /// Tries the parts of a union. A schema that contains itself may lead to the same value and
    /// union in many ways, so the result is kept.
    fn try_parts(
        &mut self,
        case: &Case<'_, 'a>,
        parts: &'a [Value],
        combination: Combination,
    ) -> LimitResult<TriedUnion<'a>> {
        let key = self.union_key(case, combination);
        if let Some(known) = self.known_union(&key) {
            return Ok(known);
        }
        let mut tried = TriedUnion::default();
        for (index, part) in parts.iter().enumerate() {
            let found = self.collect_violations(case.schema.part(part), case.value, case.at)?;
            tried.add(index, found);
            // The other parts are only needed for `unevaluatedItems` and `unevaluatedProperties`.
            let is_enough = combination == Combination::AnyOf && self.evaluated.is_none();
            if tried.matched > 0 && is_enough {
                break;
            }
        }
        self.keep_union(key, &tried);
        Ok(tried)
    }

    #[inline(never)]
    fn union_key(&self, case: &Case<'_, 'a>, combination: Combination) -> UnionKey {
        UnionKey {
            value: std::ptr::from_ref(case.value).addr(),
            union: std::ptr::from_ref(case.keywords.map()).addr(),
            combination,
            detail: self.detail,
        }
    }

    #[inline(never)]
    fn known_union(&self, key: &UnionKey) -> Option<TriedUnion<'a>> {
        // What the parts evaluate would be needed, too.
        self.unions.get(key).filter(|_| self.evaluated.is_none()).cloned()
    }

    #[inline(never)]
    fn keep_union(&mut self, key: UnionKey, tried: &TriedUnion<'a>) {
        self.unions.insert(key, tried.clone());
    }

    /// Reports that no part matched, or more than one of `oneOf`. Returns the part that must be
    /// validated again to report its violations.
    #[inline(never)]
    fn report_tried(
        &mut self,
        case: &Case<'_, 'a>,
        tried: &TriedUnion<'a>,
        combination: Combination,
        parts: &'a [Value],
    ) -> Option<&'a Value> {
        let matched = tried.matched;
        if matched == 0 && self.detail == Detail::Messages {
            return parts.get(tried.nearest);
        }
        if matched == 0 {
            tried.found.iter().for_each(|it| self.report(&it.at, String::new));
        } else if matched > 1 && combination == Combination::OneOf {
            let count = parts.len();
            self.report(case.at, || {
                format!("must match exactly one of {count} schemas, matches {matched}")
            });
        }
        None
    }

    /// Returns the violations of another schema without adding them. What the schema evaluates
    /// counts only if the value matches.
    fn collect_violations(
        &mut self,
        schema: Schema<'a>,
        value: &'a Value,
        at: &Pointer<'a>,
    ) -> LimitResult<Vec<PendingViolation<'a>>> {
        let outer_found = std::mem::take(&mut self.found);
        let outer = self.begin_evaluated();
        let result = self.validate(schema, value, at);
        let found = std::mem::replace(&mut self.found, outer_found);
        self.end_evaluated(outer, found.is_empty())?;
        result.map(|()| found)
    }

    /// Whether a value matches a schema. What the schema evaluates does not count.
    pub(super) fn matches_schema(
        &mut self,
        schema: Schema<'a>,
        value: &'a Value,
    ) -> LimitResult<bool> {
        let outer = self.evaluated.take();
        // It takes as much of the stack as a schema.
        self.depth += 1;
        let outer_detail = std::mem::replace(&mut self.detail, Detail::Existence);
        let found = self.collect_violations(schema, value, &Pointer::root());
        self.detail = outer_detail;
        self.depth -= 1;
        self.evaluated = outer;
        found.map(|found| found.is_empty())
    }
}

impl<'a> TriedUnion<'a> {
    /// Adds the violations of a part.
    fn add(&mut self, index: usize, found: Vec<PendingViolation<'a>>) {
        if found.is_empty() {
            self.matched += 1;
        } else if self.found.is_empty() || is_nearer(&found, &self.found) {
            (self.nearest, self.found) = (index, found.into());
        }
    }
}

/// Whether a value is nearer to one alternative than to another: its least deep violation is
/// deeper. A violation at `#/a/b` shows that `#` and `#/a` match, so it is nearer than one at
/// `#/a`.
fn is_nearer(found: &[PendingViolation<'_>], other: &[PendingViolation<'_>]) -> bool {
    let depth = |found: &[PendingViolation<'_>]| {
        found.iter().map(|it| it.at.depth()).min().unwrap_or_default()
    };
    depth(found) > depth(other)
}
