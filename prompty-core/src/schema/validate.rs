//! Whether a value follows a schema, and where it does not.
//!
//! Checked are kinds, constants, bounds, counts, properties, items, combinations and references.
//! `pattern` and `format` are not: they would need a reader of regular expressions and of formats.

use super::keywords::{Combination, Counted, Keywords};
use super::kinds::Kinds;
use super::part::{Form, Schema};
use super::pointer::Pointer;
use super::{Decimal, bounds::Count};
use crate::value::{Map, Value};
use crate::work::add_steps;

/// The most that is told of one value.
const MOST_VIOLATIONS: usize = 32;

/// Schemas that are held against values before a check gives up.
const MOST_SCHEMAS: usize = 20_000;

/// Values, or bytes of texts, that cost as much as one schema when they are compared.
const PER_SCHEMA: usize = 64;

/// Schemas that are followed inside of each other, each with some room on the stack.
const DEEPEST: usize = 128;

/// How long a value is that a message shows, in characters.
const LONGEST_SHOWN: usize = 40;

/// Something about a value that its schema does not admit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// Where in the value, as a JSON pointer with `#` in front: `#/items/0`; `#` is the whole.
    pub pointer: String,
    /// What is wrong, as the end of a sentence that begins with the place: `must be a text, found 7`.
    pub message: String,
}

impl Schema<'_> {
    /// What of a value the schema does not admit, in the order of the value. A schema that cannot be
    /// followed, since it is too large or refers to itself for ever, is told as a violation, too.
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
        let mut check = Check { found: Vec::new(), left: MOST_SCHEMAS, depth: 0 };
        if check.hold(self, value, &Pointer::root()).is_err() {
            let message = "could not be checked: the schema says too much of it".to_owned();
            check.found.push(Violation { pointer: "#".to_owned(), message });
        }
        check.found
    }
}

/// That a check takes too long.
struct TooMuch;

/// One check on its way.
struct Check {
    found: Vec<Violation>,
    /// Schemas that may still be held against values.
    left: usize,
    depth: usize,
}

type Held = Result<(), TooMuch>;

impl Check {
    /// Holds a schema against a value, and notes what does not follow it.
    fn hold(&mut self, schema: Schema<'_>, value: &Value, at: &Pointer<'_>) -> Held {
        self.pay(1)?;
        if self.depth >= DEEPEST {
            return Err(TooMuch);
        }
        if self.found.len() >= MOST_VIOLATIONS {
            return Ok(());
        }
        match schema.form() {
            Form::Everything | Form::Malformed(_) => Ok(()),
            Form::Nothing => {
                self.note(at, "is not admitted".to_owned());
                Ok(())
            }
            Form::Keywords(keywords) => {
                self.depth += 1;
                let held = self.keywords(schema, keywords, value, at);
                self.depth -= 1;
                held
            }
        }
    }

