//! Converts a value into a type: values with a clear meaning are accepted, and each repair is
//! reported.
//!
//! The type is a JSON schema. The option [`Leniency`] decides how much is accepted; its table lists
//! the cases. If several alternatives fit, the one with the lowest repair cost is chosen, and the
//! first one of equal cost.

// Two rules hold for all conversions:
//
// - Plain reading converts a value only if no part of it is lost. `"1 cup"` is not a number,
//   because `cup` would be lost.
// - No conversion invents a value. `1e999` does not become infinity, `"not spam"` does not become
//   the choice `spam`, and a missing required property is an error, not `null`.

mod choice;
mod names;
mod scalar;

use prompty_core::schema::{Combination, Keywords, Kinds, Schema, SchemaForm};
use prompty_core::value::{Map, Value};

use super::path::{Path, Step};
use super::repair::{Repair, RepairKind};

/// How much a reader may repair in a model's answer.
///
/// | written | expected | exact | plain | generous |
/// |---|---|---|---|---|
/// | damaged JSON | any value | error | repaired | repaired |
/// | `7.0` | an integer | accepted | accepted | accepted |
/// | `"7"`, `"true"` | a number, a boolean | error | accepted | accepted |
/// | a choice or a key in other case | that choice, that key | error | accepted | accepted |
/// | nothing, or `null` | an optional field | accepted | accepted | accepted |
/// | an unknown key | an object without other keys | removed | removed | removed |
/// | `"1,234"`, `"$5"`, `"1/5"` | a number | error | error | accepted |
/// | `"null"` | `null` | error | accepted | accepted |
/// | `"yes"`, `1`, `true` in a sentence without `not` | a boolean | error | error | accepted |
/// | `true`, `false` | a number | error | error | `1`, `0` |
/// | `7`, `true` | a string | error | error | accepted |
/// | one value | an array | error | error | accepted |
/// | an array of scalars | a scalar | error | error | its first item |
/// | an object with one scalar | a scalar | error | error | that scalar |
/// | a key without its accents | that key | error | error | accepted |
/// | a choice without its accents, by its description, or in a sentence without `not` | that choice | error | error | accepted, if it is the only one |
/// | JSON inside of a string | an object or an array | error | error | accepted |
/// | several objects | an array of them | error | error | accepted |
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[non_exhaustive]
pub enum Leniency {
    /// Only valid JSON is accepted. It may be surrounded by other text.
    Exact,
    /// Damaged JSON is repaired, and values are converted into the type if no information is lost.
    #[default]
    Plain,
    /// Values that a person would understand are accepted, too.
    Generous,
}

/// The error of a value that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FitError {
    pub(super) path: Path,
    pub(super) message: String,
}

/// A value that fits, and the repairs that were needed.
#[derive(Debug, Clone)]
pub(super) struct FittedValue {
    pub(super) value: Value,
    pub(super) repairs: Vec<Repair>,
}

/// Converts a value so that it follows a schema.
pub(super) fn fit(
    value: &Value,
    schema: Schema<'_>,
    leniency: Leniency,
) -> Result<FittedValue, FitError> {
    let steps = FIXED_STEPS.saturating_add(size(value).saturating_mul(STEPS_FOR_A_VALUE));
    let mut fitter = Fitter {
        leniency,
        path: Path::default(),
        repairs: Vec::new(),
        cost: 0,
        steps,
        depth: 0,
        wrapped: None,
    };
    let value = fitter.value(value, schema)?;
    // Constraints other than kinds: bounds, lengths, patterns.
    if let Some(violation) = schema.violations(&value).into_iter().next() {
        let path = Path::from_pointer(&violation.pointer);
        return Err(FitError { path, message: violation.message });
    }
    Ok(FittedValue { value, repairs: fitter.repairs })
}

/// The maximum work for each fit, and for each value in it. Alternatives of a schema are tried in
/// turn.
const FIXED_STEPS: usize = 10_000;
const STEPS_FOR_A_VALUE: usize = 200;

/// The maximum nesting of values and alternatives. A schema may refer to itself.
const MAX_DEPTH: usize = 2 * prompty_core::value::MAX_DEPTH;

fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(map) => 1 + map.values().map(size).sum::<usize>(),
        _ => 1,
    }
}

struct Fitter {
    leniency: Leniency,
    path: Path,
    repairs: Vec<Repair>,
    /// The cost of the repairs so far. Alternatives with a lower cost are preferred.
    cost: usize,
    steps: usize,
    /// The number of values and schemas around the current one.
    depth: usize,
    /// The length of the path to a value that is treated as an array of one item, while it is
    /// converted.
    wrapped: Option<usize>,
}

