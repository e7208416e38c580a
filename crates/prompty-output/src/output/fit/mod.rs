//! Converts a value into a type: values with a clear meaning are accepted, and each repair is
//! reported.
//!
//! The type is a JSON schema. The option [`Leniency`] decides how much is accepted; its table lists
//! the cases. If several alternatives fit, the one with the lowest repair cost is chosen, and the
//! first one of equal cost.
//!
//! `fit_value` converts a value by the keyword of its schema that decides: a reference, then
//! alternatives (`union`), listed values (`choice`), and last the kind. An object (`object`) or
//! array is converted item by item. A value of another kind is converted by `scalar`, or by
//! `convert_generously`.

// Two rules hold for all conversions:
//
// - Plain reading converts a value only if no part of it is lost. `"1 cup"` is not a number,
//   because `cup` would be lost.
// - No conversion invents a value. `1e999` does not become infinity, `"not spam"` does not become
//   the choice `spam`, and a missing required property is an error, not `null`.

mod choice;
mod lenient_list;
mod names;
mod object;
mod queries;
mod scalar;
mod tries;
mod union;

use std::collections::HashMap;
use std::rc::Rc;

use prompty_core::schema::{self, Keywords, Kinds, Schema, SchemaForm};
use prompty_core::value::internal::json_excerpt;
use prompty_core::value::{MAX_DEPTH, Value};
use prompty_core::work::add_steps;

use super::path::{Path, Step};
use super::reader::FoundValue;
use super::repair::{Repair, RepairKind};
use super::written_form::WrittenValue;
use crate::type_schema::FLOAT_FORMATS;
use crate::union_work::{BYTES_PER_STEP, EXPECTED_SMALLER, FIXED_STEPS, STEPS_FOR_A_VALUE};
use names::PropertyNames;
pub(in crate::output) use queries::may_have_key;
use queries::{alternatives, choices, expected, has_containers, is_scalar, kinds};
use tries::TryCache;

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
    // The order matters: each level accepts all that the one before it accepts.
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
    /// Whether another spelling of the same scalar would give another value or an error, and the
    /// spelling is not known: in a field of strings, the float 1.1 may be `1.1` or `1.10` (see
    /// `written_form`). It is known in a complete reply, but not in the events of a stream.
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
    Fitter::new(target).fit(value.into()).map_err(Misfit::into_error)
}

/// The numbers in a value that are rounded when they become floats of a Rust type. The schema has
/// the formats of the floats.
pub(super) fn rounded_floats(value: &Value, schema: &Value) -> impl Iterator<Item = Repair> {
    let target = FitTarget::new(schema, Leniency::Exact);
    let mut fitter = Fitter::new(target);
    let source = value.into();
    fitter.steps_left = allowed_steps(source);
    // The value already fits the type.
    let _ = fitter.fit_value(source, &target.schema);
    fitter.repairs.into_iter().filter(|it| it.kind() == RepairKind::RoundedNumber)
}

/// Whether a number is rounded when it becomes a float of a Rust type.
#[inline(never)]
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "that is compared"
)]
fn is_rounded_by_float(value: &Value, keywords: Keywords<'_>) -> bool {
    let Ok(Some(format)) = keywords.format() else { return false };
    let is_single = match FLOAT_FORMATS.iter().position(|it| *it == format) {
        Some(position) => position == 0,
        None => return false,
    };
    match value {
        Value::Integer(number) if is_single => (*number as f32) as i128 != *number,
        Value::Integer(number) => (*number as f64) as i128 != *number,
        // Both are written with the fewest digits that identify them.
        Value::Float(number) if is_single => (*number as f32).to_string() != number.to_string(),
        _ => false,
    }
}

/// The steps that the conversion of a value may take. Alternatives of a schema are tried in turn.
fn allowed_steps(source: WrittenValue<'_>) -> usize {
    FIXED_STEPS.saturating_add(all_steps(source).saturating_mul(STEPS_FOR_A_VALUE))
}

fn too_large() -> String {
    EXPECTED_SMALLER.to_owned()
}

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
    let mut steps = own_steps(source);
    match source.value {
        Value::Array(_) => source.items().for_each(|it| steps += all_steps(it)),
        Value::Object(_) => source.entries().for_each(|(_, it)| steps += all_steps(it)),
        _ => {}
    }
    steps
}

