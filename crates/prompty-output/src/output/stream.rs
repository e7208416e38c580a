//! Reads a streamed reply, and reports the changes of its value for each piece.

use std::fmt;

use prompty_core::schema::shape::wrapper::{self, WrapperStart};
use prompty_core::schema::{Kinds, Schema};
use prompty_core::value::{Map, Value};

use super::error::OutputError;
use super::event::OutputEvent;
use super::fit::{Leniency, may_have_key};
use super::json::JsonEvent;
use super::parse;
use super::parse::{ReadFailure, ReadValue};
use super::path::{Path, Step};
use super::reader::{ScanEvent, ValueScanner};
use super::text_stream::TextStream;
use super::typed::{Output, Parsed, SharedSchema};
use super::value_builder::ValueBuilder;

/// Reads a streamed reply.
///
/// The concatenated texts of the events do not depend on how the reply is split into pieces.
/// [`OutputStream::finish`] returns the same as [`Output::parse`] for the complete reply.
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
    scanner: ValueScanner,
    emitter: EventEmitter,
    /// How many values began.
    begun: usize,
    /// The index of the value that is reported.
    reported: Option<usize>,
    /// The events of the current value from before it was certain that it is reported.
    pending: Vec<JsonEvent>,
    /// The text of the reply, if that is the value itself.
    text_stream: Option<TextStream>,
    /// The beginning of the reply, while it may still become the wrapper object that a provider
    /// required around the value.
    unread_start: Option<String>,
    /// The beginning of the wrapper object.
    wrapper_start: String,
}

impl<T> Output<T> {
    /// A reader of a streamed reply.
    #[must_use]
    pub fn stream(&self) -> OutputStream<T> {
        OutputStream::new(self.clone())
    }
}

impl<T> OutputStream<T> {
    pub(super) fn new(output: Output<T>) -> Self {
        let text_stream = output.shared().is_text().then(TextStream::default);
        let unread_start = output.shared().may_be_wrapped().then(String::new);
        Self {
            text_stream,
            unread_start,
            wrapper_start: String::new(),
            output,
            scanner: ValueScanner::default(),
            emitter: EventEmitter::default(),
            begun: 0,
            reported: None,
            pending: Vec::new(),
        }
    }

    /// Reads a piece of the reply, and returns the new events.
    pub fn push(&mut self, piece: &str) -> Vec<OutputEvent> {
        if let Some(text_stream) = &mut self.text_stream {
            return text_stream.push(piece);
        }
        if self.unread_start.is_none() {
            return self.scan(|scanner, emit| scanner.push(piece, emit));
        }
        match self.read_start(piece) {
            Some(text) => self.scan(|scanner, emit| scanner.push(&text, emit)),
            None => Vec::new(),
        }
    }

    /// Adds a piece to the beginning of the reply. Returns the text to read, once it is certain
    /// whether there is a wrapper object.
    fn read_start(&mut self, piece: &str) -> Option<String> {
        let mut start = self.unread_start.take()?;
        start.push_str(piece);
        if wrapper::wrapper_start(&start) == WrapperStart::Incomplete {
            self.unread_start = Some(start);
            return None;
        }
        match self.output.shared().value_in_wrapper(&start) {
            Some(inside) => {
                let inside = inside.to_owned();
                start.truncate(start.len() - inside.len());
                self.wrapper_start = start;
                Some(inside)
            }
            None => Some(start),
        }
    }

    /// Reads the reply to its end, and returns the value.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Output::parse`].
    pub fn finish(self) -> Result<Parsed<T>, OutputError> {
        self.output.typed(self.read())
    }

    /// Reads the reply to its end, and returns the new events.
    pub fn end(&mut self) -> Vec<OutputEvent> {
        if let Some(text_stream) = &mut self.text_stream {
            return text_stream.end();
        }
        let mut events = match self.unread_start.take() {
            Some(start) => self.scan(|scanner, emit| scanner.push(&start, emit)),
            None => Vec::new(),
        };
        events.extend(self.scan(ValueScanner::finish));
        let schema = Schema::from_value(self.output.schema());
        let leniency = self.output.leniency();
        let Some(chosen) = parse::choose_index(&self.scanner.found, schema, leniency) else {
            return events;
        };
        if self.reported == Some(chosen) && !self.emitter.is_void {
            return events;
        }
        let Some(found) = self.scanner.found.get(chosen) else { return events };
        if self.reported.replace(chosen).is_some() {
            events.push(OutputEvent::Restarted);
        }
        self.emitter = EventEmitter::default();
        self.emitter.emit_value(&found.value, found.open.as_deref(), &mut events);
        events
    }