type FitResult<T = Value> = Result<T, FitError>;

impl Fitter {
    fn allows(&self, least: Leniency) -> bool {
        self.leniency >= least
    }

    fn repair(&mut self, kind: RepairKind, cost: usize) {
        self.cost += cost;
        self.repairs.push(Repair::of_value(kind, self.path.clone()));
    }

    fn misfit<T>(&self, expected: impl Into<String>, found: &Value) -> FitResult<T> {
        let found = prompty_core::value::internal::excerpt(&found.to_json());
        let message = format!("expected {}, found {found}", expected.into());
        Err(FitError { path: self.path.clone(), message })
    }

    fn value(&mut self, value: &Value, schema: Schema<'_>) -> FitResult {
        if self.steps == 0 || self.depth == MAX_DEPTH {
            return self.misfit("a value that is less work to convert into its type", value);
        }
        self.steps -= 1;
        self.depth += 1;
        let fitted = self.value_of(value, schema);
        self.depth -= 1;
        fitted
    }

    fn value_of(&mut self, value: &Value, schema: Schema<'_>) -> FitResult {
        let schema = schema.resolved();
        let keywords = match schema.form() {
            SchemaForm::Keywords(keywords) => keywords,
            SchemaForm::Nothing => return self.misfit("nothing", value),
            _ => return Ok(value.clone()),
        };
        if let Some(target) = schema.own_target() {
            // Keywords next to a reference are annotations; its target constrains values.
            return self.value(value, target);
        }
        for combination in [Combination::AnyOf, Combination::OneOf] {
            let parts = keywords.combination(combination).unwrap_or_default();
            if !parts.is_empty() {
                return self.alternatives(value, schema, parts);
            }
        }
        if let Some(constant) = keywords.constant() {
            return self.choice(value, std::slice::from_ref(constant), keywords);
        }
        if let Ok(Some(choices)) = keywords.values() {
            return self.choice(value, choices, keywords);
        }
        let kinds = kinds(keywords);
        self.kind(value, schema, keywords, kinds)
    }

    /// Chooses the alternative with the lowest repair cost.
    fn alternatives(&mut self, value: &Value, schema: Schema<'_>, parts: &[Value]) -> FitResult {
        let (repair_count, cost) = (self.repairs.len(), self.cost);
        let mut best: Option<(usize, Value, Vec<Repair>)> = None;
        let mut misfit: Option<FitError> = None;
        for part in parts {
            let fitted = self.value(value, schema.part(part));
            let needed = self.cost - cost;
            let repairs = self.repairs.split_off(repair_count);
            self.cost = cost;
            match fitted {
                Ok(fitted) if best.as_ref().is_none_or(|(least, ..)| needed < *least) => {
                    best = Some((needed, fitted, repairs));
                }
                Ok(_) => {}
                // The error at the deepest place describes the problem best.
                Err(found)
                    if misfit
                        .as_ref()
                        .is_none_or(|it| found.path.steps().len() > it.path.steps().len()) =>
                {
                    misfit = Some(found);
                }
                Err(_) => {}
            }
            if best.as_ref().is_some_and(|(needed, ..)| *needed == 0) {
                break;
            }
        }
        match (best, misfit) {
            (Some((needed, value, repairs)), _) => {
                self.cost += needed;
                self.repairs.extend(repairs);
                Ok(value)
            }
            (None, Some(misfit)) if misfit.path == self.path => {
                self.misfit("one of the alternatives", value)
            }
            (None, Some(misfit)) => Err(misfit),
            (None, None) => self.misfit("a value", value),
        }
    }

    fn kind(
        &mut self,
        value: &Value,
        schema: Schema<'_>,
        keywords: Keywords<'_>,
        kinds: Kinds,
    ) -> FitResult {
        match value {
            Value::Object(map) if kinds.intersects(Kinds::OBJECT) => {
                return self.object(map, schema, keywords);
            }
            Value::Array(items) if kinds.intersects(Kinds::ARRAY) => {
                return self.list(items, schema, keywords);
            }
            _ if kinds.contains(Kinds::from_value(value)) => return Ok(value.clone()),
            _ => {}
        }
        if let Some(scalar) = self.scalar(value, kinds) {
            return Ok(scalar);
        }
        if self.allows(Leniency::Generous)
            && let Some(fitted) = self.fit_generously(value, schema, keywords, kinds)
        {
            return fitted;
        }
        self.misfit(expected(kinds), value)
    }

