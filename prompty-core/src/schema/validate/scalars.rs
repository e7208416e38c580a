//! Validates constants, numbers and strings: `const`, `enum`, bounds, `multipleOf`, lengths,
//! `pattern` and `format`.

use super::{BYTES_PER_STEP, Case, LimitResult, Validation, formats, shown};
use crate::schema::Decimal;
use crate::schema::keywords::CountKind;
use crate::value::Value;
use crate::value::internal::excerpt;

/// The number of `enum` values that cost a step, in addition to the cost of comparing them.
const VALUES_PER_STEP: usize = 16;

impl<'a> Validation<'a> {
    /// Validates `const` and `enum`.
    pub(super) fn validate_constants(&mut self, case: &Case<'_, 'a>) -> LimitResult {
        let Case { keywords, value, at, .. } = *case;
        if let Some(constant) = keywords.constant()
            && !self.is_same(constant, value)?
        {
            self.report(at, || format!("must be {}, found {}", shown(constant), shown(value)));
        }
        let Ok(Some(values)) = keywords.values() else { return Ok(()) };
        self.pay(values.len() / VALUES_PER_STEP)?;
        for allowed in values {
            if self.is_same(allowed, value)? {
                return Ok(());
            }
        }
        // Eight values keep the message short.
        let listed: Vec<String> = values.iter().take(8).map(shown).collect();
        let more = if values.len() > listed.len() { ", …" } else { "" };
        let listed = listed.join(", ");
        self.report(at, || format!("must be one of {listed}{more}, found {}", shown(value)));
        Ok(())
    }

    /// Validates bounds, `format` and `multipleOf`. At most one bound is reported.
    pub(super) fn validate_number(&mut self, case: &Case<'_, 'a>) -> LimitResult {
        let Case { keywords, value, at, .. } = *case;
        let Some(number) = Decimal::from_value(value) else {
            return self.validate_not_finite(case);
        };
        if let Ok(bounds) = keywords.bounds() {
            if let Some((lower, is_inclusive)) = &bounds.lower
                && (number < *lower || (number == *lower && !is_inclusive))
            {
                let words = if *is_inclusive { "at least" } else { "more than" };
                self.report(at, || format!("must be {words} {lower}, found {}", shown(value)));
            } else if let Some((upper, is_inclusive)) = &bounds.upper
                && (number > *upper || (number == *upper && !is_inclusive))
            {
                let words = if *is_inclusive { "at most" } else { "less than" };
                self.report(at, || format!("must be {words} {upper}, found {}", shown(value)));
            }
        }
        if let Ok(Some(format)) = keywords.format()
            && let Some((least, most)) = formats::bounds(format)
            && (number < least || number > most)
        {
            self.report(at, || format!("must have the format `{format}`, found {}", shown(value)));
        }
        let Ok(Some(step)) = keywords.multiple_of() else { return Ok(()) };
        self.pay(number.digits() * step.digits() / BYTES_PER_STEP)?;
        if !number.is_multiple_of(&step) {
            self.report(at, || format!("must be a multiple of {step}, found {}", shown(value)));
        }
        Ok(())
    }

    /// Validates infinity or NaN, which no bound, `multipleOf` or format of integers allows.
    fn validate_not_finite(&mut self, case: &Case<'_, 'a>) -> LimitResult {
        let Case { keywords, value, at, .. } = *case;
        let Value::Float(number) = value else { return Ok(()) };
        let has_bounds = keywords.bounds().is_ok_and(|it| !it.is_none());
        let format = keywords.format().ok().flatten();
        let has_integer_format = format.is_some_and(|it| formats::bounds(it).is_some());
        if has_bounds || has_integer_format || matches!(keywords.multiple_of(), Ok(Some(_))) {
            self.report(at, || format!("must be a finite number, found `{number}`"));
        }
        Ok(())
    }

    /// Validates lengths, `pattern` and `format`.
    pub(super) fn validate_string(&mut self, case: &Case<'_, 'a>, text: &str) -> LimitResult {
        let Case { keywords, value, at, .. } = *case;
        self.pay(text.len() / BYTES_PER_STEP)?;
        self.validate_count(case, CountKind::Characters, text.chars().count());
        if let Ok(Some(pattern)) = keywords.pattern()
            && self.matches_pattern(pattern, text)? == Some(false)
        {
            let (pattern, found) = (excerpt(pattern), shown(value));
            self.report(at, || format!("must match the pattern `{pattern}`, found {found}"));
        }
        if let Ok(Some(format)) = keywords.format()
            && formats::matches(format, text) == Some(false)
        {
            self.report(at, || format!("must have the format `{format}`, found {}", shown(value)));
        }
        Ok(())
    }

    /// Whether two values are equal. Numbers are compared by their value.
    fn is_same(&mut self, left: &Value, right: &Value) -> LimitResult<bool> {
        match (left, right) {
            (Value::String(left), Value::String(right)) => {
                if left.len() != right.len() {
                    return Ok(false);
                }
                self.pay(left.len() / BYTES_PER_STEP)?;
                Ok(left == right)
            }
            (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
                for (left, right) in left.iter().zip(right.iter()) {
                    self.pay(1)?;
                    if !self.is_same(left, right)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Value::Object(left), Value::Object(right)) if left.len() == right.len() => {
                for (name, value) in left.iter() {
                    self.pay(1 + name.len() / BYTES_PER_STEP)?;
                    match right.get(name) {
                        Some(other) if self.is_same(value, other)? => {}
                        _ => return Ok(false),
                    }
                }
                Ok(true)
            }
            (Value::Integer(left), Value::Integer(right)) => Ok(left == right),
            (Value::Integer(_) | Value::Float(_), Value::Integer(_) | Value::Float(_)) => {
                self.pay(1)?;
                Ok(match (Decimal::from_value(left), Decimal::from_value(right)) {
                    (Some(left), Some(right)) => left == right,
                    // Infinite or not a number.
                    _ => left == right,
                })
            }
            (Value::Null, Value::Null) => Ok(true),
            (Value::Bool(left), Value::Bool(right)) => Ok(left == right),
            _ => Ok(false),
        }
    }
}
