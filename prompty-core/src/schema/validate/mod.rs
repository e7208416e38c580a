//! Validates values by a schema: the keywords of draft 2020-12, and their forms in older drafts.
//! [`Schema::warnings`] lists the parts that are not checked.
//!
//! [`Schema::violations`] creates a `Validation` and calls `validate` for the root. Each object of
//! keywords is passed to `validate_keywords`, which calls the functions of the other modules. These
//! call `validate` for further schemas of the same value, and `validate_inside` for items and
//! properties. Keywords of a wrong form are ignored.

mod arrays;
mod combinations;
mod evaluated;
mod formats;
mod objects;
mod scalars;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::keywords::{Combination, CountKind, Keywords};
use super::kinds::Kinds;
use super::part::{Schema, SchemaForm};
use super::pointer::Pointer;
use crate::regular_expression::{Dialect, Program, parse};
use crate::value::internal::excerpt;
use crate::value::{MAX_DEPTH, Value};
use crate::work::add_steps;

pub(super) use formats::is_format;

/// The maximum number of violations of a value.
const MAX_VIOLATIONS: usize = 32;

/// The minimum number of allowed steps, even for a small value.
const MIN_STEPS: usize = 20_000;

/// The allowed steps for each value and each piece of a string, in addition to the size of the
/// schema. References are followed once for each value.
const STEPS_PER_VALUE: usize = 16;

/// The maximum size of a schema in this calculation.
const MAX_SCHEMA_SIZE: usize = 256;

/// The number of bytes that cost a step when they are read.
const BYTES_PER_STEP: usize = 64;

/// The maximum nesting of schemas, which limits the use of the stack: for each level of a value, a
/// combination and a schema in it. The functions that call each other for inner schemas must have
/// few local values, so separate functions write their messages.
const MAX_NESTING: usize = 2 * MAX_DEPTH + 2;

/// A part of a value that its schema does not allow.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The place in the value, as a JSON pointer after `#`: `#/items/0`; `#` is the root.
    pub pointer: String,
    /// The problem, as a sentence after the place: `must be a string, found 7`.
    pub message: String,
}

impl Schema<'_> {
    /// The violations of the schema in a value, in the order of the value. A schema that cannot be
    /// processed, because it refers to itself endlessly, is a violation as well. The work is
    /// proportional to the size of the value for every schema.
    ///
    /// ```
    /// use prompty_core::schema::Schema;
    /// use prompty_core::value::Value;
    ///
    /// let schema = Value::from_json(r#"{"properties": {"days": {"type": "integer", "minimum": 1}}}"#)?;
    /// let value = Value::from_json(r#"{"days": 0}"#)?;
    /// let violations = Schema::from_value(&schema).violations(&value);
    /// assert_eq!(violations[0].pointer, "#/days");
    /// assert_eq!(violations[0].message, "must be at least 1, found 0");
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    pub fn violations(self, value: &Value) -> Vec<Violation> {
        let of_schema = self.keywords().map_or(0, |keywords| {
            let parts = keywords.map().iter().map(|(_, part)| size(part, MAX_SCHEMA_SIZE));
            parts.sum::<usize>().min(MAX_SCHEMA_SIZE)
        });
        let of_value = size(value, usize::MAX);
        let steps = of_value.saturating_mul(STEPS_PER_VALUE + of_schema).saturating_add(MIN_STEPS);
        let mut validation = Validation::new(steps);
        let result = validation.validate(self, value, &Pointer::root());
        let found = validation.found.into_iter();
        let mut violations: Vec<Violation> = found
            .map(|PendingViolation { at, message }| Violation { pointer: at.to_string(), message })
            .collect();
        if result.is_err() {
            let message = "could not be checked because the schema is too complex".to_owned();
            violations.push(Violation { pointer: "#".to_owned(), message });
        }
        violations
    }
}

/// The number of values in a value, plus the length of its strings in steps. Stops at `enough`.
fn size(value: &Value, enough: usize) -> usize {
    let mut counted = 0_usize;
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        counted += 1;
        if counted >= enough {
            return enough;
        }
        match value {
            Value::String(text) => counted += text.len() / BYTES_PER_STEP,
            Value::Array(items) => waiting.extend(items.iter()),
            Value::Object(map) => {
                for (name, value) in map.iter() {
                    counted += 1 + name.len() / BYTES_PER_STEP;
                    waiting.push(value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Integer(_) | Value::Float(_) => {}
        }
    }
    counted
}

/// The error of a validation that takes too many steps.
#[derive(Debug)]
struct StepLimitError;

/// The result of work that may exceed the step limit.
type LimitResult<T = ()> = Result<T, StepLimitError>;

/// A violation whose place has not been written as text yet.
#[derive(Clone)]
struct PendingViolation<'a> {
    at: Pointer<'a>,
    message: String,
}

/// The items and properties that schemas have evaluated.
#[derive(Default)]
struct EvaluatedParts<'a> {
    items: HashSet<usize>,
    names: HashSet<&'a str>,
}