    fn fit_generously(
        &mut self,
        value: &Value,
        schema: Schema<'_>,
        keywords: Keywords<'_>,
        kinds: Kinds,
    ) -> Option<FitResult> {
        if let (Value::String(text), true) = (value, has_containers(kinds))
            && let Some(found) = super::reader::json_in_string(text)
        {
            self.repair(RepairKind::JsonInText, 2);
            return Some(self.kind(&found, schema, keywords, kinds));
        }
        if kinds.intersects(Kinds::ARRAY) && !value.is_null() && !self.is_wrapped() {
            self.repair(RepairKind::OneForList, 3);
            let outer = self.wrapped.replace(self.path.steps().len() + 1);
            let fitted = self.list(std::slice::from_ref(value), schema, keywords);
            self.wrapped = outer;
            return Some(fitted);
        }
        match value {
            Value::Array(items) => {
                let first = items.first().filter(|it| is_scalar(it))?;
                self.repair(RepairKind::ListForOne, 4);
                Some(self.kind(first, schema, keywords, kinds))
            }
            Value::Object(map) if map.len() == 1 => {
                let (key, value) = map.iter().next().filter(|(_, it)| is_scalar(it))?;
                self.repair(RepairKind::ObjectForOne, 4);
                Some(self.at_step(Step::Key(key.to_owned()), |it| {
                    it.kind(value, schema, keywords, kinds)
                }))
            }
            _ => None,
        }
    }

    /// Whether the current value is already treated as an array of one item.
    fn is_wrapped(&self) -> bool {
        self.wrapped == Some(self.path.steps().len())
    }

    fn at_step<T>(&mut self, step: Step, fit: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(step);
        let fitted = fit(self);
        self.path.pop();
        fitted
    }

    fn list(&mut self, items: &[Value], schema: Schema<'_>, keywords: Keywords<'_>) -> FitResult {
        let Some(schemas) = keywords.items() else { return Ok(Value::from(items.to_vec())) };
        let mut fitted = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let part = schemas.first.1.get(index).or(schemas.rest.map(|(_, rest)| rest));
            let Some(part) = part else {
                fitted.push(item.clone());
                continue;
            };
            fitted.push(self.at_step(Step::Index(index), |it| it.value(item, schema.part(part)))?);
        }
        Ok(Value::from(fitted))
    }

    fn object(&mut self, map: &Map, schema: Schema<'_>, keywords: Keywords<'_>) -> FitResult {
        let none = Map::new();
        let properties = keywords.properties().unwrap_or(&none);
        let mut fitted = Map::new();
        let mut taken = Vec::new();
        for (name, part) in properties.iter() {
            let part = schema.part(part);
            let is_required = keywords.requires(name);
            let default = part.keywords().and_then(|it| it.map().get("default"));
            let found = match self.entry(map, name, part, properties) {
                Some((key, value)) => {
                    taken.push(key);
                    let is_missing = value.is_null() && !is_required;
                    self.field(name, value, part, is_missing)?
                }
                None if is_required => {
                    return Err(self.at_step(Step::Key(name.to_owned()), |it| it.missing(part)));
                }
                None => None,
            };
            if let Some(value) = found.or_else(|| default.filter(|_| !is_required).cloned()) {
                fitted.insert(name, value);
            }
        }
        for (key, value) in map.iter().filter(|(key, _)| !taken.contains(key)) {
            self.other_entry(key, value, schema, keywords, &mut fitted)?;
        }
        Ok(Value::Object(fitted))
    }

    /// The value of a property. A `null` that its schema does not allow counts as missing, if the
    /// property may be missing.
    fn field(
        &mut self,
        name: &str,
        value: &Value,
        part: Schema<'_>,
        may_be_missing: bool,
    ) -> FitResult<Option<Value>> {
        let (cost, repair_count) = (self.cost, self.repairs.len());
        match self.at_step(Step::Key(name.to_owned()), |it| it.value(value, part)) {
            Ok(value) => Ok(Some(value)),
            Err(_) if may_be_missing => {
                self.repairs.truncate(repair_count);
                self.cost = cost;
                Ok(None)
            }
            Err(misfit) => Err(misfit),
        }
    }

    /// An entry that the properties do not name.
    fn other_entry(
        &mut self,
        key: &str,
        value: &Value,
        schema: Schema<'_>,
        keywords: Keywords<'_>,
        fitted: &mut Map,
    ) -> FitResult<()> {
        let step = Step::Key(key.to_owned());
        let part = match keywords.free_entries() {
            // A schema of maps has no properties, and may not mention other keys.
            None if keywords.properties().is_none() => &Value::Bool(true),
            None | Some(Value::Bool(false)) => {
                return self.at_step(step, |it| {
                    it.repair(RepairKind::UnknownKey, 1);
                    Ok(())
                });
            }
            Some(part) => part,
        };
        let value = self.at_step(step, |it| it.value(value, schema.part(part)))?;
        fitted.insert(key, value);
        Ok(())
    }

    /// The error of a missing required value. Not even `null` replaces it, since the model did not
    /// write it.
    fn missing(&self, schema: Schema<'_>) -> FitError {
        let expected = match schema.resolved().keywords() {
            Some(keywords) => expected(kinds(keywords)),
            None => "a value".to_owned(),
        };
        let message = format!("expected {expected}, found nothing");
        FitError { path: self.path.clone(), message }
    }

    /// The entry of a property: by its name, by its alias, or by another spelling if only one key
    /// has it.
    fn entry<'map>(
        &mut self,
        map: &'map Map,
        name: &str,
        part: Schema<'_>,
        properties: &Map,
    ) -> Option<(&'map str, &'map Value)> {
        let by_name = |wanted: &str| map.iter().find(|(key, _)| *key == wanted);
        if let Some(found) = by_name(name) {
            return Some(found);
        }
        let alias = part.keywords().and_then(|it| it.map().get("x-alias")?.as_str());
        if let Some(found) = alias.and_then(by_name) {
            return Some(found);
        }
        if !self.allows(Leniency::Plain) {
            return None;
        }
        let spelled: fn(&str) -> String = match self.allows(Leniency::Generous) {
            true => |name| names::plain(name).replace(' ', ""),
            false => names::folded,
        };
        let wanted = [Some(name), alias].map(|it| it.map(spelled));
        let mut alike = map.iter().filter(|(key, _)| {
            !properties.contains_key(key) && wanted.contains(&Some(spelled(key)))
        });
        let (found, None) = (alike.next()?, alike.next()) else { return None };
        self.at_step(Step::Key(name.to_owned()), |it| it.repair(RepairKind::KeySpelling, 1));
        Some(found)
    }
}

