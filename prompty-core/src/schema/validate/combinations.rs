//! Schemas that hold together, or one for another: `allOf`, `anyOf`, `oneOf`, `not`, `if`.

use super::{Check, Found, Held, shown};
use crate::schema::keywords::{Combination, Keywords};
use crate::schema::part::Schema;
use crate::schema::pointer::Pointer;
use crate::value::Value;

impl<'a> Check<'a> {
    pub(super) fn combinations(
        &mut self,
        schema: Schema<'a>,
        keywords: Keywords<'a>,
        value: &'a Value,
        at: &Pointer<'a>,
    ) -> Held {
        for combination in Combination::ALL {
            let parts = keywords.combination(combination).unwrap_or_default();
            match combination {
                _ if parts.is_empty() => {}
                Combination::AllOf => {
                    parts.iter().try_for_each(|part| self.hold(schema.part(part), value, at))?;
                }
                Combination::AnyOf => self.alternatives(schema, parts, false, value, at)?,
                Combination::OneOf => self.alternatives(schema, parts, true, value, at)?,
            }
        }
        if let Some(part) = keywords.map().get("not")
            && self.follows(schema.part(part), value)?
        {
            self.note(at, format!("must be something else than {}", shown(value)));
        }
        let Some(condition) = keywords.map().get("if") else { return Ok(()) };
        let follows = self.found_by(schema.part(condition), value, at)?.is_empty();
        match keywords.map().get(if follows { "then" } else { "else" }) {
            Some(part) => self.hold(schema.part(part), value, at),
            None => Ok(()),
        }
    }

    /// `anyOf`, or `oneOf`, of whose parts only one may hold.
    fn alternatives(
        &mut self,
        schema: Schema<'a>,
        parts: &'a [Value],
        is_only_one: bool,
        value: &'a Value,
        at: &Pointer<'a>,
    ) -> Held {
        let mut followed = 0_usize;
        let mut nearest: Option<Vec<Found<'a>>> = None;
        for part in parts {
            let found = self.found_by(schema.part(part), value, at)?;
            if found.is_empty() {
                followed += 1;
                // The others matter only to one who asks what was looked at.
                if !is_only_one && self.evaluated.is_none() {
                    return Ok(());
                }
            } else if nearest.as_ref().is_none_or(|nearest| is_nearer(&found, nearest)) {
                nearest = Some(found);
            }
        }
        match nearest {
            // One of the alternatives was probably meant.
            Some(nearest) if followed == 0 => {
                nearest.into_iter().for_each(|Found { at, message }| self.note(&at, message));
            }
            _ if is_only_one && followed > 1 => {
                let count = parts.len();
                self.note(at, format!("must follow one of {count} schemas, follows {followed}"));
            }
            _ => {}
        }
        Ok(())
    }

    /// What of a value another schema does not admit; it is not noted. What the schema looked at counts
    /// only if the value follows it.
    fn found_by(
        &mut self,
        schema: Schema<'a>,
        value: &'a Value,
        at: &Pointer<'a>,
    ) -> Held<Vec<Found<'a>>> {
        let noted = std::mem::take(&mut self.found);
        let outer = self.begin_evaluated();
        let held = self.hold(schema, value, at);
        let found = std::mem::replace(&mut self.found, noted);
        self.end_evaluated(outer, found.is_empty())?;
        held.map(|()| found)
    }

    /// Whether a value follows a schema. What the schema looks at does not count.
    pub(super) fn follows(&mut self, schema: Schema<'a>, value: &'a Value) -> Held<bool> {
        let outer = self.evaluated.take();
        let found = self.found_by(schema, value, &Pointer::root());
        self.evaluated = outer;
        found.map(|found| found.is_empty())
    }
}

/// Whether a value comes nearer to one alternative than to another: what is wrong lies deeper.
fn is_nearer(found: &[Found<'_>], other: &[Found<'_>]) -> bool {
    let depth =
        |found: &[Found<'_>]| found.iter().map(|it| it.at.depth()).min().unwrap_or_default();
    depth(found) > depth(other)
}
