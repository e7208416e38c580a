//! Whether a value follows a schema, and where it does not: the keywords of draft 2020-12, and what older
//! drafts wrote otherwise. What is not checked is listed by [`Schema::doubts`].

mod combinations;
mod evaluated;
mod formats;
mod lists;
mod maps;
mod scalars;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::keywords::{Counted, Keywords};
use super::kinds::Kinds;
use super::part::{Form, Schema};
use super::pointer::Pointer;
use crate::regular_expression::{Dialect, Program, parse};
use crate::value::Value;
use crate::work::add_steps;

pub(super) use formats::is_format;

/// The most that is told of one value.
const MOST_VIOLATIONS: usize = 32;

/// Steps that every check may take, however small the value is.
const STEPS: usize = 20_000;

/// Steps that a check may take for each value and each piece of a text beside the size of the schema, since
/// what references lead to is followed once for each of them.
const STEPS_PER_VALUE: usize = 16;

/// How much of a schema counts for that.
const LARGEST_SCHEMA: usize = 256;

/// Bytes that cost one step when they are read.
const BYTES_PER_STEP: usize = 64;

/// Schemas that are followed inside of each other, each with some room on the stack.
const DEEPEST: usize = 256;

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
    /// followed, since it refers to itself for ever, is told as a violation, too. The work grows with the size
    /// of the value, however the schema is.
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
            let parts = keywords.map().iter().map(|(_, part)| size(part, LARGEST_SCHEMA));
            parts.sum::<usize>().min(LARGEST_SCHEMA)
        });
        let of_value = size(value, usize::MAX);
        let steps = of_value.saturating_mul(STEPS_PER_VALUE + of_schema).saturating_add(STEPS);
        let mut check = Check::new(steps);
        let held = check.hold(self, value, &Pointer::root());
        let found = check.found.into_iter();
        let mut violations: Vec<Violation> = found
            .map(|Found { at, message }| Violation { pointer: at.to_string(), message })
            .collect();
        if held.is_err() {
            let message = "could not be checked: the schema says too much of it".to_owned();
            violations.push(Violation { pointer: "#".to_owned(), message });
        }
        violations
    }
}

/// How many values there are in a value, with as many more as its texts are long.
fn size(value: &Value, enough: usize) -> usize {
    let mut size = 0_usize;
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        size += 1;
        if size >= enough {
            return enough;
        }
        match value {
            Value::String(text) => size += text.len() / BYTES_PER_STEP,
            Value::Array(items) => waiting.extend(items.iter()),
            Value::Object(map) => {
                for (name, value) in map.iter() {
                    size += 1 + name.len() / BYTES_PER_STEP;
                    waiting.push(value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Integer(_) | Value::Float(_) => {}
        }
    }
    size
}

/// That a check takes too long.
#[derive(Debug)]
struct TooMuch;

type Held<T = ()> = Result<T, TooMuch>;

/// Something that was found; its place is written where it is told.
struct Found<'a> {
    at: Pointer<'a>,
    message: String,
}

/// The items and names that schemas have looked at.
#[derive(Default)]
struct Evaluated<'a> {
    items: HashSet<usize>,
    names: HashSet<&'a str>,
}

/// One check on its way.
struct Check<'a> {
    found: Vec<Found<'a>>,
    /// Steps that may still be taken.
    left: usize,
    depth: usize,
    /// What schemas have looked at in the list or map that is held to them, where somebody asks for it.
    evaluated: Option<Evaluated<'a>>,
    /// The patterns that were read, by their texts; nothing for those that cannot be.
    programs: HashMap<String, Option<Rc<Program>>>,
}

impl<'a> Check<'a> {
    fn new(left: usize) -> Self {
        Self { found: Vec::new(), left, depth: 0, evaluated: None, programs: HashMap::new() }
    }

    /// Holds a schema against a value, and notes what does not follow it.
    fn hold(&mut self, schema: Schema<'a>, value: &'a Value, at: &Pointer<'a>) -> Held {
        self.pay(1)?;
        if self.depth >= DEEPEST {
            return Err(TooMuch);
        }
        if self.is_full() {
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
                let held = self.collecting(schema, keywords, value, at);
                self.depth -= 1;
                held
            }
        }
    }

    /// The same for a value inside of the one that is held: what is looked at there is another thing.
    fn hold_inside(&mut self, schema: Schema<'a>, value: &'a Value, at: &Pointer<'a>) -> Held {
        let outer = self.evaluated.take();
        let held = self.hold(schema, value, at);
        self.evaluated = outer;
        held
    }

    fn keywords(
        &mut self,
        schema: Schema<'a>,
        keywords: Keywords<'a>,
        value: &'a Value,
        at: &Pointer<'a>,
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
            Value::Integer(_) | Value::Float(_) => self.number(keywords, value, at)?,
            Value::String(text) => self.text(keywords, text, at)?,
            Value::Array(items) => self.items(schema, keywords, items, at)?,
            Value::Object(map) => self.properties(schema, keywords, (value, map), at)?,
            Value::Null | Value::Bool(_) => {}
        }
        self.combinations(schema, keywords, value, at)
    }

    fn count(&mut self, keywords: Keywords<'_>, counted: Counted, count: usize, at: &Pointer<'a>) {
        let Ok(bounds) = keywords.count(counted) else { return };
        let what = match counted {
            Counted::Characters => "characters",
            Counted::Items => "items",
            Counted::Properties => "properties",
        };
        if let Some(wanted) = bounds.missed_by(count) {
            self.note(at, format!("must have {wanted} {what}, found {count}"));
        }
    }

    /// The program of a pattern; nothing for one that cannot be read.
    fn program(&mut self, pattern: &str) -> Held<Option<Rc<Program>>> {
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

    /// Whether a pattern is found in a text; nothing for one that cannot be read.
    fn matches(&mut self, pattern: &str, text: &str) -> Held<Option<bool>> {
        let Some(program) = self.program(pattern)? else { return Ok(None) };
        let mut taken = 0;
        let pay = &mut |steps: usize| {
            taken += steps;
            let whole = taken / BYTES_PER_STEP;
            taken %= BYTES_PER_STEP;
            self.pay(whole)
        };
        program.is_found_in(text, pay).map(Some)
    }

    fn pay(&mut self, steps: usize) -> Held {
        add_steps(steps);
        self.left = self.left.checked_sub(steps).ok_or(TooMuch)?;
        Ok(())
    }

    /// Whether enough was found.
    fn is_full(&self) -> bool {
        self.found.len() >= MOST_VIOLATIONS
    }

    fn note(&mut self, at: &Pointer<'a>, message: String) {
        if !self.is_full() {
            self.found.push(Found { at: at.clone(), message });
        }
    }
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
