//! Converts a value into a type: values with a clear meaning are accepted, and each repair is
//! reported.
//!
//! The type is a JSON schema. The option [`Leniency`] decides how much is accepted; its table lists
//! the cases. If several alternatives fit, the one with the lowest repair cost is chosen, and the
//! first one of equal cost.
//!
//! `fit_value` converts a value by the keyword of its schema that decides: a reference, then
//! alternatives, listed values (`choice`), and last the kind. An object or array is converted item
//! by item. A value of another kind is converted by `scalar`, or by `fit_generously`.

// Two rules hold for all conversions:
//
// - Plain reading converts a value only if no part of it is lost. `"1 cup"` is not a number,
//   because `cup` would be lost.
// - No conversion invents a value. `1e999` does not become infinity, `"not spam"` does not become
//   the choice `spam`, and a missing required property is an error, not `null`.

mod choice;
mod names;
mod scalar;

use prompty_core::schema::{self, Combination, Keywords, Kinds, Schema, SchemaForm};
use prompty_core::value::internal::json_excerpt;
use prompty_core::value::{Map, Value};
use prompty_core::work::add_steps;

use super::known_paths;
use super::path::{Path, Step};
use super::repair::{Repair, RepairKind};
use crate::union_work::{BYTES_PER_STEP, EXPECTED_SMALLER, FIXED_STEPS, STEPS_FOR_A_VALUE};

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

/// The schema that a value must follow, and how leniently the value is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct FitTarget<'schema> {
    pub(super) schema: Schema<'schema>,
    pub(super) leniency: Leniency,
}

impl<'schema> FitTarget<'schema> {
    pub(super) fn new(schema: &'schema Value, leniency: Leniency) -> Self {
        Self { schema: Schema::from_value(schema), leniency }
    }
}

/// Converts a value so that it follows a schema.
pub(super) fn fit(value: &Value, target: FitTarget<'_>) -> Result<FittedValue, FitError> {
    let FitTarget { schema, leniency } = target;
    // Alternatives of a schema are tried in turn.
    let steps_left = FIXED_STEPS.saturating_add(all_steps(value).saturating_mul(STEPS_FOR_A_VALUE));
    let mut fitter = Fitter {
        leniency,
        path: Path::default(),
        repairs: Vec::new(),
        cost: 0,
        steps_left,
        depth: 0,
        only_item_depth: None,
    };
    let fitted = fitter.fit_value(value, schema);
    if fitted.is_err() && fitter.steps_left == 0 {
        // The alternatives were not all tried, so their errors do not describe the problem.
        return fitter.misfit(EXPECTED_SMALLER, value);
    }
    let value = fitted?;
    // Constraints other than kinds: bounds, lengths, patterns.
    if let Some(violation) = schema.violations(&value).into_iter().next() {
        let path = Path::from_pointer(&violation.pointer);
        return Err(FitError { path, message: violation.message });
    }
    Ok(FittedValue { value, repairs: fitter.repairs })
}

/// The maximum nesting of values and alternatives, which limits the use of the stack: about 4 KB for
/// each without optimisation. A schema may refer to itself.
const MAX_DEPTH: usize = 100;

/// The steps that one conversion of a value takes, without the values in it. Strings and keys are
/// compared with names and choices.
fn own_steps(value: &Value) -> usize {
    let of_text = |it: &str| 1 + it.len() / BYTES_PER_STEP;
    match value {
        Value::Array(items) => 1 + items.len(),
        Value::Object(map) => 1 + map.keys().map(of_text).sum::<usize>(),
        Value::String(text) => of_text(text),
        _ => 1,
    }
}

/// The steps that one conversion of a value takes, with the values in it.
fn all_steps(value: &Value) -> usize {
    let inner: usize = match value {
        Value::Array(items) => items.iter().map(all_steps).sum(),
        Value::Object(map) => map.values().map(all_steps).sum(),
        _ => 0,
    };
    own_steps(value) + inner
}

/// The conversion of one value, and of the values in it.
struct Fitter {
    leniency: Leniency,
    path: Path,
    repairs: Vec<Repair>,
    /// The cost of the repairs so far. Alternatives with a lower cost are preferred.
    cost: usize,
    /// The steps that are left: see [`own_steps`].
    steps_left: usize,
    /// The number of values and schemas around the current one.
    depth: usize,
    /// If a value is treated as an array of one item: the length of the item's path, while the item
    /// is converted.
    only_item_depth: Option<usize>,
}