    /// The value of the reply so far, as if the reply ended here.
    pub(super) fn read(&self) -> Result<ReadValue, ReadFailure> {
        let (shared, leniency) = self.reader();
        match self.wrapper_start.is_empty() {
            true => shared.read(self.reply(), leniency),
            false => shared.read_in_wrapper(self.reply(), leniency),
        }
    }

    /// The schema and the leniency with which the reply is read.
    pub(super) fn reader(&self) -> (&SharedSchema, Leniency) {
        (self.output.shared(), self.output.leniency())
    }

    /// A new stream, and the text that this one has read.
    pub(super) fn restart(self) -> (Self, String) {
        let reply = format!("{}{}", self.wrapper_start, self.reply());
        (Self::new(self.output), reply)
    }

    /// The reply, without the beginning of a wrapper object.
    fn reply(&self) -> &str {
        match (&self.text_stream, &self.unread_start) {
            (Some(text_stream), _) => text_stream.reply(),
            (None, Some(start)) => start,
            (None, None) => self.scanner.text(),
        }
    }

    /// The value so far, as the model wrote it and as if the reply ended here. Creating it takes
    /// time in proportion to its size.
    pub fn value_so_far(&self) -> Option<Value> {
        if let Some(text_stream) = &self.text_stream {
            return text_stream.so_far();
        }
        let reported = self.reported.and_then(|index| self.scanner.found.get(index));
        reported.map(|found| found.value.clone()).or_else(|| self.scanner.so_far())
    }

    fn scan(
        &mut self,
        scan: impl FnOnce(&mut ValueScanner, &mut dyn FnMut(ScanEvent<'_>)),
    ) -> Vec<OutputEvent> {
        let mut events = Vec::new();
        let Self { output, scanner, emitter, begun, reported, pending, .. } = self;
        let schema = Schema::from_value(output.schema());
        scan(scanner, &mut |scan| match scan {
            ScanEvent::Begin => {
                *begun += 1;
                pending.clear();
            }
            ScanEvent::Rejected => {
                *begun -= 1;
                if *reported == Some(*begun) {
                    *reported = None;
                    *emitter = EventEmitter::default();
                    events.push(OutputEvent::Restarted);
                }
            }
            ScanEvent::Reasoning => {
                if reported.take().is_some() {
                    events.push(OutputEvent::Restarted);
                    *emitter = EventEmitter::default();
                }
            }
            ScanEvent::Event(event) if reported.is_some_and(|reported| reported + 1 == *begun) => {
                emitter.emit(event.clone(), &mut events);
            }
            ScanEvent::Event(event) if reported.is_none() => {
                pending.push(event.clone());
                if matches_schema(pending, schema) {
                    *reported = Some(*begun - 1);
                    for event in pending.drain(..) {
                        emitter.emit(event, &mut events);
                    }
                }
            }
            ScanEvent::NumberSoFar { key, value }
                if reported.is_some_and(|reported| reported + 1 == *begun) =>
            {
                emitter.number_so_far(key, value, &mut events);
            }
            ScanEvent::Event(_) | ScanEvent::NumberSoFar { .. } | ScanEvent::End => {}
        });
        events
    }
}

impl<T> fmt::Debug for OutputStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutputStream").field("output", &self.output).finish_non_exhaustive()
    }
}

/// Whether the beginning of a value matches the schema: its kind is right, and the first key of an
/// object is in the schema.
fn matches_schema(events: &[JsonEvent], schema: Schema<'_>) -> bool {
    let kinds = schema.kinds_at(&[]);
    match events {
        [JsonEvent::List, ..] => kinds.intersects(Kinds::ARRAY),
        [JsonEvent::Object] => false,
        [JsonEvent::Object, JsonEvent::Key(key), ..] => {
            kinds.intersects(Kinds::OBJECT) && may_have_key(schema, key, 0)
        }
        [JsonEvent::Object, ..] => kinds.intersects(Kinds::OBJECT),
        _ => false,
    }
}

/// Converts events of the machine into events with paths.
#[derive(Debug, Default)]
struct EventEmitter {
    builder: ValueBuilder,
    path: Path,
    /// For each open array the number of its items so far, and `None` for each open object.
    open: Vec<Option<usize>>,
    /// The last number that was reported while it could still grow.
    number: Option<Value>,
    /// The number of open containers around the value of a duplicate key, while it is read.
    duplicate: Option<usize>,
    /// Whether a key occurred twice, so that the earlier events are void.
    is_void: bool,
}

