//! Maps the changes of a stream to places in the type.
//!
//! A model may spell a key differently from the type, and the leniency may accept that in the
//! complete value. But the exact key may still follow. So the value under another spelling only
//! grows, and is done when the object around it is done.
//!
//! For a type with the field `first_name`, in `{"First Name": "Al", "first_name": "Ada"}`:
//!
//! | event | change of `first_name` |
//! |---|---|
//! | the text `Al` at `First Name` | grows (`Change::Text`) |
//! | `First Name` is done | none |
//! | the text `Ada` at `first_name` | void (`Change::Void`), then it grows |
//! | `first_name` is done | done (`Change::Done`) |

use prompty_core::schema::{self, Combination, Kinds, Schema};
use prompty_core::value::{Map, Value};
use prompty_core::work::add_steps;

use super::growth::Change;
use crate::output::event::OutputEvent;
use crate::output::fit::{FitTarget, FittedValue, Leniency, fit, is_spelling_of};
use crate::output::path::{Path, Step};
use crate::output::typed::{SharedSchema, VALUE};

/// Maps the events of a stream to places in the type.
#[derive(Debug, Default)]
pub(super) struct EventPlacer {
    /// The values around the last change, the outermost first, with the keys that the model wrote.
    levels: Vec<OpenLevel>,
    /// The same path with the keys of the type.
    steps: Vec<Step>,
    /// The properties of the outermost value that have another spelling.
    root: Vec<PropertyState>,
}

/// A value that contains the last change.
#[derive(Debug)]
struct OpenLevel {
    written: Step,
    key_match: KeyMatch,
    /// Its properties that have another spelling, if it is an object.
    entries: Vec<PropertyState>,
}

/// How a written key matches the type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyMatch {
    /// It is a name in the type.
    Exact,
    /// It is another spelling of a name in the type.
    OtherSpelling,
    /// The type does not have it, or another key means the same property.
    Nowhere,
}

/// A property of which a value came under another spelling than its own name.
#[derive(Debug)]
struct PropertyState {
    name: String,
    key_match: KeyMatch,
}

impl EventPlacer {
    /// Calls `apply` with the change of an event, and with its steps in the type.
    pub(super) fn apply_event(
        &mut self,
        event: &OutputEvent,
        shared: &SharedSchema,
        leniency: Leniency,
        apply: &mut dyn FnMut(&[Step], &Change<'_>),
    ) {
        let path = match event {
            OutputEvent::Text { path, .. } | OutputEvent::Done { path, .. } => path,
            // A number may still get more digits. After a restart, a new placer is used.
            OutputEvent::Scalar { .. } | OutputEvent::Restarted => return,
        };
        let target = FitTarget::new(shared.requested_schema(), leniency);
        // A number or a list is requested in an object, `{"reply": "...", "value": 3}`. Then the
        // first step leads to the value in it.
        let outer_steps = usize::from(shared.has_reply_object());
        self.move_to(path, target, outer_steps, apply);
        if self.levels.iter().any(|it| it.key_match == KeyMatch::Nowhere) {
            return;
        }
        let steps = match self.steps.split_first() {
            Some((first, rest)) if outer_steps > 0 => {
                // The text under `reply` is not part of the value.
                if *first != Step::Key(VALUE.into()) {
                    return;
                }
                rest
            }
            _ => &self.steps,
        };
        match event {
            OutputEvent::Done { value, .. } if self.steps.is_empty() => {
                let fitted = shared.fit(value, leniency).ok().and_then(settled_value);
                let schema = Schema::from_value(&shared.schema);
                let fitted = fitted.filter(|it| shared.can_deserialize(it, schema));
                apply(&[], &Change::Done(fitted.as_ref()));
            }
            OutputEvent::Done { value, .. }
                if self.levels.iter().all(|it| it.key_match == KeyMatch::Exact) =>
            {
                let fitted = self.fit_at_place(value, target, shared);
                apply(steps, &Change::Done(fitted.as_ref()));
            }
            OutputEvent::Text { delta, .. } if self.steps.len() >= outer_steps => {
                apply(steps, &Change::Text(delta));
            }
            // A value under another spelling is done with the object around it. Text at the root,
            // in place of the requested object, has no steps in the type.
            _ => {}
        }
    }

    /// Moves to the value at a path. A conflict on the way makes the earlier value void.
    fn move_to(
        &mut self,
        path: &Path,
        target: FitTarget<'_>,
        outer_steps: usize,
        apply: &mut dyn FnMut(&[Step], &Change<'_>),
    ) {
        let path = path.steps();
        add_steps(path.len());
        // Leaves the values that are not on the path, and then enters those that are.
        let levels = self.levels.iter().zip(path);
        let common = levels.take_while(|(level, step)| level.written == **step).count();
        self.levels.truncate(common);
        self.steps.truncate(common);
        for step in path.iter().skip(common) {
            let (step_in_type, key_match) = self.step_in_type(step, target);
            let conflict = match &step_in_type {
                Step::Key(name) => self.record_property(name, key_match),
                Step::Index(_) => KeyConflict::None,
            };
            self.steps.push(step_in_type);
            // With two other spellings of one property, neither has a place in the type.
            let key_match =
                if conflict == KeyConflict::Ambiguous { KeyMatch::Nowhere } else { key_match };
            // Events inside of a value without a place in the type are not passed on, so nothing is
            // void there.
            let is_reported = self.levels.iter().all(|it| it.key_match != KeyMatch::Nowhere);
            if conflict != KeyConflict::None
                && is_reported
                && let Some(steps) = self.steps.get(outer_steps..)
            {
                apply(steps, &Change::Void);
            }
            self.levels.push(OpenLevel { written: step.clone(), key_match, entries: Vec::new() });
        }
    }

    /// Records that a value begins under a name, and returns the conflict with earlier values.
    fn record_property(&mut self, name: &str, key_match: KeyMatch) -> KeyConflict {
        let entries = self.levels.last_mut().map_or(&mut self.root, |it| &mut it.entries);
        let Some(known) = entries.iter_mut().find(|it| it.name == name) else {
            if key_match == KeyMatch::OtherSpelling {
                entries.push(PropertyState { name: name.to_owned(), key_match });
            }
            return KeyConflict::None;
        };
        match (known.key_match, key_match) {
            (KeyMatch::OtherSpelling, KeyMatch::Exact) => {
                known.key_match = KeyMatch::Exact;
                KeyConflict::Replaced
            }
            (KeyMatch::OtherSpelling, KeyMatch::OtherSpelling) => KeyConflict::Ambiguous,
            _ => KeyConflict::None,
        }
    }

    /// Maps a written step to its step in the type.
    fn step_in_type(&self, step: &Step, target: FitTarget<'_>) -> (Step, KeyMatch) {
        let (Step::Key(key), Some(object)) =
            (step, self.current_schema(target.schema).and_then(container_schema))
        else {
            return (step.clone(), KeyMatch::Exact);
        };
        match find_property(object, key, target.leniency) {
            Some((name, key_match)) => (Step::Key(name.into()), key_match),
            None => (step.clone(), KeyMatch::Nowhere),
        }
    }

    /// The schema of the current value; `None` if it has none.
    fn current_schema<'schema>(&self, schema: Schema<'schema>) -> Option<Schema<'schema>> {
        self.steps.iter().try_fold(schema, inner_schema)
    }