/// A value that fits an alternative of a schema.
struct FittedAlternative {
    fitted: FittedValue,
    cost: usize,
}

/// A schema with its keywords.
#[derive(Clone, Copy)]
struct KeywordSchema<'schema> {
    schema: Schema<'schema>,
    keywords: Keywords<'schema>,
}

type FitResult<T = Value> = Result<T, FitError>;

impl Fitter {
    fn allows(&self, least: Leniency) -> bool {
        self.leniency >= least
    }

    /// Records a repair of the current value. The cost is higher if the meaning is less certain:
    ///
    /// | cost | example |
    /// |---|---|
    /// | 1 | another spelling of a key |
    /// | 2 | another form of the same value: `"7"` for a number |
    /// | 3 | a value of another kind: `7` for a string |
    /// | 4 | a part of the value: the first item of an array |
    fn record_repair(&mut self, kind: RepairKind, cost: usize) {
        self.cost += cost;
        self.repairs.push(Repair::of_value(kind, self.path.clone()));
    }

    /// The error of a value that does not fit.
    fn misfit<T>(&self, expected: impl Into<String>, found: &Value) -> FitResult<T> {
        let message = format!("expected {}, found {}", expected.into(), json_excerpt(found));
        Err(FitError { path: self.path.clone(), message })
    }

    /// Converts a value so that it follows a schema, within the limits of work and nesting.
    fn fit_value(&mut self, value: &Value, schema: Schema<'_>) -> FitResult {
        let steps = own_steps(value);
        add_steps(steps);
        self.steps_left = self.steps_left.saturating_sub(steps);
        if self.steps_left == 0 || self.depth == MAX_DEPTH {
            return self.misfit(EXPECTED_SMALLER, value);
        }
        self.depth += 1;
        let fitted = self.fit_by_keyword(value, schema);
        self.depth -= 1;
        fitted
    }

    fn fit_by_keyword(&mut self, value: &Value, schema: Schema<'_>) -> FitResult {
        let schema = schema.resolved();
        let keywords = match schema.form() {
            SchemaForm::Keywords(keywords) => keywords,
            SchemaForm::Nothing => return self.misfit("nothing", value),
            _ => return Ok(value.clone()),
        };
        if let Some(target) = schema.own_target() {
            // Keywords next to a reference are annotations; its target constrains values.
            return self.fit_value(value, target);
        }
        for combination in [Combination::AnyOf, Combination::OneOf] {
            let parts = keywords.combination(combination).unwrap_or_default();
            if !parts.is_empty() {
                return self.fit_alternatives(value, schema, parts);
            }
        }
        if let Some(constant) = keywords.constant() {
            return self.fit_choice(value, std::slice::from_ref(constant), keywords);
        }
        if let Ok(Some(choices)) = keywords.values() {
            return self.fit_choice(value, choices, keywords);
        }
        self.fit_kind(value, KeywordSchema { schema, keywords })
    }

    /// Chooses the alternative with the lowest repair cost.
    fn fit_alternatives(
        &mut self,
        value: &Value,
        schema: Schema<'_>,
        parts: &[Value],
    ) -> FitResult {
        let mut best: Option<FittedAlternative> = None;
        let mut misfit: Option<FitError> = None;
        for part in parts {
            match self.try_alternative(value, schema.part(part)) {
                Ok(fitted) => {
                    if best.as_ref().is_none_or(|it| fitted.cost < it.cost) {
                        best = Some(fitted);
                    }
                }
                // The error at the deepest place describes the problem best.
                Err(error) => {
                    let depth = |it: &FitError| it.path.steps().len();
                    if misfit.as_ref().is_none_or(|it| depth(&error) > depth(it)) {
                        misfit = Some(error);
                    }
                }
            }
            if best.as_ref().is_some_and(|it| it.cost == 0) {
                break;
            }
        }
        match (best, misfit) {
            (Some(FittedAlternative { fitted, cost }), _) => {
                self.cost += cost;
                self.repairs.extend(fitted.repairs);
                Ok(fitted.value)
            }
            (None, Some(misfit)) if misfit.path == self.path => {
                self.misfit("one of the alternatives", value)
            }
            (None, Some(misfit)) => Err(misfit),
            (None, None) => self.misfit("a value", value),
        }
    }

