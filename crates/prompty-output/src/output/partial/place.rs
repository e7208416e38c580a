//! Where in the type a change belongs, and what is done there.
//!
//! What a model writes may spell a key otherwise than the type, and the whole value is then read with the
//! same leniency. As the key of the type itself may still follow, what stands under another spelling only
//! grows, and is done with the object around it.

use prompty_core::schema::{Combination, Kinds, Schema};
use prompty_core::value::{Map, Value};
use prompty_core::work::add_steps;

use super::growth::Change;
use crate::output::event::OutputEvent;
use crate::output::fit::{Leniency, fit, spells};
use crate::output::path::{Path, Step};
use crate::output::typed::{Shared, VALUE};

/// Brings the events of a stream to their places in the type.
#[derive(Debug, Default)]
pub(super) struct Placer {
    /// The values around the last change, from the outermost, as the model writes them.
    levels: Vec<Level>,
    /// The same as the type names them.
    steps: Vec<Step>,
    /// What is known of the entries of the whole value.
    root: Vec<Entry>,
}

/// A value on the way to the last change.
#[derive(Debug)]
struct Level {
    written: Step,
    place: Place,
    /// What is known of its entries, if it is an object.
    entries: Vec<Entry>,
}

/// How a value belongs to the type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Under its own name.
    Certain,
    /// Under another spelling of its name.
    Alike,
    /// The type has no such place.
    Nowhere,
}

/// A property of which something came under another spelling than its own, or more than one.
#[derive(Debug)]
struct Entry {
    name: String,
    place: Place,
}

impl Placer {
    /// Gives what an event changes to `apply`, with the steps to it in the type.
    pub(super) fn place(
        &mut self,
        event: &OutputEvent,
        shared: &Shared,
        leniency: Leniency,
        apply: &mut dyn FnMut(&[Step], &Change<'_>),
    ) {
        let path = match event {
            OutputEvent::Text { path, .. } | OutputEvent::Done { path, .. } => path,
            OutputEvent::Scalar { .. } => return,
            OutputEvent::Restarted => {
                *self = Self::default();
                return apply(&[], &Change::Void);
            }
        };
        let schema = Schema::from_value(shared.asked());
        // Where the type is asked for with an object around it, the first step leads to it.
        let around = usize::from(shared.is_wrapped());
        self.enter(path, schema, leniency, around, apply);
        if self.levels.iter().any(|it| it.place == Place::Nowhere) {
            return;
        }
        let steps = match self.steps.split_first() {
            Some((first, rest)) if around > 0 => {
                if *first != Step::Key(VALUE.to_owned()) {
                    return;
                }
                rest
            }
            _ => &self.steps,
        };
        match event {
            OutputEvent::Done { value, .. } if self.steps.is_empty() => {
                let fitted = shared.fit(value, leniency).ok().map(|it| it.value);
                apply(&[], &Change::Done(fitted.as_ref()));
            }
            OutputEvent::Done { value, .. }
                if self.levels.iter().all(|it| it.place == Place::Certain) =>
            {
                let fitted = self.fitted(value, schema, leniency);
                apply(steps, &Change::Done(fitted.as_ref()));
            }
            OutputEvent::Text { delta, .. } if self.steps.len() >= around => {
                apply(steps, &Change::Text(delta));
            }
            _ => {}
        }
    }

    /// Goes to the value at a path.
    fn enter(
        &mut self,
        path: &Path,
        schema: Schema<'_>,
        leniency: Leniency,
        around: usize,
        apply: &mut dyn FnMut(&[Step], &Change<'_>),
    ) {
        let path = path.steps();
        add_steps(path.len());
        let same = self.levels.iter().zip(path).take_while(|(level, step)| level.written == **step);
        let same = same.count();
        self.levels.truncate(same);
        self.steps.truncate(same);
        for step in path.iter().skip(same) {
            let (step_in_type, place) = self.place_of(step, schema, leniency);
            let is_void = match &step_in_type {
                Step::Key(name) => self.note(name, place),
                Step::Index(_) => Noted::New,
            };
            self.steps.push(step_in_type);
            let place = if is_void == Noted::Ambiguous { Place::Nowhere } else { place };
            let is_told = self.levels.iter().all(|it| it.place != Place::Nowhere);
            if is_void != Noted::New
                && is_told
                && let Some(steps) = self.steps.get(around..)
            {
                apply(steps, &Change::Void);
            }
            self.levels.push(Level { written: step.clone(), place, entries: Vec::new() });
        }
    }

    /// Notes that something comes under a name, and says what of it came before.
    fn note(&mut self, name: &str, place: Place) -> Noted {
        let entries = self.levels.last_mut().map_or(&mut self.root, |it| &mut it.entries);
        let Some(known) = entries.iter_mut().find(|it| it.name == name) else {
            if place == Place::Alike {
                entries.push(Entry { name: name.to_owned(), place });
            }
            return Noted::New;
        };
        match (known.place, place) {
            (Place::Alike, Place::Certain) => {
                known.place = Place::Certain;
                Noted::Replaced
            }
            (Place::Alike, Place::Alike) => Noted::Ambiguous,
            _ => Noted::New,
        }
    }

    /// The step in the type that a written step is.
    fn place_of(&self, step: &Step, schema: Schema<'_>, leniency: Leniency) -> (Step, Place) {
        let (Step::Key(key), Some(object)) = (step, self.here(schema).and_then(holder)) else {
            return (step.clone(), Place::Certain);
        };
        match property(object, key, leniency) {
            Some((name, place)) => (Step::Key(name.to_owned()), place),
            None => (step.clone(), Place::Nowhere),
        }
    }

    /// The schema of the value at hand; `None` where nothing is known of it.
    fn here<'schema>(&self, schema: Schema<'schema>) -> Option<Schema<'schema>> {
        self.steps.iter().try_fold(schema, inside)
    }

