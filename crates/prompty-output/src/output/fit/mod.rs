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
use super::written_form::WrittenValue;
use crate::union_work::{BYTES_PER_STEP, EXPECTED_SMALLER, FIXED_STEPS, STEPS_FOR_A_VALUE};

/// How much a reader may repair in a model's answer.
///
/// | written | expected | exact | plain | generous |
/// |---|---|---|---|---|
/// | damaged JSON | any value | error | repaired | repaired |
/// | `7.0` | an integer | accepted | accepted | accepted |
/// | `"7"`, `"true"` | a number, a boolean | error | accepted | accepted |
/// | a choice or a key in other case, or with other blanks, `_` or `-` between its letters | that choice, that key | error | accepted | accepted |
/// | nothing, or `null` | an optional field | accepted | accepted | accepted |
/// | an unknown key | an object without other keys | removed | removed | removed |
/// | `"1,234"`, `"$5"`, `"1/5"` | a number | error | error | accepted |
/// | `"null"` | `null` | error | accepted | accepted |
/// | `"yes"`, `1`, `true` in a sentence without `not` | a boolean | error | error | accepted |
/// | `true`, `false` | a number | error | error | `1`, `0` |
/// | `7`, `1.10`, `true` | a string | error | error | accepted, as it is written |
/// | `NaN`, `Infinity` | a number without bounds | error | error | accepted |
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
    /// Whether the words that the model wrote could give another value or an error. This is so only
    /// if they are not known.
    pub(super) depends_on_words: bool,
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
pub(super) fn fit<'value>(
    value: impl Into<WrittenValue<'value>>,
    target: FitTarget<'_>,
) -> Result<FittedValue, FitError> {
    let source = value.into();
    let FitTarget { schema, leniency } = target;
    // Alternatives of a schema are tried in turn.
    let steps_left =
        FIXED_STEPS.saturating_add(all_steps(source).saturating_mul(STEPS_FOR_A_VALUE));
    let mut fitter = Fitter {
        leniency,
        path: Path::default(),
        repairs: Vec::new(),
        cost: 0,
        steps_left,
        depth: 0,
        only_item_depth: None,
        depends_on_words: false,
    };
    let fitted = fitter.fit_value(source, schema);
    if fitted.is_err() && fitter.steps_left == 0 {
        // The alternatives were not all tried, so their errors do not describe the problem.
        return fitter.misfit(EXPECTED_SMALLER, source.value);
    }
    let value = fitted?;
    // Constraints other than kinds: bounds, lengths, patterns.
    if let Some(violation) = schema.violations(&value).into_iter().next() {
        let path = Path::from_pointer(&violation.pointer);
        return Err(FitError { path, message: violation.message });
    }
    let Fitter { repairs, depends_on_words, .. } = fitter;
    Ok(FittedValue { value, repairs, depends_on_words })
}

/// The maximum nesting of values and alternatives. A schema may refer to itself.
const MAX_DEPTH: usize = 2 * prompty_core::value::MAX_DEPTH;

/// The steps that one conversion of a value takes, without the values in it. Strings and keys are
/// compared with names and choices, and the words of numbers with their digits.
fn own_steps(source: WrittenValue<'_>) -> usize {
    let of_text = |it: &str| 1 + it.len() / BYTES_PER_STEP;
    match source.value {
        Value::Array(items) => 1 + items.len(),
        Value::Object(map) => 1 + map.keys().map(of_text).sum::<usize>(),
        Value::String(text) => of_text(text),
        _ => source.other_word().map_or(1, of_text),
    }
}

/// The steps that one conversion of a value takes, with the values in it.
fn all_steps(source: WrittenValue<'_>) -> usize {
    let items: usize = source.items().map(all_steps).sum();
    let entries: usize = source.entries().map(|(_, entry)| all_steps(entry)).sum();
    own_steps(source) + items + entries
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
    /// Whether the words that the model wrote are not known, but could make a difference.
    depends_on_words: bool,
}

/// A value that fits an alternative of a schema.
struct FittedAlternative {
    value: Value,
    repairs: Vec<Repair>,
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

    /// Takes the steps of one conversion from those that are left.
    fn charge(&mut self, source: WrittenValue<'_>) {
        let steps = own_steps(source);
        add_steps(steps);
        self.steps_left = self.steps_left.saturating_sub(steps);
    }

    /// Converts a value so that it follows a schema, within the limits of work and nesting.
    fn fit_value(&mut self, source: WrittenValue<'_>, schema: Schema<'_>) -> FitResult {
        self.charge(source);
        if self.steps_left == 0 || self.depth == MAX_DEPTH {
            return self.misfit(EXPECTED_SMALLER, source.value);
        }
        self.depth += 1;
        let fitted = self.fit_by_keyword(source, schema);
        self.depth -= 1;
        fitted
    }