/// The conversion of one value, and of the values in it.
///
/// A function that calls itself for inner values has few local values, because values may be
/// nested deeply. What is done before and after the call is in other functions.
pub(super) struct Fitter<'schema> {
    target: FitTarget<'schema>,
    /// Whether the error of a value that does not fit is needed.
    pub(super) needs_error: bool,
    /// Whether an alternative is tried. Then only the cost of the repairs is computed: no value, no
    /// path, no repair and no message.
    is_try: bool,
    /// The path of the current value, except in a try.
    path: Path,
    /// The length of the path of the current value.
    depth: usize,
    repairs: Vec<Repair>,
    /// The cost of the repairs so far. Alternatives with a lower cost are preferred.
    cost: usize,
    /// The steps that are left: see [`own_steps`].
    steps_left: usize,
    /// If a value is treated as an array of one item: the length of the item's path, while the item
    /// is converted.
    only_item_depth: Option<usize>,
    /// The number of arrays of one item around the current value that the model did not write.
    added_arrays: usize,
    /// See [`FittedValue::depends_on_words`].
    depends_on_words: bool,
    tries: TryCache<'schema>,
    /// The names of the properties of a schema, by its address.
    property_names: HashMap<usize, Rc<[PropertyNames]>>,
    /// The JSON inside of strings, by their addresses.
    inner_json: HashMap<usize, Option<Rc<FoundValue>>>,
}

/// A value does not fit.
pub(super) struct Misfit {
    /// The length of the path to the part that does not fit.
    depth: usize,
    /// The error; `None` in a try.
    error: Option<Box<FitError>>,
}

impl Misfit {
    pub(super) fn into_error(self) -> FitError {
        let unknown = || FitError { path: Path::default(), message: too_large() };
        self.error.map_or_else(unknown, |error| *error)
    }
}

/// In a try, the value has no meaning.
type FitResult<T = Value> = Result<T, Misfit>;

/// The maximum number of references that are followed to one schema.
const MAX_REFERENCES: usize = 64;

