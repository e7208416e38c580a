//! A value while its reply comes: what is new at each piece.

use std::fmt;

use prompty_core::schema::shape::around::{self, Beginning};
use prompty_core::schema::{Kinds, Schema};
use prompty_core::value::{Map, Value};

use super::error::OutputError;
use super::event::OutputEvent;
use super::fit::Leniency;
use super::growing::Growing;
use super::json::Event;
use super::parse;
use super::parse::{Read, Unread};
use super::path::{Path, Step};
use super::prose::Prose;
use super::reader::{Scan, Scanner};
use super::typed::{Output, Parsed, Shared};

/// Reads a reply that comes in pieces.
///
/// However the reply is cut into pieces, the texts that are told are the same when they are put
/// together, and [`OutputStream::finish`] gives what [`Output::parse`] gives of the whole.
///
/// ```
/// # mod typed_prompty { pub use prompty_output::output; }
/// use typed_prompty::output::{Output, OutputEvent};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Answer {
///     text: String,
///     score: u8,
/// }
///
/// let mut stream = Output::<Answer>::new().stream();
/// let mut text = String::new();
/// for piece in [r#"Here: {"te"#, r#"xt": "Hel"#, r#"lo", "score": 7}"#] {
///     for event in stream.push(piece) {
///         match event {
///             OutputEvent::Text { path, delta } if path.to_string() == "text" => text += &delta,
///             _ => {}
///         }
///     }
/// }
/// assert_eq!(text, "Hello");
/// let answer = stream.finish()?.value;
/// assert_eq!((answer.text.as_str(), answer.score), ("Hello", 7));
/// # Ok::<(), prompty_output::output::OutputError>(())
/// ```
pub struct OutputStream<T> {
    output: Output<T>,
    scanner: Scanner,
    teller: Teller,
    /// How many values began, and which of them is told.
    begun: usize,
    told: Option<usize>,
    /// What came of the value at hand before it was clear that it is told.
    untold: Vec<Event>,
    /// The reply, where it is the value itself.
    prose: Option<Prose>,
    /// The reply's beginning, as long as it may become that of an object that a provider demanded around the
    /// value.
    held: Option<String>,
    /// The beginning of that object.
    around: String,
}

impl<T> Output<T> {
    /// A reader of a reply that comes in pieces.
    #[must_use]
    pub fn stream(&self) -> OutputStream<T> {
        OutputStream::new(self.clone())
    }
}

impl<T> OutputStream<T> {
    pub(super) fn new(output: Output<T>) -> Self {
        let prose = output.shared().is_text().then(Prose::default);
        let held = output.shared().may_be_inside().then(String::new);
        Self {
            prose,
            held,
            around: String::new(),
            output,
            scanner: Scanner::default(),
            teller: Teller::default(),
            begun: 0,
            told: None,
            untold: Vec::new(),
        }
    }

    /// Reads a piece of the reply, and tells what is new.
    pub fn push(&mut self, piece: &str) -> Vec<OutputEvent> {
        if let Some(prose) = &mut self.prose {
            return prose.push(piece);
        }
        if self.held.is_none() {
            return self.scan(|scanner, tell| scanner.push(piece, tell));
        }
        match self.begin(piece) {
            Some(text) => self.scan(|scanner, tell| scanner.push(&text, tell)),
            None => Vec::new(),
        }
    }

    /// What is to be read once it is clear how the reply begins.
    fn begin(&mut self, piece: &str) -> Option<String> {
        let mut held = self.held.take()?;
        held.push_str(piece);
        if around::beginning(&held) == Beginning::Open {
            self.held = Some(held);
            return None;
        }
        match self.output.shared().inside(&held) {
            Some(inside) => {
                let inside = inside.to_owned();
                held.truncate(held.len() - inside.len());
                self.around = held;
                Some(inside)
            }
            None => Some(held),
        }
    }

    /// Reads the reply to its end, and gives the value.
    ///
    /// # Errors
    ///
    /// As [`Output::parse`].
    pub fn finish(self) -> Result<Parsed<T>, OutputError> {
        self.output.typed(self.read())
    }

    /// Reads the reply to its end, and tells what is new: of a reply that ends early, nothing is.
    pub fn end(&mut self) -> Vec<OutputEvent> {
        if let Some(prose) = &mut self.prose {
            return prose.end();
        }
        let mut events = match self.held.take() {
            Some(held) => self.scan(|scanner, tell| scanner.push(&held, tell)),
            None => Vec::new(),
        };
        events.extend(self.scan(Scanner::finish));
        let schema = Schema::from_value(self.output.schema());
        let leniency = self.output.leniency();
        let Some(chosen) = parse::chosen(&self.scanner.found, schema, leniency) else {
            return events;
        };
        if self.told == Some(chosen) && !self.teller.is_void {
            return events;
        }
        let Some(found) = self.scanner.found.get(chosen) else { return events };
        if self.told.replace(chosen).is_some() {
            events.push(OutputEvent::Restarted);
        }
        self.teller = Teller::default();
        self.teller.tell_value(&found.value, found.open.as_deref(), &mut events);
        events
    }

