//! Validates combinations of schemas: `allOf`, `anyOf`, `oneOf`, `not` and `if`.

use super::{Case, LimitResult, PendingViolation, Validation, shown};
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
                Combination::AnyOf => self.validate_alternatives(case, parts, false)?,
                Combination::OneOf => self.validate_alternatives(case, parts, true)?,
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
            self.report(case.at, format!("must not be {}", shown(case.value)));
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
    /// violations of the nearest one are reported.
    fn validate_alternatives(
        &mut self,
        case: &Case<'_, 'a>,
        parts: &'a [Value],
        is_only_one: bool,
    ) -> LimitResult {
        let Case { schema, value, at, .. } = *case;
        let mut matched = 0_usize;
        let mut nearest: Option<Vec<PendingViolation<'a>>> = None;
        for part in parts {
            let found = self.collect_violations(schema.part(part), value, at)?;
            if found.is_empty() {
                matched += 1;
                // The other parts are only needed for `unevaluatedItems` and
                // `unevaluatedProperties`.
                if !is_only_one && self.evaluated.is_none() {
                    return Ok(());
                }
            } else if nearest.as_ref().is_none_or(|nearest| is_nearer(&found, nearest)) {
                nearest = Some(found);
            }
        }
        self.report_alternatives(at, nearest, matched, is_only_one.then_some(parts.len()));
        Ok(())
    }

    /// Reports the violations of the nearest part if no part matched, or that more than one of
    /// `only_one_of` parts matched.
    fn report_alternatives(
        &mut self,
        at: &Pointer<'a>,
        nearest: Option<Vec<PendingViolation<'a>>>,
        matched: usize,
        only_one_of: Option<usize>,
    ) {
        match (nearest, only_one_of) {
            // Probably the intended alternative.
            (Some(nearest), _) if matched == 0 => {
                let violations = nearest.into_iter();
                violations.for_each(|PendingViolation { at, message }| self.report(&at, message));
            }
            (_, Some(count)) if matched > 1 => {
                let message =
                    format!("must match exactly one of {count} schemas, matches {matched}");
                self.report(at, message);
            }
            _ => {}
        }
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
        let found = self.collect_violations(schema, value, &Pointer::root());
        self.depth -= 1;
        self.evaluated = outer;
        found.map(|found| found.is_empty())
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