    /// Converts the current value into its type.
    fn fit_at_place(
        &self,
        value: &Value,
        target: FitTarget<'_>,
        shared: &SharedSchema,
    ) -> Option<Value> {
        let Some(schema) = self.current_schema(target.schema) else { return Some(value.clone()) };
        let fitted = settled_value(fit(value, FitTarget { schema, ..target }).ok()?)?;
        shared.can_deserialize(&fitted, schema).then_some(fitted)
    }
}

/// The value that the complete reply has, too. `None` if events do not say enough: the events of
/// `1.10` have the number 1.1, but in a field of strings the reply is read as `1.10`. The change
/// [`Change::Done`] then comes without a value, and the complete reply has it.
fn settled_value(fitted: FittedValue) -> Option<Value> {
    (!fitted.depends_on_words).then_some(fitted.value)
}

/// The conflict of a value with an earlier value of the same property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyConflict {
    /// It has no conflict.
    None,
    /// It replaces an earlier value under another spelling.
    Replaced,
    /// There are two values under other spellings, so neither counts.
    Ambiguous,
}

/// The maximum number of references and alternatives that are followed to one schema.
const MAX_SCHEMA_STEPS: usize = 16;

/// The schema of the only object or array that a schema allows; `None` if there are several.
fn container_schema(schema: Schema<'_>) -> Option<Schema<'_>> {
    let mut schema = schema;
    for _ in 0..MAX_SCHEMA_STEPS {
        schema = schema.resolved();
        let keywords = schema.keywords()?;
        if let Some(target) = schema.own_target() {
            schema = target;
            continue;
        }
        let parts = [Combination::AnyOf, Combination::OneOf]
            .into_iter()
            .filter_map(|it| keywords.combination(it).ok())
            .find(|it| !it.is_empty());
        let Some(parts) = parts else { return Some(schema) };
        let container_kinds = Kinds::OBJECT.union(Kinds::ARRAY);
        let is_container = |it: &Schema<'_>| it.kinds().intersects(container_kinds);
        let mut containers = parts.iter().map(|it| schema.part(it)).filter(is_container);
        let (only, None) = (containers.next()?, containers.next()) else { return None };
        schema = only;
    }
    None
}

/// Finds the property of a key, with its name in the type.
fn find_property<'a>(
    object: Schema<'a>,
    key: &'a str,
    leniency: Leniency,
) -> Option<(&'a str, KeyMatch)> {
    let keywords = object.keywords()?;
    let properties = keywords.properties();
    if properties.is_some_and(|it| it.contains_key(key)) {
        return Some((key, KeyMatch::Exact));
    }
    let alike = properties.into_iter().flat_map(Map::iter);
    let mut alike =
        alike.filter(|(name, part)| is_spelling_of(key, name, object.part(part), leniency));
    if let Some((name, _)) = alike.next() {
        return alike.next().is_none().then_some((name, KeyMatch::OtherSpelling));
    }
    let accepts_others = match keywords.free_entries() {
        None => properties.is_none(),
        Some(others) => *others != Value::Bool(false),
    };
    accepts_others.then_some((key, KeyMatch::Exact))
}

/// The schema of a value inside of another.
fn inner_schema<'a>(schema: Schema<'a>, step: &Step) -> Option<Schema<'a>> {
    let schema = container_schema(schema)?;
    let keywords = schema.keywords()?;
    let part = match step {
        Step::Key(key) => {
            keywords.properties().and_then(|it| it.get(key)).or_else(|| keywords.free_entries())
        }
        Step::Index(index) => return schema.child(schema::Step::Index(*index)),
    };
    Some(schema.part(part?))
}