    /// The value of all that came, as the end of the reply makes it.
    pub(super) fn read(&self) -> Result<Read, Unread> {
        let (shared, leniency) = self.reader();
        match self.around.is_empty() {
            true => shared.read(self.reply(), leniency),
            false => shared.read_inside(self.reply(), leniency),
        }
    }

    /// What the reply is read with.
    pub(super) fn reader(&self) -> (&Shared, Leniency) {
        (self.output.shared(), self.output.leniency())
    }

    /// A stream of which nothing was read, and what this one has read.
    pub(super) fn anew(self) -> (Self, String) {
        let reply = format!("{}{}", self.around, self.reply());
        (Self::new(self.output), reply)
    }

    /// The reply, without the beginning of an object around its value.
    fn reply(&self) -> &str {
        match (&self.prose, &self.held) {
            (Some(prose), _) => prose.reply(),
            (None, Some(held)) => held,
            (None, None) => self.scanner.text(),
        }
    }

    /// The value so far, as the model wrote it: what it would be if the reply ended here. Making it takes
    /// time in proportion to its size.
    pub fn value_so_far(&self) -> Option<Value> {
        if let Some(prose) = &self.prose {
            return prose.so_far();
        }
        let told = self.told.and_then(|told| self.scanner.found.get(told));
        told.map(|found| found.value.clone()).or_else(|| self.scanner.so_far())
    }

    fn scan(
        &mut self,
        scan: impl FnOnce(&mut Scanner, &mut dyn FnMut(Scan<'_>)),
    ) -> Vec<OutputEvent> {
        let mut events = Vec::new();
        let Self { output, scanner, teller, begun, told, untold, .. } = self;
        let schema = Schema::from_value(output.schema());
        scan(scanner, &mut |scan| match scan {
            Scan::Begin => {
                *begun += 1;
                untold.clear();
            }
            Scan::Refused => {
                *begun -= 1;
                if *told == Some(*begun) {
                    *told = None;
                    *teller = Teller::default();
                    events.push(OutputEvent::Restarted);
                }
            }
            Scan::Reasoning => {
                if told.take().is_some() {
                    events.push(OutputEvent::Restarted);
                    *teller = Teller::default();
                }
            }
            Scan::Event(event) if told.is_some_and(|told| told + 1 == *begun) => {
                teller.tell(event.clone(), &mut events);
            }
            Scan::Event(event) if told.is_none() => {
                untold.push(event.clone());
                if is_meant(untold, schema) {
                    *told = Some(*begun - 1);
                    for event in untold.drain(..) {
                        teller.tell(event, &mut events);
                    }
                }
            }
            Scan::NumberSoFar { key, value } if told.is_some_and(|told| told + 1 == *begun) => {
                teller.number_so_far(key, value, &mut events);
            }
            Scan::Event(_) | Scan::NumberSoFar { .. } | Scan::End => {}
        });
        events
    }
}

impl<T> fmt::Debug for OutputStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutputStream").field("output", &self.output).finish_non_exhaustive()
    }
}

/// Whether a value is one of the schema, as far as its beginning tells: its kind is right, and the first
/// key of an object is one of the schema's.
fn is_meant(events: &[Event], schema: Schema<'_>) -> bool {
    let kinds = schema.kinds_at(&[]);
    match events {
        [Event::List, ..] => kinds.intersects(Kinds::ARRAY),
        [Event::Object] => false,
        [Event::Object, Event::Key(key), ..] => {
            kinds.intersects(Kinds::OBJECT) && parse::has_key(schema, key)
        }
        [Event::Object, ..] => kinds.intersects(Kinds::OBJECT),
        _ => false,
    }
}

/// Makes events with paths.
#[derive(Debug, Default)]
struct Teller {
    growing: Growing,
    path: Path,
    /// For each object or list that is open, how many items came: nothing for an object.
    open: Vec<Option<usize>>,
    /// The last number that was told while it could grow.
    number: Option<Value>,
    /// The value of a key that its object had before: how many values were open around it.
    doubled: Option<usize>,
    /// Whether a key came twice, so that what was told of it does not hold.
    is_void: bool,
}