    /// A value as its type has it.
    fn fitted(&self, value: &Value, schema: Schema<'_>, leniency: Leniency) -> Option<Value> {
        match self.here(schema) {
            Some(schema) => fit(value, schema, leniency).ok().map(|it| it.value),
            None => Some(value.clone()),
        }
    }
}

/// What came under a name before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Noted {
    /// Nothing that matters.
    New,
    /// Another spelling, which does not count any more.
    Replaced,
    /// Another spelling, and now one more: neither counts.
    Ambiguous,
}

/// How many references and alternatives are followed to one schema.
const MOST_WAYS: usize = 16;

/// The schema that says what an object or a list holds. `None` if there are several.
fn holder(schema: Schema<'_>) -> Option<Schema<'_>> {
    let mut schema = schema;
    for _ in 0..MOST_WAYS {
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
        let others = Kinds::OBJECT.union(Kinds::ARRAY);
        let mut holders =
            parts.iter().map(|it| schema.part(it)).filter(|it| it.kinds().intersects(others));
        let (only, None) = (holders.next()?, holders.next()) else { return None };
        schema = only;
    }
    None
}

/// The property that a key is, with its name.
fn property<'a>(object: Schema<'a>, key: &'a str, leniency: Leniency) -> Option<(&'a str, Place)> {
    let keywords = object.keywords()?;
    let none = Map::new();
    let properties = keywords.properties();
    if properties.unwrap_or(&none).contains_key(key) {
        return Some((key, Place::Certain));
    }
    let alike = properties.into_iter().flat_map(Map::iter);
    let mut alike = alike.filter(|(name, part)| spells(key, name, object.part(part), leniency));
    if let Some((name, _)) = alike.next() {
        return alike.next().is_none().then_some((name, Place::Alike));
    }
    let takes_others = match keywords.free_entries() {
        None => properties.is_none(),
        Some(others) => *others != Value::Bool(false),
    };
    takes_others.then_some((key, Place::Certain))
}

/// The schema of a value inside of another.
fn inside<'a>(schema: Schema<'a>, step: &Step) -> Option<Schema<'a>> {
    let schema = holder(schema)?;
    let keywords = schema.keywords()?;
    let part = match step {
        Step::Key(key) => {
            keywords.properties().and_then(|it| it.get(key)).or_else(|| keywords.free_entries())
        }
        Step::Index(index) => {
            let items = keywords.items()?;
            items.first.1.get(*index).or(items.rest.map(|(_, rest)| rest))
        }
    };
    Some(schema.part(part?))
}