    fn keywords(
        &mut self,
        schema: Schema<'_>,
        keywords: Keywords<'_>,
        value: &Value,
        at: &Pointer<'_>,
    ) -> Held {
        if keywords.reference().ok().flatten().is_some() {
            match schema.own_target() {
                Some(target) => self.hold(target, value, at)?,
                None => self.note(at, "has a schema whose reference leads nowhere".to_owned()),
            }
        }
        let kind = Kinds::from_value(value);
        if let Ok(Some(kinds)) = keywords.kinds()
            && !kinds.contains(kind)
        {
            self.note(at, format!("must be {}, found {}", kinds.described(), shown(value)));
            // What else the schema says, it says of other kinds.
            return Ok(());
        }
        self.constants(keywords, value, at)?;
        match value {
            Value::Integer(_) | Value::Float(_) => self.number(keywords, value, at),
            Value::String(text) => {
                self.pay(text.len() / PER_SCHEMA)?;
                self.count(keywords, Counted::Characters, text.chars().count(), at);
            }
            Value::Array(items) => self.items(schema, keywords, items, at)?,
            Value::Object(map) => self.properties(schema, keywords, map, at)?,
            Value::Null | Value::Bool(_) => {}
        }
        for combination in Combination::ALL {
            let parts = keywords.combination(combination).unwrap_or_default();
            if !parts.is_empty() {
                self.combination(schema, combination, parts, value, at)?;
            }
        }
        match keywords.map().get("not") {
            Some(part) if self.follows(schema.part(part), value)? => {
                self.note(at, format!("must be something else than {}", shown(value)));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// `const` and `enum`.
    fn constants(&mut self, keywords: Keywords<'_>, value: &Value, at: &Pointer<'_>) -> Held {
        if let Some(constant) = keywords.constant()
            && !self.is_same(constant, value)?
        {
            self.note(at, format!("must be {}, found {}", shown(constant), shown(value)));
        }
        let Ok(Some(values)) = keywords.values() else { return Ok(()) };
        for admitted in values {
            if self.is_same(admitted, value)? {
                return Ok(());
            }
        }
        let listed: Vec<String> = values.iter().take(8).map(shown).collect();
        let more = if values.len() > listed.len() { ", …" } else { "" };
        let listed = listed.join(", ");
        self.note(at, format!("must be one of {listed}{more}, found {}", shown(value)));
        Ok(())
    }

    fn number(&mut self, keywords: Keywords<'_>, value: &Value, at: &Pointer<'_>) {
        let (Ok(bounds), Some(number)) = (keywords.bounds(), Decimal::from_value(value)) else {
            return;
        };
        if bounds.contains(&number) {
            return;
        }
        let found = shown(value);
        if let Some((lower, is_admitted)) = &bounds.lower
            && (number < *lower || (number == *lower && !is_admitted))
        {
            let words = if *is_admitted { "at least" } else { "more than" };
            self.note(at, format!("must be {words} {lower}, found {found}"));
        } else if let Some((upper, is_admitted)) = &bounds.upper {
            let words = if *is_admitted { "at most" } else { "less than" };
            self.note(at, format!("must be {words} {upper}, found {found}"));
        }
    }

    fn count(&mut self, keywords: Keywords<'_>, counted: Counted, count: usize, at: &Pointer<'_>) {
        let Ok(bounds) = keywords.count(counted) else { return };
        if bounds.contains(count) {
            return;
        }
        let what = match counted {
            Counted::Characters => "characters",
            Counted::Items => "items",
            Counted::Properties => "properties",
        };
        let Count { at_least, at_most } = bounds;
        let wanted = match (at_least, at_most) {
            (Some(least), _) if count < least as usize => format!("at least {least}"),
            (_, Some(most)) => format!("at most {most}"),
            _ => return,
        };
        self.note(at, format!("must have {wanted} {what}, found {count}"));
    }

    fn items(
        &mut self,
        schema: Schema<'_>,
        keywords: Keywords<'_>,
        items: &[Value],
        at: &Pointer<'_>,
    ) -> Held {
        self.count(keywords, Counted::Items, items.len(), at);
        if keywords.map().get("uniqueItems") == Some(&Value::Bool(true)) {
            self.unique(items, at)?;
        }
        let Some(schemas) = keywords.items() else { return Ok(()) };
        let (_, first) = schemas.first;
        for (index, item) in items.iter().enumerate() {
            let part = first.get(index).or(schemas.rest.map(|(_, rest)| rest));
            if let Some(part) = part {
                self.hold(schema.part(part), item, &at.index(index))?;
            }
        }
        Ok(())
    }

    fn unique(&mut self, items: &[Value], at: &Pointer<'_>) -> Held {
        let mut seen = std::collections::HashSet::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let written = item.to_json();
            self.pay(1 + written.len() / PER_SCHEMA)?;
            if !seen.insert(written) {
                self.note(&at.index(index), "stands in the list already".to_owned());
                break;
            }
        }
        Ok(())
    }

    fn properties(
        &mut self,
        schema: Schema<'_>,
        keywords: Keywords<'_>,
        map: &Map,
        at: &Pointer<'_>,
    ) -> Held {
        self.count(keywords, Counted::Properties, map.len(), at);
        for name in keywords.required().unwrap_or_default() {
            self.pay(1)?;
            if map.get(name).is_none() {
                self.note(at, format!("must have `{name}`"));
            }
        }
        let named = keywords.properties();
        let has_patterns = keywords.map().get("patternProperties").is_some();
        for (name, value) in map.iter() {
            self.pay(1)?;
            let own = named.and_then(|named| named.get(name));
            // Which names a pattern is for is not known here.
            let others = keywords.additional_properties().filter(|_| !has_patterns);
            let Some(part) = own.or(others) else { continue };
            match (part, own) {
                (Value::Bool(false), None) => {
                    let known: Vec<&str> =
                        named.map(|named| named.keys().collect()).unwrap_or_default();
                    let similar = crate::diagnostic::suggest(name, &known);
                    let help = similar.map_or_else(String::new, |it| format!("; there is `{it}`"));
                    self.note(at, format!("must not have `{}`{help}", excerpt(name)));
                }
                _ => self.hold(schema.part(part), value, &at.name(name))?,
            }
        }
        Ok(())
    }

    fn combination(
        &mut self,
        schema: Schema<'_>,
        combination: Combination,
        parts: &[Value],
        value: &Value,
        at: &Pointer<'_>,
    ) -> Held {
        if combination == Combination::AllOf {
            return parts.iter().try_for_each(|part| self.hold(schema.part(part), value, at));
        }
        let mut followed = 0_usize;
        let mut nearest: Option<Vec<Violation>> = None;
        for part in parts {
            let found = self.found_by(schema.part(part), value, at)?;
            if found.is_empty() {
                followed += 1;
                if combination == Combination::AnyOf {
                    return Ok(());
                }
            } else if nearest.as_ref().is_none_or(|nearest| is_nearer(&found, nearest)) {
                nearest = Some(found);
            }
        }
        match (followed, nearest) {
            (1, _) => {}
            // One of the alternatives was probably meant.
            (0, Some(nearest)) => self.found.extend(nearest),
            (0, None) => {}
            (count, _) => {
                self.note(
                    at,
                    format!("must follow one of {} schemas, follows {count}", parts.len()),
                );
            }
        }
        Ok(())
    }

    /// What of a value another schema does not admit; it is not noted.
    fn found_by(
        &mut self,
        schema: Schema<'_>,
        value: &Value,
        at: &Pointer<'_>,
    ) -> Result<Vec<Violation>, TooMuch> {
        let noted = std::mem::take(&mut self.found);
        let held = self.hold(schema, value, at);
        let found = std::mem::replace(&mut self.found, noted);
        held.map(|()| found)
    }

    fn follows(&mut self, schema: Schema<'_>, value: &Value) -> Result<bool, TooMuch> {
        self.found_by(schema, value, &Pointer::root()).map(|found| found.is_empty())
    }

    /// Whether two values are the same, numbers by what they are worth.
    fn is_same(&mut self, left: &Value, right: &Value) -> Result<bool, TooMuch> {
        self.pay(1)?;
        match (left, right) {
            (Value::String(left), Value::String(right)) => {
                self.pay(left.len().min(right.len()) / PER_SCHEMA)?;
                Ok(left == right)
            }
            (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
                for (left, right) in left.iter().zip(right.iter()) {
                    if !self.is_same(left, right)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Value::Object(left), Value::Object(right)) if left.len() == right.len() => {
                for (name, value) in left.iter() {
                    match right.get(name) {
                        Some(other) if self.is_same(value, other)? => {}
                        _ => return Ok(false),
                    }
                }
                Ok(true)
            }
            (Value::Array(_) | Value::Object(_), _) | (_, Value::Array(_) | Value::Object(_)) => {
                Ok(false)
            }
            _ => Ok(match (Decimal::from_value(left), Decimal::from_value(right)) {
                (Some(left), Some(right)) => left == right,
                _ => left == right,
            }),
        }
    }

    fn pay(&mut self, schemas: usize) -> Held {
        add_steps(schemas);
        self.left = self.left.checked_sub(schemas).ok_or(TooMuch)?;
        Ok(())
    }

    fn note(&mut self, at: &Pointer<'_>, message: String) {
        if self.found.len() < MOST_VIOLATIONS {
            self.found.push(Violation { pointer: at.to_string(), message });
        }
    }
}

/// Whether a value comes nearer to one alternative than to another: what is wrong lies deeper.
fn is_nearer(found: &[Violation], other: &[Violation]) -> bool {
    let depth = |violations: &[Violation]| {
        violations.iter().map(|it| it.pointer.matches('/').count()).min().unwrap_or_default()
    };
    depth(found) > depth(other)
}

/// A value as a message shows it.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("a list of {} items", items.len()),
        Value::Object(map) => format!("a map of {} entries", map.len()),
        Value::String(text) => Value::from(excerpt(text)).to_json(),
        other => other.to_json(),
    }
}

fn excerpt(text: &str) -> String {
    let mut shown: String = text.chars().take(LONGEST_SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}