/// A schema without the references that lead to it. Keywords next to a reference are annotations;
/// its target constrains values. `None` if there are too many references.
fn follow_references(schema: Schema<'_>) -> Option<Schema<'_>> {
    let mut schema = schema.resolved();
    for _ in 0..MAX_REFERENCES {
        match schema.own_target() {
            Some(target) => schema = target.resolved(),
            None => return Some(schema),
        }
    }
    None
}

impl<'schema> Fitter<'schema> {
    pub(super) fn new(target: FitTarget<'schema>) -> Self {
        Self {
            target,
            needs_error: true,
            is_try: false,
            path: Path::default(),
            depth: 0,
            repairs: Vec::new(),
            cost: 0,
            steps_left: 0,
            only_item_depth: None,
            added_arrays: 0,
            depends_on_words: false,
            tries: TryCache::default(),
            property_names: HashMap::new(),
            inner_json: HashMap::new(),
        }
    }

    /// Converts a value. All values that one fitter converts must exist at the same time, because
    /// their addresses identify them.
    pub(super) fn fit(&mut self, source: WrittenValue<'_>) -> FitResult<FittedValue> {
        let schema = self.target.schema;
        self.steps_left = allowed_steps(source);
        (self.cost, self.depends_on_words) = (0, false);
        let fitted = self.fit_value(source, &schema);
        let repairs = std::mem::take(&mut self.repairs);
        let value = match fitted {
            // The alternatives were not all tried, so their errors do not describe the problem.
            Err(_) if self.steps_left == 0 => return self.misfit(source.value, too_large),
            fitted => fitted?,
        };
        // Constraints other than kinds: bounds, lengths, patterns.
        if let Some(violation) = schema.violations(&value).into_iter().next() {
            let path = Path::from_pointer(&violation.pointer);
            let error = FitError { path, message: violation.message };
            return Err(Misfit { depth: 0, error: Some(Box::new(error)) });
        }
        Ok(FittedValue { value, repairs, depends_on_words: self.depends_on_words })
    }

    fn allows(&self, least: Leniency) -> bool {
        self.target.leniency >= least
    }

    /// Records a repair of the current value. The cost is higher if the meaning is less certain:
    ///
    /// | cost | example |
    /// |---|---|
    /// | 1 | another spelling of a key |
    /// | 2 | another form of the same value: `"7"` for a number |
    /// | 3 | a value of another kind: `7` for a string |
    /// | 4 | a part of the value: the first item of an array |
    #[inline(never)]
    fn record_repair(&mut self, kind: RepairKind, cost: usize) {
        self.cost += cost;
        if !self.is_try {
            self.repairs.push(Repair::of_value(kind, self.path.clone()));
        }
    }

    /// The error of a value that does not fit.
    #[inline(never)]
    fn misfit<T>(&self, found: &Value, expected: impl FnOnce() -> String) -> FitResult<T> {
        self.error(|| format!("expected {}, found {}", expected(), json_excerpt(found)))
    }

    #[inline(never)]
    fn error<T>(&self, message: impl FnOnce() -> String) -> FitResult<T> {
        let is_needed = !self.is_try && self.needs_error;
        let error =
            is_needed.then(|| Box::new(FitError { path: self.path.clone(), message: message() }));
        Err(Misfit { depth: self.depth, error })
    }

    /// Takes the steps of one conversion from those that are left.
    #[inline(never)]
    fn charge(&mut self, source: WrittenValue<'_>) {
        let steps = own_steps(source);
        add_steps(steps);
        self.steps_left = self.steps_left.saturating_sub(steps);
    }

    /// Begins the conversion of a value inside of the current one.
    #[inline(never)]
    fn enter(&mut self, step: schema::Step<'_>) {
        self.depth += 1;
        if !self.is_try {
            self.path.push(match step {
                schema::Step::Name(name) => Step::Key(name.into()),
                schema::Step::Index(index) => Step::Index(index),
            });
        }
    }

    /// Ends the conversion of a value inside of the current one.
    fn leave(&mut self) {
        self.depth -= 1;
        if !self.is_try {
            self.path.pop();
        }
    }

    /// Converts a value inside of the current one.
    fn fit_inside(
        &mut self,
        step: schema::Step<'_>,
        source: WrittenValue<'_>,
        schema: &Schema<'schema>,
    ) -> FitResult {
        self.enter(step);
        let fitted = self.fit_value(source, schema);
        self.leave();
        fitted
    }

    /// Converts a value so that it follows a schema, within the limits of work and nesting.
    fn fit_value(&mut self, source: WrittenValue<'_>, schema: &Schema<'schema>) -> FitResult {
        let Some(schema) = self.follow_references(schema) else {
            return self.misfit(source.value, too_large);
        };
        match self.alternatives_of(schema) {
            Some(parts) => self.fit_union(source, &schema, &parts),
            None => self.fit_by_kind(source, &schema),
        }
    }

    #[inline(never)]
    fn follow_references(&self, schema: &Schema<'schema>) -> Option<Schema<'schema>> {
        follow_references(*schema)
    }

    /// Whether the result would be nested too deeply. In a try only the nesting of the value counts,
    /// because the result of the try is also used in places with fewer added arrays.
    fn is_too_deep(&self) -> bool {
        let not_counted = if self.is_try { self.added_arrays } else { 0 };
        self.depth - not_counted > MAX_DEPTH
    }

    /// Converts a value by a schema that is neither a union nor a reference.
    fn fit_by_kind(&mut self, source: WrittenValue<'_>, schema: &Schema<'schema>) -> FitResult {
        match self.choose_conversion(source, schema) {
            Conversion::Done(fitted) => fitted,
            Conversion::Object => self.fit_object(source, schema),
            Conversion::List if lenient_list::is_lenient(schema) => {
                self.fit_lenient_list(source, schema)
            }
            Conversion::List => self.fit_list(source, schema),
            Conversion::OnlyItem => self.fit_only_item(source, schema),
            Conversion::InnerJson(found) => self.fit_by_kind(found.written(), schema),
            Conversion::OnlyScalar { key, scalar } => self.fit_only_scalar(key, scalar, schema),
        }
    }

    /// Converts a scalar, or returns how the value is converted. Functions for values in which
    /// others are nested call each other again, so they do nothing else.
    #[inline(never)]
    fn choose_conversion<'value>(
        &mut self,
        source: WrittenValue<'value>,
        schema: &Schema<'schema>,
    ) -> Conversion<'value> {
        self.charge(source);
        if self.steps_left == 0 || self.is_too_deep() {
            return Conversion::Done(self.misfit(source.value, too_large));
        }
        let keywords = match schema.form() {
            SchemaForm::Keywords(keywords) => keywords,
            SchemaForm::Nothing => {
                return Conversion::Done(self.misfit(source.value, || "nothing".to_owned()));
            }
            _ => return Conversion::Done(self.keep(source)),
        };
        match choices(keywords) {
            Some(choices) => Conversion::Done(self.fit_choice(source, choices, keywords)),
            None => self.convert_to_kind(source, keywords),
        }
    }

    /// Converts a value into one of the kinds of a schema.
    fn convert_to_kind<'value>(
        &mut self,
        source: WrittenValue<'value>,
        keywords: Keywords<'schema>,
    ) -> Conversion<'value> {
        let kinds = kinds(keywords);
        match source.value {
            Value::Object(_) if kinds.intersects(Kinds::OBJECT) => Conversion::Object,
            Value::Array(_) if kinds.intersects(Kinds::ARRAY) => match keywords.items() {
                Some(_) => Conversion::List,
                None => Conversion::Done(self.keep(source)),
            },
            Value::Float(number) if !number.is_finite() && kinds != Kinds::ANY => {
                self.convert_not_finite(source, *number, keywords)
            }
            // Not its float, but all digits that the model wrote decide whether it is an integer.
            Value::Float(_) if !kinds.contains(Kinds::NUMBER) => {
                self.convert_other_kind(source, keywords)
            }
            value if kinds.contains(Kinds::from_value(value)) => {
                if is_rounded_by_float(value, keywords) {
                    self.record_repair(RepairKind::RoundedNumber, 1);
                }
                Conversion::Done(self.keep(source))
            }
            _ => self.convert_other_kind(source, keywords),
        }
    }

    /// Converts a value of a kind that the schema does not have.
    fn convert_other_kind<'value>(
        &mut self,
        source: WrittenValue<'value>,
        keywords: Keywords<'schema>,
    ) -> Conversion<'value> {
        let kinds = kinds(keywords);
        if let Some(scalar) = self.fit_scalar(source, kinds) {
            return Conversion::Done(Ok(scalar));
        }
        self.convert_generously(source, keywords)
            .unwrap_or_else(|| Conversion::Done(self.misfit(source.value, || expected(kinds))))
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
        match source.value {
            Value::Array(_) => self.record_rounding_of_items(source),
            Value::Object(_) => self.record_rounding_of_entries(source),
            _ => {}
        }
    }

    fn record_rounding_of_items(&mut self, source: WrittenValue<'_>) {
        for (index, item) in source.items().enumerate() {
            if item.may_have_other_words() {
                self.enter(schema::Step::Index(index));
                self.record_rounding(item);
                self.leave();
            }
        }
    }

    fn record_rounding_of_entries(&mut self, source: WrittenValue<'_>) {
        for (key, entry) in source.entries() {
            if entry.may_have_other_words() {
                self.enter(schema::Step::Name(key));
                self.record_rounding(entry);
                self.leave();
            }
        }
    }

    /// Converts infinity or NaN. JSON has no such number, and no bound holds for it.
    fn convert_not_finite<'value>(
        &mut self,
        source: WrittenValue<'value>,
        number: f64,
        keywords: Keywords<'schema>,
    ) -> Conversion<'value> {
        let kinds = kinds(keywords);
        if self.allows(Leniency::Generous) {
            if kinds.contains(Kinds::NUMBER) {
                // Bounds are checked at the end.
                return Conversion::Done(Ok(source.value.clone()));
            }
            if let Some(text) = self.fit_as_string(source, kinds) {
                return Conversion::Done(Ok(text));
            }
            if let Some(conversion) = self.convert_generously(source, keywords) {
                return conversion;
            }
        }
        Conversion::Done(self.error(|| format!("expected {}, found `{number}`", expected(kinds))))
    }

    /// Converts a value of another kind as [`Leniency::Generous`] allows: JSON inside of a string,
    /// one value for an array, or the only scalar in an array or object.
    fn convert_generously<'value>(
        &mut self,
        source: WrittenValue<'value>,
        keywords: Keywords<'schema>,
    ) -> Option<Conversion<'value>> {
        if !self.allows(Leniency::Generous) {
            return None;
        }
        let kinds = kinds(keywords);
        if has_containers(kinds)
            && let Some(found) = self.json_inside(source.value)
        {
            self.record_repair(RepairKind::JsonInText, 2);
            return Some(Conversion::InnerJson(found));
        }
        // A second array is not added: a schema of arrays of itself would add them without end.
        if kinds.intersects(Kinds::ARRAY) && !source.value.is_null() && !self.is_only_item() {
            self.record_repair(RepairKind::OneForList, 3);
            return Some(Conversion::OnlyItem);
        }
        self.convert_only_scalar(source)
    }

    /// The object or array in a string, if the string contains nothing else.
    fn json_inside(&mut self, value: &Value) -> Option<Rc<FoundValue>> {
        let text = value.as_str().filter(|it| super::reader::begins_like_json(it))?;
        let inner = self.inner_json.entry(std::ptr::from_ref(value).addr());
        // It is kept, so that the addresses of its values remain unique.
        inner.or_insert_with(|| super::reader::json_in_string(text).map(Rc::new)).clone()
    }

    /// Uses the first item of an array or the only value of an object, if it is a scalar.
    fn convert_only_scalar<'value>(
        &mut self,
        source: WrittenValue<'value>,
    ) -> Option<Conversion<'value>> {
        let (repair, key, scalar) = match source.value {
            Value::Array(_) => (RepairKind::ListForOne, None, source.item(0)?),
            Value::Object(map) if map.len() == 1 => {
                let (key, value) = source.entry_at(0)?;
                (RepairKind::ObjectForOne, Some(key), value)
            }
            _ => return None,
        };
        if !is_scalar(scalar.value) {
            return None;
        }
        self.record_repair(repair, 4);
        Some(Conversion::OnlyScalar { key, scalar })
    }

    /// Converts the only scalar of an object or array instead of the object or array.
    #[inline(never)]
    fn fit_only_scalar(
        &mut self,
        key: Option<&str>,
        scalar: WrittenValue<'_>,
        schema: &Schema<'schema>,
    ) -> FitResult {
        let Some(key) = key else { return self.fit_by_kind(scalar, schema) };
        self.enter(schema::Step::Name(key));
        let fitted = self.fit_by_kind(scalar, schema);
        self.leave();
        fitted
    }

    /// Converts one value into an array of it.
    fn fit_only_item(&mut self, source: WrittenValue<'_>, schema: &Schema<'schema>) -> FitResult {
        let outer_depth = self.only_item_depth.replace(self.depth + 1);
        self.added_arrays += 1;
        let fitted = self.fit_item(0, source, schema);
        self.added_arrays -= 1;
        self.only_item_depth = outer_depth;
        fitted.map(|item| Value::from(vec![item]))
    }

    /// Whether the current value is already treated as the only item of an array.
    fn is_only_item(&self) -> bool {
        self.only_item_depth == Some(self.depth)
    }

    fn fit_list(&mut self, source: WrittenValue<'_>, schema: &Schema<'schema>) -> FitResult {
        let mut fitted = self.list_for(source);
        let mut index = 0;
        while let Some(item) = source.item(index) {
            let item = self.fit_item(index, item, schema)?;
            if !self.is_try {
                fitted.push(item);
            }
            index += 1;
        }
        Ok(Value::from(fitted))
    }

    /// An empty list with space for the items of an array, unless they are only tried.
    #[inline(never)]
    fn list_for(&self, source: WrittenValue<'_>) -> Vec<Value> {
        let items = source.value.as_array().filter(|_| !self.is_try);
        Vec::with_capacity(items.map_or(0, <[Value]>::len))
    }

    fn fit_item(
        &mut self,
        index: usize,
        item: WrittenValue<'_>,
        list: &Schema<'schema>,
    ) -> FitResult {
        let step = schema::Step::Index(index);
        match list.child(step) {
            Some(part) => self.fit_inside(step, item, &part),
            None => self.keep_inside(step, item),
        }
    }

    #[inline(never)]
    fn keep_inside(&mut self, step: schema::Step<'_>, source: WrittenValue<'_>) -> FitResult {
        self.enter(step);
        let kept = self.keep(source);
        self.leave();
        kept
    }
}

/// How a value is converted.
enum Conversion<'value> {
    /// It is already converted, or does not fit.
    Done(FitResult),
    Object,
    List,
    /// It becomes the only item of an array.
    OnlyItem,
    /// The JSON in a string is converted.
    InnerJson(Rc<FoundValue>),
    /// The scalar is converted in place of the object or array.
    OnlyScalar {
        key: Option<&'value str>,
        scalar: WrittenValue<'value>,
    },
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