/// Whether a key is another spelling of a property's name, or its alias.
pub(super) fn is_spelling_of(key: &str, name: &str, part: Schema<'_>, leniency: Leniency) -> bool {
    let alias = part.keywords().and_then(|it| it.map().get("x-alias")?.as_str());
    let folded = names::folded(key);
    alias == Some(key)
        || leniency >= Leniency::Plain
            && [Some(name), alias].into_iter().flatten().any(|it| names::folded(it) == folded)
}

/// Whether objects of a schema may have a key, in any spelling.
pub(super) fn has_key(schema: Schema<'_>, key: &str, depth: usize) -> bool {
    let schema = schema.resolved();
    let Some(keywords) = schema.keywords().filter(|_| depth < 8) else {
        return !matches!(schema.form(), SchemaForm::Nothing);
    };
    if let Some(properties) = keywords.properties() {
        let folded = names::folded(key);
        let is_alias = |part: &Value| part.get("x-alias").and_then(Value::as_str) == Some(key);
        return properties
            .iter()
            .any(|(name, part)| names::folded(name) == folded || is_alias(part))
            || keywords.free_entries().is_some_and(|it| *it != Value::Bool(false));
    }
    let mut parts = Combination::ALL
        .into_iter()
        .flat_map(|it| keywords.combination(it).unwrap_or_default())
        .peekable();
    parts.peek().is_none() || parts.any(|part| has_key(schema.part(part), key, depth + 1))
}

/// The kinds that a schema names, or whose keywords it has.
fn kinds(keywords: Keywords<'_>) -> Kinds {
    if let Ok(Some(kinds)) = keywords.kinds() {
        return kinds;
    }
    if keywords.properties().is_some() {
        return Kinds::OBJECT;
    }
    if keywords.items().is_some() {
        return Kinds::ARRAY;
    }
    Kinds::ANY
}

fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

/// Whether values of these kinds may be objects or arrays.
fn has_containers(kinds: Kinds) -> bool {
    kinds.intersects(Kinds::OBJECT.union(Kinds::ARRAY))
}

/// The kinds as text for a message.
fn expected(kinds: Kinds) -> String {
    let words = [
        (Kinds::OBJECT, "an object"),
        (Kinds::ARRAY, "an array"),
        (Kinds::STRING, "a string"),
        (Kinds::BOOLEAN, "`true` or `false`"),
        (Kinds::NULL, "`null`"),
    ];
    let mut found: Vec<&str> =
        words.iter().filter(|(kind, _)| kinds.contains(*kind)).map(|(_, word)| *word).collect();
    if kinds.contains(Kinds::NUMBER) {
        found.push("a number");
    } else if kinds.contains(Kinds::INTEGER) {
        found.push("an integer");
    }
    found.join(" or ")
}