/// A value that is validated by the keywords of a schema.
#[derive(Clone, Copy)]
struct Case<'p, 'a> {
    schema: Schema<'a>,
    keywords: Keywords<'a>,
    value: &'a Value,
    /// The place of the value.
    at: &'p Pointer<'a>,
}

impl<'a> Case<'_, 'a> {
    /// The subschema that is the value of a keyword.
    fn subschema(&self, keyword: &str) -> Option<Schema<'a>> {
        self.keywords.map().get(keyword).map(|part| self.schema.part(part))
    }
}

/// The state of a validation.
struct Validation<'a> {
    found: Vec<PendingViolation<'a>>,
    steps_left: usize,
    /// The number of schemas around the current one.
    depth: usize,
    /// What schemas have evaluated in the current array or object, if a schema needs it.
    evaluated: Option<EvaluatedParts<'a>>,
    /// Compiled patterns by their texts; `None` for patterns that cannot be compiled.
    programs: HashMap<String, Option<Rc<Program>>>,
    /// The results of values that unions have already validated.
    unions: HashMap<UnionKey, TriedUnion<'a>>,
    detail: Detail,
}

/// The result of trying the parts of a union.
#[derive(Clone, Default)]
struct TriedUnion<'a> {
    /// The number of parts that match.
    matched: usize,
    /// The index of the nearest of the parts that do not match.
    nearest: usize,
    /// The violations of the nearest part.
    found: Rc<[PendingViolation<'a>]>,
}

/// What is needed of the violations. The order matters: each variant needs less than the one before
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Detail {
    Messages,
    /// Where they are: one of the parts of a union is tried.
    Places,
    /// Whether there are any.
    Existence,
}

/// A value that a union validates. A schema that contains itself may lead to the same pair in many
/// ways, whose number doubles with each level of the value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct UnionKey {
    /// The addresses of both.
    value: usize,
    union: usize,
    combination: Combination,
    detail: Detail,
}

impl<'a> Validation<'a> {
    fn new(steps_left: usize) -> Self {
        Self {
            found: Vec::new(),
            steps_left,
            depth: 0,
            evaluated: None,
            programs: HashMap::new(),
            unions: HashMap::new(),
            detail: Detail::Messages,
        }
    }

    /// Validates a value by a schema, and adds the violations.
    fn validate(&mut self, schema: Schema<'a>, value: &'a Value, at: &Pointer<'a>) -> LimitResult {
        self.pay(1)?;
        if self.depth >= MAX_NESTING {
            return Err(StepLimitError);
        }
        if self.is_full() {
            return Ok(());
        }
        // A chain of references takes no more of the stack than one.
        let schema = schema.resolved();
        match schema.form() {
            SchemaForm::Everything | SchemaForm::Malformed(_) => Ok(()),
            SchemaForm::Nothing => {
                self.report(at, || "must not exist, because its schema is `false`".to_owned());
                Ok(())
            }
            SchemaForm::Keywords(keywords) => {
                self.depth += 1;
                let case = Case { schema, keywords, value, at };
                let result = self.validate_keywords_and_unevaluated(&case);
                self.depth -= 1;
                result
            }
        }
    }

    /// Like [`validate`](Self::validate), for a value inside of the current one. What is evaluated
    /// there does not count for the current value.
    fn validate_inside(
        &mut self,
        schema: Schema<'a>,
        value: &'a Value,
        at: &Pointer<'a>,
    ) -> LimitResult {
        let outer = self.evaluated.take();
        let result = self.validate(schema, value, at);
        self.evaluated = outer;
        result
    }

    /// Validates the keywords of one schema, except for `unevaluatedItems` and
    /// `unevaluatedProperties`.
    fn validate_keywords(&mut self, case: &Case<'_, 'a>) -> LimitResult {
        if let Ok(Some(reference)) = case.keywords.reference() {
            self.validate_reference(case, reference)?;
        }
        if !self.has_allowed_kind(case) {
            // Further violations would be about other kinds of values.
            return Ok(());
        }
        self.validate_constants(case)?;
        match case.value {
            Value::Integer(_) | Value::Float(_) => self.validate_number(case)?,
            Value::String(text) => self.validate_string(case, text)?,
            Value::Array(items) => self.validate_items(case, items)?,
            Value::Object(map) => self.validate_properties(case, map)?,
            Value::Null | Value::Bool(_) => {}
        }
        self.validate_combinations(case)
    }