    /// Converts a value by one alternative. The repairs are returned, and not recorded.
    fn try_alternative(&mut self, value: &Value, part: Schema<'_>) -> FitResult<FittedAlternative> {
        let (repair_count, cost) = (self.repairs.len(), self.cost);
        let fitted = self.fit_value(value, part);
        let repairs = self.repairs.split_off(repair_count);
        let cost = std::mem::replace(&mut self.cost, cost) - cost;
        Ok(FittedAlternative { fitted: FittedValue { value: fitted?, repairs }, cost })
    }

    /// Converts a value into one of the kinds of a schema.
    fn fit_kind(&mut self, value: &Value, target: KeywordSchema<'_>) -> FitResult {
        let kinds = kinds(target.keywords);
        match value {
            Value::Object(map) if kinds.intersects(Kinds::OBJECT) => {
                return self.fit_object(map, target);
            }
            Value::Array(items) if kinds.intersects(Kinds::ARRAY) => {
                return self.fit_list(items, target);
            }
            _ if kinds.contains(Kinds::from_value(value)) => return Ok(value.clone()),
            _ => {}
        }
        if let Some(scalar) = self.fit_scalar(value, kinds) {
            return Ok(scalar);
        }
        if self.allows(Leniency::Generous)
            && let Some(fitted) = self.fit_generously(value, target)
        {
            return fitted;
        }
        self.misfit(expected(kinds), value)
    }

    /// Converts a value of another kind as [`Leniency::Generous`] allows: JSON inside of a string,
    /// one value for an array, or the only scalar in an array or object.
    fn fit_generously(&mut self, value: &Value, target: KeywordSchema<'_>) -> Option<FitResult> {
        let kinds = kinds(target.keywords);
        if let (Value::String(text), true) = (value, has_containers(kinds))
            && let Some(found) = super::reader::json_in_string(text)
        {
            self.record_repair(RepairKind::JsonInText, 2);
            return Some(self.fit_kind(&found, target));
        }
        if kinds.intersects(Kinds::ARRAY) && !value.is_null() && !self.is_only_item() {
            self.record_repair(RepairKind::OneForList, 3);
            let outer_depth = self.only_item_depth.replace(self.path.steps().len() + 1);
            let fitted = self.fit_list(std::slice::from_ref(value), target);
            self.only_item_depth = outer_depth;
            return Some(fitted);
        }
        match value {
            Value::Array(items) => {
                let first = items.first().filter(|it| is_scalar(it))?;
                self.record_repair(RepairKind::ListForOne, 4);
                Some(self.fit_kind(first, target))
            }
            Value::Object(map) if map.len() == 1 => {
                let (key, value) = map.iter().next().filter(|(_, it)| is_scalar(it))?;
                self.record_repair(RepairKind::ObjectForOne, 4);
                Some(self.at_step(Step::Key(key.into()), |it| it.fit_kind(value, target)))
            }
            _ => None,
        }
    }

    /// Whether the current value is already treated as the only item of an array.
    fn is_only_item(&self) -> bool {
        self.only_item_depth == Some(self.path.steps().len())
    }

    /// Converts a value inside of the current one.
    fn at_step<T>(&mut self, step: Step, fit: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(step);
        let fitted = fit(self);
        self.path.pop();
        fitted
    }