impl Teller {
    fn tell(&mut self, event: Event, events: &mut Vec<OutputEvent>) {
        if self.doubled.is_some() {
            return self.pass(event);
        }
        match &event {
            Event::Key(key) if self.growing.has_key(key) => {
                self.doubled = Some(self.open.len());
                self.is_void = true;
            }
            Event::Key(key) => self.path.push(Step::Key(key.clone())),
            Event::Object | Event::List => {
                self.begin();
                self.open.push(matches!(event, Event::List).then_some(0));
            }
            Event::Text => {
                self.begin();
                self.number = None;
            }
            Event::Piece(delta) => {
                events.push(OutputEvent::Text { path: self.path.clone(), delta: delta.clone() });
            }
            Event::Scalar(value) | Event::CutScalar(value) => {
                self.begin();
                if self.number.take().as_ref() != Some(value) && !value.is_null() {
                    let (path, value) = (self.path.clone(), value.clone());
                    events.push(OutputEvent::Scalar { path, value });
                }
            }
            Event::End => {
                self.open.pop();
            }
            Event::TextEnd => {}
        }
        let Some(value) = self.growing.apply(event) else { return };
        if self.is_void && self.open.is_empty() {
            events.push(OutputEvent::Restarted);
            *self = Self::default();
            return self.tell_value(&value, None, events);
        }
        events.push(OutputEvent::Done { path: self.path.clone(), value });
        self.path.pop();
    }

    /// Takes a value that is not told: its key came before, and all is told anew once it is whole. Telling it
    /// anew at each such key would be more work than the reply is long.
    fn pass(&mut self, event: Event) {
        match &event {
            Event::Object | Event::List => self.open.push(None),
            Event::End => {
                self.open.pop();
            }
            _ => {}
        }
        let is_whole = self.growing.apply(event).is_some();
        if is_whole && self.doubled == Some(self.open.len()) {
            self.doubled = None;
        }
    }

    /// Enters the next item, where a list is open.
    fn begin(&mut self) {
        if let Some(Some(index)) = self.open.last_mut() {
            self.path.push(Step::Index(*index));
            *index += 1;
        }
    }

    fn number_so_far(&mut self, key: Option<&str>, value: Value, events: &mut Vec<OutputEvent>) {
        let is_doubled = self.doubled.is_some() || key.is_some_and(|it| self.growing.has_key(it));
        if is_doubled || self.number.as_ref() == Some(&value) {
            return;
        }
        let mut path = self.path.clone();
        if let Some(Some(index)) = self.open.last() {
            path.push(Step::Index(*index));
        }
        if let Some(key) = key {
            path.push(Step::Key(key.to_owned()));
        }
        self.number = Some(value.clone());
        events.push(OutputEvent::Scalar { path, value });
    }

    /// Tells a value. In the innermost one on the way `open`, the reply ended, so that none on it is whole.
    fn tell_value(&mut self, value: &Value, open: Option<&[Step]>, events: &mut Vec<OutputEvent>) {
        let is_whole = open.is_none();
        let open = open.and_then(<[Step]>::split_first);
        let open_in = |step: &Step| open.filter(|it| it.0 == step).map(|it| it.1);
        match value {
            Value::Object(map) => {
                self.tell(Event::Object, events);
                for (key, value) in in_order(map, open.map(|it| it.0)) {
                    self.tell(Event::Key(key.to_owned()), events);
                    self.tell_value(value, open_in(&Step::Key(key.to_owned())), events);
                }
                self.end_if(is_whole, Event::End, events);
            }
            Value::Array(items) => {
                self.tell(Event::List, events);
                for (index, item) in items.iter().enumerate() {
                    self.tell_value(item, open_in(&Step::Index(index)), events);
                }
                self.end_if(is_whole, Event::End, events);
            }
            Value::String(text) => {
                self.tell(Event::Text, events);
                self.tell(Event::Piece(text.to_string()), events);
                self.end_if(is_whole, Event::TextEnd, events);
            }
            scalar if is_whole => self.tell(Event::Scalar(scalar.clone()), events),
            scalar => self.tell(Event::CutScalar(scalar.clone()), events),
        }
    }

    fn end_if(&mut self, is_whole: bool, end: Event, events: &mut Vec<OutputEvent>) {
        if is_whole {
            self.tell(end, events);
        }
    }
}

/// The entries of an object, the one that is open behind all others: nothing follows what is open.
fn in_order<'map>(
    map: &'map Map,
    open: Option<&Step>,
) -> impl Iterator<Item = (&'map str, &'map Value)> {
    let key = match open {
        Some(Step::Key(key)) => Some(key.clone()),
        _ => None,
    };
    let last = key.as_deref().and_then(|key| map.iter().find(|it| it.0 == key));
    map.iter().filter(move |it| key.as_deref() != Some(it.0)).chain(last)
}