impl EventEmitter {
    fn emit(&mut self, event: JsonEvent, events: &mut Vec<OutputEvent>) {
        if self.duplicate.is_some() {
            return self.skip(event);
        }
        match &event {
            JsonEvent::Key(key) if self.builder.has_key(key) => {
                self.duplicate = Some(self.open.len());
                self.is_void = true;
            }
            JsonEvent::Key(key) => self.path.push(Step::Key(key.clone())),
            JsonEvent::Object | JsonEvent::List => {
                self.begin();
                self.open.push(matches!(event, JsonEvent::List).then_some(0));
            }
            JsonEvent::Text => {
                self.begin();
                self.number = None;
            }
            JsonEvent::Piece(delta) => {
                events.push(OutputEvent::Text { path: self.path.clone(), delta: delta.clone() });
            }
            JsonEvent::Scalar(value) | JsonEvent::CutScalar(value) => {
                self.begin();
                if self.number.take().as_ref() != Some(value) && !value.is_null() {
                    let (path, value) = (self.path.clone(), value.clone());
                    events.push(OutputEvent::Scalar { path, value });
                }
            }
            JsonEvent::End => {
                self.open.pop();
            }
            JsonEvent::TextEnd => {}
        }
        let Some(value) = self.builder.apply(event) else { return };
        if self.is_void && self.open.is_empty() {
            events.push(OutputEvent::Restarted);
            *self = Self::default();
            return self.emit_value(&value, None, events);
        }
        events.push(OutputEvent::Done { path: self.path.clone(), value });
        self.path.pop();
    }

    /// Reads the value of a duplicate key without reporting it. All values are reported again once
    /// the outermost value is complete. Reporting them again at each such key would not be linear.
    fn skip(&mut self, event: JsonEvent) {
        match &event {
            JsonEvent::Object | JsonEvent::List => self.open.push(None),
            JsonEvent::End => {
                self.open.pop();
            }
            _ => {}
        }
        let is_complete = self.builder.apply(event).is_some();
        if is_complete && self.duplicate == Some(self.open.len()) {
            self.duplicate = None;
        }
    }

    /// Enters the next item, if an array is open.
    fn begin(&mut self) {
        if let Some(Some(index)) = self.open.last_mut() {
            self.path.push(Step::Index(*index));
            *index += 1;
        }
    }

    fn number_so_far(&mut self, key: Option<&str>, value: Value, events: &mut Vec<OutputEvent>) {
        let is_doubled = self.duplicate.is_some() || key.is_some_and(|it| self.builder.has_key(it));
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

    /// Emits the events of a value. If the reply ended in it, `open` is the path of the innermost
    /// open value, and the values on that path are not complete.
    fn emit_value(&mut self, value: &Value, open: Option<&[Step]>, events: &mut Vec<OutputEvent>) {
        let is_complete = open.is_none();
        let open = open.and_then(<[Step]>::split_first);
        let open_in = |step: &Step| open.filter(|it| it.0 == step).map(|it| it.1);
        match value {
            Value::Object(map) => {
                self.emit(JsonEvent::Object, events);
                for (key, value) in open_entry_last(map, open.map(|it| it.0)) {
                    self.emit(JsonEvent::Key(key.to_owned()), events);
                    self.emit_value(value, open_in(&Step::Key(key.to_owned())), events);
                }
                self.end_if(is_complete, JsonEvent::End, events);
            }
            Value::Array(items) => {
                self.emit(JsonEvent::List, events);
                for (index, item) in items.iter().enumerate() {
                    self.emit_value(item, open_in(&Step::Index(index)), events);
                }
                self.end_if(is_complete, JsonEvent::End, events);
            }
            Value::String(text) => {
                self.emit(JsonEvent::Text, events);
                self.emit(JsonEvent::Piece(text.to_string()), events);
                self.end_if(is_complete, JsonEvent::TextEnd, events);
            }
            scalar if is_complete => self.emit(JsonEvent::Scalar(scalar.clone()), events),
            scalar => self.emit(JsonEvent::CutScalar(scalar.clone()), events),
        }
    }

    fn end_if(&mut self, is_complete: bool, end: JsonEvent, events: &mut Vec<OutputEvent>) {
        if is_complete {
            self.emit(end, events);
        }
    }
}

/// The entries of an object, with the open one last, since no event may follow it.
fn open_entry_last<'map>(
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