    fn fit_by_keyword(&mut self, source: WrittenValue<'_>, schema: Schema<'_>) -> FitResult {
        let schema = schema.resolved();
        let keywords = match schema.form() {
            SchemaForm::Keywords(keywords) => keywords,
            SchemaForm::Nothing => return self.misfit("nothing", source.value),
            _ => return self.keep(source),
        };
        if let Some(target) = schema.own_target() {
            // Keywords next to a reference are annotations; its target constrains values.
            return self.fit_value(source, target);
        }
        for combination in [Combination::AnyOf, Combination::OneOf] {
            let parts = keywords.combination(combination).unwrap_or_default();
            if !parts.is_empty() {
                return self.fit_alternatives(source, schema, parts);
            }
        }
        if let Some(constant) = keywords.constant() {
            return self.fit_choice(source, std::slice::from_ref(constant), keywords);
        }
        if let Ok(Some(choices)) = keywords.values() {
            return self.fit_choice(source, choices, keywords);
        }
        self.fit_kind(source, KeywordSchema { schema, keywords })
    }

    /// Chooses the alternative with the lowest repair cost.
    fn fit_alternatives(
        &mut self,
        source: WrittenValue<'_>,
        schema: Schema<'_>,
        parts: &[Value],
    ) -> FitResult {
        let mut best: Option<FittedAlternative> = None;
        let mut misfit: Option<FitError> = None;
        for part in parts {
            match self.try_alternative(source, schema.part(part)) {
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
            (Some(FittedAlternative { value, repairs, cost }), _) => {
                self.cost += cost;
                self.repairs.extend(repairs);
                Ok(value)
            }
            (None, Some(misfit)) if misfit.path == self.path => {
                self.misfit("one of the alternatives", source.value)
            }
            (None, Some(misfit)) => Err(misfit),
            (None, None) => self.misfit("a value", source.value),
        }
    }

    /// Converts a value by one alternative. The repairs are returned, and not recorded.
    fn try_alternative(
        &mut self,
        source: WrittenValue<'_>,
        part: Schema<'_>,
    ) -> FitResult<FittedAlternative> {
        let (repair_count, cost) = (self.repairs.len(), self.cost);
        let fitted = self.fit_value(source, part);
        let repairs = self.repairs.split_off(repair_count);
        let cost = std::mem::replace(&mut self.cost, cost) - cost;
        Ok(FittedAlternative { value: fitted?, repairs, cost })
    }

    /// Converts a value into one of the kinds of a schema.
    fn fit_kind(&mut self, source: WrittenValue<'_>, target: KeywordSchema<'_>) -> FitResult {
        let value = source.value;
        let kinds = kinds(target.keywords);
        match value {
            Value::Object(_) if kinds.intersects(Kinds::OBJECT) => {
                return self.fit_object(source, target);
            }
            Value::Array(_) if kinds.intersects(Kinds::ARRAY) => {
                return self.fit_list(source, target);
            }
            Value::Float(number) if !number.is_finite() && kinds != Kinds::ANY => {
                return self.fit_not_finite(source, *number, target);
            }
            // All digits decide whether it is an integer.
            Value::Float(_) if !kinds.contains(Kinds::NUMBER) => {}
            _ if kinds.contains(Kinds::from_value(value)) => return self.keep(source),
            _ => {}
        }
        if let Some(scalar) = self.fit_scalar(source, kinds) {
            return Ok(scalar);
        }
        if self.allows(Leniency::Generous)
            && let Some(fitted) = self.fit_generously(source, target)
        {
            return fitted;
        }
        self.misfit(expected(kinds), value)
    }

    /// Accepts a value unchanged. If a float has fewer digits than the model wrote, this is
    /// reported.
    fn keep(&mut self, source: WrittenValue<'_>) -> FitResult {
        self.record_rounding(source);
        Ok(source.value.clone())
    }

    /// Records the numbers in a value that have fewer digits than the model wrote.
    fn record_rounding(&mut self, source: WrittenValue<'_>) {
        if !source.may_have_other_words() {
            return;
        }
        self.charge(source);
        if source.is_rounded() {
            self.record_repair(RepairKind::RoundedNumber, 1);
        }
        for (index, item) in source.items().enumerate() {
            if item.may_have_other_words() {
                self.at_step(Step::Index(index), |it| it.record_rounding(item));
            }
        }
        for (key, entry) in source.entries() {
            if entry.may_have_other_words() {
                self.at_step(Step::Key(key.into()), |it| it.record_rounding(entry));
            }
        }
    }

    /// Converts infinity or NaN. JSON has no such number, and no bound holds for it.
    fn fit_not_finite(
        &mut self,
        source: WrittenValue<'_>,
        number: f64,
        target: KeywordSchema<'_>,
    ) -> FitResult {
        let kinds = kinds(target.keywords);
        if self.allows(Leniency::Generous) {
            if kinds.contains(Kinds::NUMBER) {
                // Bounds are checked at the end.
                return Ok(source.value.clone());
            }
            if let Some(text) = self.fit_as_string(source, kinds) {
                return Ok(text);
            }
            if let Some(fitted) = self.fit_generously(source, target) {
                return fitted;
            }
        }
        let message = format!("expected {}, found `{number}`", expected(kinds));
        Err(FitError { path: self.path.clone(), message })
    }

    /// Converts a value of another kind as [`Leniency::Generous`] allows: JSON inside of a string,
    /// one value for an array, or the only scalar in an array or object.
    fn fit_generously(
        &mut self,
        source: WrittenValue<'_>,
        target: KeywordSchema<'_>,
    ) -> Option<FitResult> {
        let value = source.value;
        let kinds = kinds(target.keywords);
        if let (Value::String(text), true) = (value, has_containers(kinds))
            && let Some(found) = super::reader::json_in_string(text)
        {
            self.record_repair(RepairKind::JsonInText, 2);
            return Some(self.fit_kind(found.written(), target));
        }
        if kinds.intersects(Kinds::ARRAY) && !value.is_null() && !self.is_only_item() {
            self.record_repair(RepairKind::OneForList, 3);
            let outer_depth = self.only_item_depth.replace(self.path.steps().len() + 1);
            let fitted = self.fit_items(std::iter::once(source), target.schema);
            self.only_item_depth = outer_depth;
            return Some(fitted);
        }
        match value {
            Value::Array(_) => {
                let first = source.items().next().filter(|it| is_scalar(it.value))?;
                self.record_repair(RepairKind::ListForOne, 4);
                Some(self.fit_kind(first, target))
            }
            Value::Object(map) if map.len() == 1 => {
                let (key, value) = source.entries().next().filter(|(_, it)| is_scalar(it.value))?;
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

    fn fit_list(&mut self, source: WrittenValue<'_>, target: KeywordSchema<'_>) -> FitResult {
        match target.keywords.items() {
            Some(_) => self.fit_items(source.items(), target.schema),
            None => self.keep(source),
        }
    }

    fn fit_items<'value>(
        &mut self,
        items: impl Iterator<Item = WrittenValue<'value>>,
        schema: Schema<'_>,
    ) -> FitResult {
        let mut fitted = Vec::with_capacity(items.size_hint().0);
        for (index, item) in items.enumerate() {
            let part = schema.child(schema::Step::Index(index));
            fitted.push(self.at_step(Step::Index(index), |it| match part {
                Some(part) => it.fit_value(item, part),
                None => it.keep(item),
            })?);
        }
        Ok(Value::from(fitted))
    }

    fn fit_object(&mut self, source: WrittenValue<'_>, target: KeywordSchema<'_>) -> FitResult {
        let KeywordSchema { schema, keywords } = target;
        let no_properties = Map::new();
        let properties = keywords.properties().unwrap_or(&no_properties);
        let mut fitted = Map::new();
        let mut used_keys = Vec::new();
        for (name, part) in properties.iter() {
            let part = schema.part(part);
            let is_required = keywords.requires(name);
            let default = part.keywords().and_then(|it| it.map().get("default"));
            let found = match self.find_entry(source, name, part, properties) {
                Some((key, value)) => {
                    used_keys.push(key);
                    let may_be_missing = value.value.is_null() && !is_required;
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
        for (key, value) in source.entries().filter(|(key, _)| !used_keys.contains(key)) {
            self.fit_other_entry(key, value, target, &mut fitted)?;
        }
        Ok(Value::Object(fitted))
    }

    /// The value of a property. A `null` that its schema does not allow counts as missing, if the
    /// property may be missing.
    fn fit_property(
        &mut self,
        name: &str,
        value: WrittenValue<'_>,
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
        value: WrittenValue<'_>,
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
    fn find_entry<'value>(
        &mut self,
        source: WrittenValue<'value>,
        name: &str,
        part: Schema<'_>,
        properties: &Map,
    ) -> Option<(&'value str, WrittenValue<'value>)> {
        let by_name = |wanted: &str| source.entry(wanted);
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
        let normalize: names::Fold = match self.allows(Leniency::Generous) {
            true => names::folded_without_accents,
            false => names::folded,
        };
        let wanted = [Some(name), alias].map(|it| it.map(normalize));
        let mut alike = source.entries().filter(|(key, _)| {
            !properties.contains_key(key) && wanted.contains(&Some(normalize(key)))
        });
        let (found, None) = (alike.next()?, alike.next()) else { return None };
        let is_other_property = |(other, part): (&str, &Value)| {
            let alias = part.get("x-alias").and_then(Value::as_str);
            let names = [Some(other), alias].into_iter().flatten();
            other != name && names.map(normalize).any(|it| wanted.contains(&Some(it)))
        };
        // The key could be another property as well.
        if properties.iter().any(is_other_property) {
            return None;
        }
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