    /// Validates a value by the schema that a reference leads to.
    fn validate_reference(&mut self, case: &Case<'_, 'a>, reference: &str) -> LimitResult {
        if let Some(target) = case.schema.own_target() {
            return self.validate(target, case.value, case.at);
        }
        self.report_unknown_reference(case.at, reference);
        Ok(())
    }

    fn report_unknown_reference(&mut self, at: &Pointer<'a>, reference: &str) {
        let reference = excerpt(reference);
        let message =
            format!("cannot be checked, because its schema refers to the unknown `{reference}`");
        self.report(at, || message);
    }

    /// Whether a value has a kind that its schema allows. Another kind is a violation.
    fn has_allowed_kind(&mut self, &Case { keywords, value, at, .. }: &Case<'_, 'a>) -> bool {
        let Ok(Some(kinds)) = keywords.kinds() else { return true };
        let is_allowed = kinds.contains(Kinds::from_value(value));
        if !is_allowed {
            self.report(at, || format!("must be {}, found {}", kinds.description(), shown(value)));
        }
        is_allowed
    }

    /// Validates a count by its bounds, such as `minItems` and `maxItems`.
    fn validate_count(&mut self, case: &Case<'_, 'a>, kind: CountKind, count: usize) {
        let Ok(bounds) = case.keywords.count(kind) else { return };
        let what = match kind {
            CountKind::Characters => "characters",
            CountKind::Items => "items",
            CountKind::Properties => "properties",
        };
        if let Some(expected) = bounds.missed_by(count) {
            self.report(case.at, || format!("must have {expected} {what}, found {count}"));
        }
    }

    /// The program of a pattern; `None` if the pattern cannot be compiled.
    fn compiled_pattern(&mut self, pattern: &str) -> LimitResult<Option<Rc<Program>>> {
        self.pay(1 + pattern.len() / BYTES_PER_STEP)?;
        if let Some(known) = self.programs.get(pattern) {
            return Ok(known.clone());
        }
        let tree = parse(pattern, Dialect::EcmaScript).ok();
        let program = tree.and_then(|tree| Program::new(&tree)).map(Rc::new);
        self.pay(program.as_ref().map_or(0, |program| program.len()) / BYTES_PER_STEP)?;
        self.programs.insert(pattern.to_owned(), program.clone());
        Ok(program)
    }

    /// Whether a pattern matches a text; `None` if the pattern cannot be compiled.
    fn matches_pattern(&mut self, pattern: &str, text: &str) -> LimitResult<Option<bool>> {
        let Some(program) = self.compiled_pattern(pattern)? else { return Ok(None) };
        // An instruction of a pattern costs as much as a byte. The rest of a division is kept.
        let mut unpaid = 0;
        let pay = &mut |instructions: usize| {
            unpaid += instructions;
            let steps = unpaid / BYTES_PER_STEP;
            unpaid %= BYTES_PER_STEP;
            self.pay(steps)
        };
        program.is_found_in(text, pay).map(Some)
    }

    /// Subtracts steps from those that are left.
    fn pay(&mut self, steps: usize) -> LimitResult {
        add_steps(steps);
        self.steps_left = self.steps_left.checked_sub(steps).ok_or(StepLimitError)?;
        Ok(())
    }

    /// Whether the maximum number of violations was found.
    fn is_full(&self) -> bool {
        self.found.len() >= MAX_VIOLATIONS
    }

    /// Adds a violation, unless there are already too many.
    fn report(&mut self, at: &Pointer<'a>, message: impl FnOnce() -> String) {
        if !self.is_full() {
            // Most lists have one violation.
            self.found.reserve_exact(usize::from(self.found.is_empty()));
            let is_shown = self.detail == Detail::Messages;
            let message = if is_shown { message() } else { String::new() };
            self.found.push(PendingViolation { at: at.clone(), message });
        }
    }
}

/// A value for a message: `an array of 3 items`, `"a long te…"`.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("an array of {} items", items.len()),
        Value::Object(map) => format!("an object of {} entries", map.len()),
        Value::String(text) => Value::from(excerpt(text)).to_json(),
        other => other.to_json(),
    }
}