    fn fit_list(&mut self, items: &[Value], target: KeywordSchema<'_>) -> FitResult {
        let mut fitted = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            fitted.push(match target.schema.child(schema::Step::Index(index)) {
                Some(part) => self.at_step(Step::Index(index), |it| it.fit_value(item, part))?,
                None => item.clone(),
            });
        }
        Ok(Value::from(fitted))
    }

    fn fit_object(&mut self, map: &Map, target: KeywordSchema<'_>) -> FitResult {
        let KeywordSchema { schema, keywords } = target;
        let no_properties = Map::new();
        let properties = keywords.properties().unwrap_or(&no_properties);
        let mut fitted = Map::new();
        let mut used_keys = Vec::new();
        for (name, part) in properties.iter() {
            let part = schema.part(part);
            let is_required = keywords.requires(name);
            let default = part.keywords().and_then(|it| it.map().get("default"));
            let found = match self.find_entry(map, name, part, properties) {
                Some((key, value)) => {
                    used_keys.push(key);
                    let may_be_missing = value.is_null() && !is_required;
                    self.fit_property(name, value, part, may_be_missing)?
                }
                None if is_required => {
                    return Err(self.at_step(Step::Key(name.into()), |it| it.missing_error(part)));
                }
                None => None,
            };
            if let Some(value) = found.or_else(|| default.filter(|_| !is_required).cloned()) {
                fitted.insert(name, value);
            }
        }
        for (key, value) in map.iter().filter(|(key, _)| !used_keys.contains(key)) {
            self.fit_other_entry(key, value, target, &mut fitted)?;
        }
        Ok(Value::Object(fitted))
    }

    /// The value of a property. A `null` that its schema does not allow counts as missing, if the
    /// property may be missing.
    fn fit_property(
        &mut self,
        name: &str,
        value: &Value,
        part: Schema<'_>,
        may_be_missing: bool,
    ) -> FitResult<Option<Value>> {
        let (cost, repair_count) = (self.cost, self.repairs.len());
        match self.at_step(Step::Key(name.into()), |it| it.fit_value(value, part)) {
            Ok(value) => Ok(Some(value)),
            Err(_) if may_be_missing => {
                self.repairs.truncate(repair_count);
                self.cost = cost;
                Ok(None)
            }
            Err(misfit) => Err(misfit),
        }
    }

    /// Converts an entry that the properties do not name, or removes it.
    fn fit_other_entry(
        &mut self,
        key: &str,
        value: &Value,
        KeywordSchema { schema, keywords }: KeywordSchema<'_>,
        fitted: &mut Map,
    ) -> FitResult<()> {
        let step = Step::Key(key.into());
        let part = match keywords.free_entries() {
            // A schema of maps has no properties, and may not mention other keys.
            None if keywords.properties().is_none() => &Value::Bool(true),
            None | Some(Value::Bool(false)) => {
                return self.at_step(step, |it| {
                    it.record_repair(RepairKind::UnknownKey, 1);
                    Ok(())
                });
            }
            Some(part) => part,
        };
        let value = self.at_step(step, |it| it.fit_value(value, schema.part(part)))?;
        fitted.insert(key, value);
        Ok(())
    }

    /// The error of a missing required value. Not even `null` replaces it, since the model did not
    /// write it.
    fn missing_error(&self, schema: Schema<'_>) -> FitError {
        let expected = match schema.resolved().keywords() {
            Some(keywords) => expected(kinds(keywords)),
            None => "a value".to_owned(),
        };
        let message = format!("expected {expected}, found nothing");
        FitError { path: self.path.clone(), message }
    }

    /// The entry of a property: by its name, by its alias, or by another spelling if only one key
    /// has it.
    fn find_entry<'map>(
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
        let alias = alias(part);
        if let Some(found) = alias.and_then(by_name) {
            return Some(found);
        }
        if !self.allows(Leniency::Plain) {
            return None;
        }
        let normalize: fn(&str) -> String = match self.allows(Leniency::Generous) {
            true => |name| names::plain(name).replace(' ', ""),
            false => names::folded,
        };
        let wanted = [Some(name), alias].map(|it| it.map(normalize));
        let mut alike = map.iter().filter(|(key, _)| {
            !properties.contains_key(key) && wanted.contains(&Some(normalize(key)))
        });
        let (found, None) = (alike.next()?, alike.next()) else { return None };
        self.at_step(Step::Key(name.into()), |it| it.record_repair(RepairKind::KeySpelling, 1));
        Some(found)
    }
}

/// The alias of a property's name. A schema declares it with `x-alias`.
fn alias(part: Schema<'_>) -> Option<&str> {
    part.keywords()?.map().get("x-alias")?.as_str()
}

/// Whether a key is another spelling of a property's name, or its alias.
pub(super) fn is_spelling_of(key: &str, name: &str, part: Schema<'_>, leniency: Leniency) -> bool {
    let alias = alias(part);
    let folded = names::folded(key);
    alias == Some(key)
        || leniency >= Leniency::Plain
            && [Some(name), alias].into_iter().flatten().any(|it| names::folded(it) == folded)
}

/// The maximum nesting of combined schemas in which [`may_have_key`] searches.
const MAX_COMBINATIONS: usize = 8;

/// Whether objects of a schema may have a key, in any spelling. `depth` is the number of combined
/// schemas around it.
pub(super) fn may_have_key(schema: Schema<'_>, key: &str, depth: usize) -> bool {
    let schema = schema.resolved();
    let Some(keywords) = schema.keywords().filter(|_| depth < MAX_COMBINATIONS) else {
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
    let mut parts = known_paths::alternatives(schema).peekable();
    parts.peek().is_none() || parts.any(|part| may_have_key(part, key, depth + 1))
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
