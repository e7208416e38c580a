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
        // Not `matches_schema`: what the condition evaluates counts if the value matches it.
        let matches = self.collect_violations(condition, case.value, case.at)?.is_empty();
        match case.subschema(if matches { "then" } else { "else" }) {
            Some(part) => self.validate(part, case.value, case.at),
            None => Ok(()),
        }
    }

    /// Validates `anyOf`, or `oneOf` if exactly one part must match. If no part matches, the
    /// violations of the nearest one are reported: it is probably the intended one.
    ///
    /// It calls itself for nested values, so each level must take little of the stack: the state is
    /// in a box, and the steps are functions that are not inlined.
    fn validate_union(
        &mut self,
        case: &Case<'_, 'a>,
        parts: &'a [Value],
        combination: Combination,
    ) -> LimitResult {
        let mut tries = self.begin_union(case, combination);
        while let Some(part) = self.next_part(&tries, parts) {
            let found = self.collect_violations(case.schema.part(part), case.value, case.at);
            self.add_try(&mut tries, found)?;
        }
        match self.end_union(case, &tries, parts) {
            Some(part) => self.validate_again(case, part),
            None => Ok(()),
        }
    }

    /// Begins to try the parts of a union. A schema that contains itself may lead to the same value
    /// and union in many ways, so the result is kept.
    #[inline(never)]
    fn begin_union(
        &mut self,
        case: &Case<'_, 'a>,
        combination: Combination,
    ) -> Box<UnionTries<'a>> {
        // The nearest part is found by the places of the violations, so no messages are written.
        let outer_detail = self.detail;
        self.detail = outer_detail.max(Detail::Places);
        let key = self.union_key(case, combination);
        let known = self.known_union(&key);
        let (is_known, tried) = (known.is_some(), known.unwrap_or_default());
        Box::new(UnionTries { key, tried, count: 0, is_known, outer_detail })
    }

    /// The part that is tried next.
    #[inline(never)]
    fn next_part(&self, tries: &UnionTries<'a>, parts: &'a [Value]) -> Option<&'a Value> {
        // The other parts are only needed for `unevaluatedItems` and `unevaluatedProperties`.
        let is_any_enough = tries.key.combination == Combination::AnyOf && self.evaluated.is_none();
        let is_enough = tries.is_known || tries.tried.matched > 0 && is_any_enough;
        parts.get(tries.count).filter(|_| !is_enough)
    }

    #[inline(never)]
    fn add_try(
        &mut self,
        tries: &mut UnionTries<'a>,
        found: LimitResult<Vec<PendingViolation<'a>>>,
    ) -> LimitResult {
        match found {
            Ok(found) => tries.tried.add(tries.count, found),
            Err(limit) => {
                self.detail = tries.outer_detail;
                return Err(limit);
            }
        }
        tries.count += 1;
        Ok(())
    }

    /// Keeps and reports the result of the tries. Returns the part that must be validated again to
    /// report its violations.
    #[inline(never)]
    fn end_union(
        &mut self,
        case: &Case<'_, 'a>,
        tries: &UnionTries<'a>,
        parts: &'a [Value],
    ) -> Option<&'a Value> {
        let UnionTries { key, tried, is_known, outer_detail, .. } = tries;
        self.detail = *outer_detail;
        if !is_known {
            self.unions.insert(*key, tried.clone());
        }
        self.report_tried(case, tried, key.combination, parts)
    }

    /// Validates the nearest part once more, for the messages. The value does not match it, so what
    /// it evaluates does not count.
    #[inline(never)]
    fn validate_again(&mut self, case: &Case<'_, 'a>, part: &'a Value) -> LimitResult {
        let outer_evaluated = self.evaluated.take();
        let result = self.validate(case.schema.part(part), case.value, case.at);
        self.evaluated = outer_evaluated;
        result
    }

    fn union_key(&self, case: &Case<'_, 'a>, combination: Combination) -> UnionKey {
        UnionKey {
            value: std::ptr::from_ref(case.value).addr(),
            union: std::ptr::from_ref(case.keywords.map()).addr(),
            combination,
            detail: self.detail,
        }
    }

    fn known_union(&self, key: &UnionKey) -> Option<TriedUnion<'a>> {
        // A kept result does not say what the parts evaluated, so it cannot be used with a record.
        self.unions.get(key).filter(|_| self.evaluated.is_none()).cloned()
    }

    /// Reports that no part matched, or more than one of `oneOf`. Returns the part whose violations
    /// are not known yet.
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
        // The nested validation takes as much of the stack as a schema.
        self.depth += 1;
        let outer_detail = std::mem::replace(&mut self.detail, Detail::Existence);
        let found = self.collect_violations(schema, value, &Pointer::root());
        self.detail = outer_detail;
        self.depth -= 1;
        self.evaluated = outer;
        found.map(|found| found.is_empty())
    }
}

/// The parts of a union while they are tried.
struct UnionTries<'a> {
    key: UnionKey,
    tried: TriedUnion<'a>,
    /// The number of parts that were tried.
    count: usize,
    /// Whether the result was known before.
    is_known: bool,
    /// The detail that was asked for.
    outer_detail: Detail,
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
