//! Chooses one of the alternatives of a union (`anyOf` and `oneOf`).
//!
//! All alternatives are tried, and the value is converted by the best one. Schemas can contain
//! themselves, so that the same inner value is tried again for each way that leads to it. The
//! number of ways doubles with each level of the value. So the result of each pair of a value and a
//! union is kept.
//!
//! For the schema `A = anyOf [{x: A, y: integer}, {x: A}, integer]` and the value
//! `{"x": {"x": 1}}`:
//!
//! | value | tries of the alternatives | result |
//! |---|---|---|
//! | `{"x": {"x": 1}}` | 1 converts `{"x": 1}`, but has no `y`; 2 uses that result | alternative 2 |
//! | `{"x": 1}` | 1 converts the number, but has no `y`; 2 uses that result | alternative 2 |
//! | `1` | 1 and 2 misfit, 3 fits | alternative 3 |

use std::collections::HashSet;
use std::rc::Rc;

use prompty_core::schema::Schema;
use prompty_core::value::Value;
use prompty_core::work::add_steps;

use super::tries::{TryKey, UnionChoice};
use super::{FitResult, Fitter, Misfit, alternatives, follow_references};
use crate::output::written_form::WrittenValue;

impl<'schema> Fitter<'schema> {
    /// Converts a value by the alternative with the lowest repair cost.
    pub(super) fn fit_union(
        &mut self,
        source: WrittenValue<'_>,
        union: &Schema<'schema>,
        parts: &[Schema<'schema>],
    ) -> FitResult {
        let key = self.try_key(source, union);
        let choice = match self.tries.choices.get(&key) {
            Some(known) => *known,
            None => self.choose(source, parts, key),
        };
        if self.is_try {
            return self.apply_try(choice);
        }
        match self.chosen_part(choice, parts) {
            // It gives the value or the error.
            Some(part) => self.fit_by_kind(source, part),
            None => self.misfit(source.value, || "one of the alternatives".to_owned()),
        }
    }

    /// The alternative that converts the value, or whose error is better than that of the union: an
    /// error inside of the value, as `urgency: expected an integer` if only that property is wrong.
    #[inline(never)]
    fn chosen_part<'parts>(
        &self,
        choice: UnionChoice,
        parts: &'parts [Schema<'schema>],
    ) -> Option<&'parts Schema<'schema>> {
        match choice {
            UnionChoice::Best { index, .. } | UnionChoice::Nearest { index, depth: 1.. } => {
                parts.get(index)
            }
            _ => None,
        }
    }

    /// The result of a union in a try of a union around it.
    #[inline(never)]
    fn apply_try(&mut self, choice: UnionChoice) -> FitResult {
        let depth = match choice {
            UnionChoice::Best { cost, .. } => {
                self.cost += cost;
                return Ok(Value::Null);
            }
            UnionChoice::Nearest { depth, .. } => self.depth + depth,
            UnionChoice::None => self.depth,
        };
        Err(Misfit { depth, error: None })
    }

    /// Chooses an alternative for a value.
    fn choose(
        &mut self,
        source: WrittenValue<'_>,
        parts: &[Schema<'schema>],
        key: TryKey,
    ) -> UnionChoice {
        let outer = self.begin_try();
        let mut choice = UnionChoice::None;
        let mut index = 0;
        while let Some(part) = parts.get(index).filter(|_| !choice.is_certain()) {
            self.cost = 0;
            let fitted = self.fit_by_kind(source, part);
            choice = self.with_result(choice, index, &fitted);
            index += 1;
        }
        self.end_try(outer);
        self.keep_choice(key, choice);
        choice
    }

    #[inline(never)]
    fn with_result(&self, choice: UnionChoice, index: usize, fitted: &FitResult) -> UnionChoice {
        choice.with(index, self.try_result(fitted))
    }

    /// The cost of the repairs or, if the value does not fit, the length of the path in it to the
    /// part that does not.
    fn try_result(&self, fitted: &FitResult) -> Result<usize, usize> {
        match fitted {
            Ok(_) => Ok(self.cost),
            Err(misfit) => Err(misfit.depth.saturating_sub(self.depth)),
        }
    }

    #[inline(never)]
    fn keep_choice(&mut self, key: TryKey, choice: UnionChoice) {
        // Outside of a try, each value is converted only once.
        if self.is_try {
            self.tries.choices.insert(key, choice);
        }
    }

    #[inline(never)]
    fn try_key(&self, source: WrittenValue<'_>, union: &Schema<'schema>) -> TryKey {
        add_steps(1);
        TryKey {
            value: std::ptr::from_ref(source.value).addr(),
            union: union.address().unwrap_or_default(),
            is_only_item: self.is_only_item(),
        }
    }

    /// Whether a value can be converted.
    pub(super) fn fits(&mut self, source: WrittenValue<'_>, schema: &Schema<'schema>) -> bool {
        let outer = self.begin_try();
        let fits = self.fit_value(source, schema).is_ok();
        self.end_try(outer);
        fits
    }

    fn begin_try(&mut self) -> OuterTry {
        OuterTry { is_try: std::mem::replace(&mut self.is_try, true), cost: self.cost }
    }

    fn end_try(&mut self, outer: OuterTry) {
        (self.is_try, self.cost) = (outer.is_try, outer.cost);
    }

    /// The alternatives of a union; `None` if the schema is not a union. Those of unions in it are
    /// in their place, so that none of them is a union or a reference.
    #[inline(never)]
    pub(super) fn alternatives_of(
        &mut self,
        schema: Schema<'schema>,
    ) -> Option<Rc<[Schema<'schema>]>> {
        alternatives(schema.keywords()?)?;
        let known = self.tries.alternatives.entry(schema.address()?);
        Some(Rc::clone(known.or_insert_with(|| flat_alternatives(schema).into())))
    }
}

/// The state of a fitter before a try.
#[derive(Clone, Copy)]
struct OuterTry {
    is_try: bool,
    cost: usize,
}

/// The alternatives of a union, with those of the unions in it. Each has its address only once.
fn flat_alternatives(union: Schema<'_>) -> Vec<Schema<'_>> {
    let mut found = Vec::new();
    let mut visited = HashSet::new();
    // A stack: the schema at its end is read next.
    let mut waiting = vec![union];
    while let Some(schema) = waiting.pop() {
        add_steps(1);
        let Some(schema) = follow_references(schema) else { continue };
        if schema.address().is_some_and(|address| !visited.insert(address)) {
            continue;
        }
        match schema.keywords().and_then(alternatives) {
            Some(parts) => waiting.extend(parts.iter().rev().map(|part| schema.part(part))),
            None => found.push(schema),
        }
    }
    found
}
