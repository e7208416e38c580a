//! Reads a streamed reply, and reports the changes of its value for each piece.
//!
//! The `ValueScanner` finds the values of the reply. The `ValueReporter` chooses one of them, and
//! the `EventEmitter` converts its events. At the end, the value is chosen as for a complete reply
//! ([`parse::choose_index`]). If that is another one, the events restart.

use std::fmt;

use prompty_core::schema::shape::wrapper::{self, WrapperStart};
use prompty_core::schema::{Kinds, Schema};
use prompty_core::value::{Map, Value};

use super::error::OutputError;
use super::event::OutputEvent;
use super::fit::{FitTarget, Leniency, may_have_key};
use super::json::JsonEvent;
use super::parse::{self, ReadResult, ReadValue};
use super::path::{Path, Step};
use super::reader::{FoundValue, ScanEvent, ValueScanner};
use super::text_stream::TextStream;
use super::typed::{Output, Parsed, SharedSchema};
use super::value_builder::ValueBuilder;
use super::written_form::WrittenForm;

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
    reporter: ValueReporter,
    /// The text of the reply, if that is the value itself. Then the scanner is not used.
    text_stream: Option<TextStream>,
    /// The beginning of the reply, while it may still become the wrapper object that a provider
    /// required around the value.
    unread_start: Option<String>,
    /// The beginning of the wrapper object, which the scanner does not read; empty without one.
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
            reporter: ValueReporter::default(),
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
        self.output.convert(self.read())
    }

    /// Reads the reply to its end, and returns the new events.
    pub fn end(&mut self) -> Vec<OutputEvent> {
        if let Some(text_stream) = &mut self.text_stream {
            return text_stream.end();
        }
        // The beginning may still have become a wrapper object. Now it is read as the reply.
        let mut events = match self.unread_start.take() {
            Some(start) => self.scan(|scanner, emit| scanner.push(&start, emit)),
            None => Vec::new(),
        };
        events.extend(self.scan(ValueScanner::finish));
        let target = FitTarget::new(self.output.schema(), self.output.leniency());
        let reporter = &mut self.reporter;
        // Several objects may be the items of one array, which is known only now.
        if let Some(list) = parse::objects_as_list(&self.scanner.found, target) {
            let open_path = open_path_in_list(list.items);
            events.extend(reporter.replace(None, &list.value, open_path.as_deref()));
            reporter.list = Some(list.value);
            return events;
        }
        let Some(chosen) = parse::choose_index(&self.scanner.found, target) else { return events };
        // The chosen value was reported while it arrived, and its events still hold.
        if reporter.reported == Some(chosen) && !reporter.emitter.is_void {
            return events;
        }
        let Some(found) = self.scanner.found.get(chosen) else { return events };
        events.extend(reporter.replace(Some(chosen), &found.value, found.open_path.as_deref()));
        events
    }

    /// The value of the reply so far, as if the reply ended here.
    pub(super) fn read(&self) -> ReadResult {
        let (shared, leniency) = self.reader();
        match self.wrapper_start.is_empty() {
            true => shared.read(self.reply(), leniency),
            false => shared.read_in_wrapper(self.reply(), leniency),
        }
    }

    /// The value of the reply so far, unless the reply is an error if it ends here.
    pub(super) fn accepted(&self) -> Option<ReadValue> {
        self.read().ok().filter(|read| self.output.accepts(read))
    }

    /// The schema and the leniency with which the reply is read.
    pub(super) fn reader(&self) -> (&SharedSchema, Leniency) {
        (self.output.shared(), self.output.leniency())
    }

    /// A new stream, and the text that this one has read.
    pub(super) fn start_over(self) -> (Self, String) {
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
            return text_stream.value_so_far();
        }
        if let Some(list) = &self.reporter.list {
            return Some(list.clone());
        }
        let reported = self.reporter.reported.and_then(|index| self.scanner.found.get(index));
        reported.map(|found| found.value.clone()).or_else(|| self.scanner.value_so_far())
    }

    /// Lets the scanner read, and returns the events of the value that is reported.
    fn scan(
        &mut self,
        read: impl FnOnce(&mut ValueScanner, &mut dyn FnMut(ScanEvent<'_>)),
    ) -> Vec<OutputEvent> {
        let Self { output, scanner, reporter, .. } = self;
        let schema = Schema::from_value(output.schema());
        read(scanner, &mut |event| reporter.apply(event, schema));
        std::mem::take(&mut reporter.emitter.events)
    }
}

impl<T> fmt::Debug for OutputStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutputStream").field("output", &self.output).finish_non_exhaustive()
    }
}

/// Chooses which value of a reply is reported while it arrives: the first one whose beginning
/// matches the schema.
#[derive(Debug, Default)]
struct ValueReporter {
    emitter: EventEmitter,
    /// How many values began. The last one is the current value.
    begun: usize,
    /// The index of the value that is reported.
    reported: Option<usize>,
    /// The first events of the current value, until they show whether it is reported.
    pending: Vec<JsonEvent>,
    /// The objects of the reply as one array, if that is the value.
    list: Option<Value>,
}

/// How many events show whether a value is reported: an object and its first key.
const MAX_PENDING: usize = 2;

impl ValueReporter {
    /// Applies an event of the scanner.
    fn apply(&mut self, event: ScanEvent<'_>, schema: Schema<'_>) {
        let is_current_reported = self.reported.is_some_and(|index| index + 1 == self.begun);
        match event {
            ScanEvent::Begin => {
                self.begun += 1;
                self.pending.clear();
            }
            ScanEvent::Rejected => {
                self.begun -= 1;
                if is_current_reported {
                    self.restart();
                }
            }
            ScanEvent::Reasoning if self.reported.is_some() => self.restart(),
            ScanEvent::Event(event) if is_current_reported => self.emitter.emit(event.clone()),
            ScanEvent::Event(event)
                if self.reported.is_none() && self.pending.len() < MAX_PENDING =>
            {
                self.pending.push(event.clone());
                if matches_schema(&self.pending, schema) {
                    self.reported = Some(self.begun - 1);
                    for event in self.pending.drain(..) {
                        self.emitter.emit(event);
                    }
                }
            }
            ScanEvent::NumberSoFar { key, value } if is_current_reported => {
                self.emitter.emit_number_so_far(key, value);
            }
            ScanEvent::Reasoning
            | ScanEvent::Event(_)
            | ScanEvent::NumberSoFar { .. }
            | ScanEvent::End => {}
        }
    }

    /// Reports another value, and returns the events.
    fn replace(
        &mut self,
        index: Option<usize>,
        value: &Value,
        open_path: Option<&[Step]>,
    ) -> Vec<OutputEvent> {
        let is_restart = std::mem::replace(&mut self.reported, index).is_some();
        self.emitter = EventEmitter::default();
        self.emitter.events.extend(is_restart.then_some(OutputEvent::Restarted));
        self.emitter.emit_value(value, open_path);
        std::mem::take(&mut self.emitter.events)
    }

    /// Takes back the events so far.
    fn restart(&mut self) {
        self.reported = None;
        self.emitter.restart();
    }
}

/// The path in an array of objects to the innermost value in which the reply ended, if it did.
fn open_path_in_list(items: &[FoundValue]) -> Option<Vec<Step>> {
    let inner = items.last()?.open_path.as_ref()?;
    let index = Step::Index(items.len() - 1);
    Some(std::iter::once(index).chain(inner.iter().cloned()).collect())
}

/// Whether the beginning of a value matches the schema: its kind is right, and the first key of an
/// object is in the schema.
fn matches_schema(events: &[JsonEvent], schema: Schema<'_>) -> bool {
    let kinds = schema.kinds_at(&[]);
    match events {
        [JsonEvent::List, ..] => kinds.intersects(Kinds::ARRAY),
        // The first key decides, and has not arrived.
        [JsonEvent::Object] => false,
        [JsonEvent::Object, JsonEvent::Key(key), ..] => {
            kinds.intersects(Kinds::OBJECT) && may_have_key(schema, key, 0)
        }
        // An empty object.
        [JsonEvent::Object, ..] => kinds.intersects(Kinds::OBJECT),
        _ => false,
    }
}

/// Converts events of the machine into events with paths.
#[derive(Debug, Default)]
struct EventEmitter {
    /// The events that were not taken yet.
    events: Vec<OutputEvent>,
    builder: ValueBuilder,
    path: Path,
    /// For each open array the number of its items so far, and `None` for each open object.
    item_counts: Vec<Option<usize>>,
    /// The last number that was reported while it could still grow.
    last_number: Option<Value>,
    /// The number of open containers around the value of a duplicate key, while it is read.
    duplicate_depth: Option<usize>,
    /// Whether a key occurred twice, so that the earlier events are void.
    is_void: bool,
}

impl EventEmitter {
    /// Takes back the events so far.
    fn restart(&mut self) {
        *self = Self { events: std::mem::take(&mut self.events), ..Self::default() };
        self.events.push(OutputEvent::Restarted);
    }

    /// Emits the events of one event of the machine.
    fn emit(&mut self, event: JsonEvent) {
        if self.duplicate_depth.is_some() {
            return self.skip_duplicate(event);
        }
        match &event {
            JsonEvent::Key(key) if self.builder.has_key(key) => {
                self.duplicate_depth = Some(self.item_counts.len());
                self.is_void = true;
            }
            JsonEvent::Key(key) => self.path.push(Step::Key(key.as_str().into())),
            JsonEvent::Object | JsonEvent::List => {
                self.enter_item();
                self.item_counts.push(matches!(event, JsonEvent::List).then_some(0));
            }
            JsonEvent::Text => {
                self.enter_item();
                self.last_number = None;
            }
            JsonEvent::Piece(delta) => {
                let (path, delta) = (self.path.clone(), delta.clone());
                self.events.push(OutputEvent::Text { path, delta });
            }
            JsonEvent::Scalar(scalar) | JsonEvent::CutScalar(scalar) => {
                let (value, _) = &**scalar;
                self.enter_item();
                if self.last_number.take().as_ref() != Some(value) && !value.is_null() {
                    let (path, value) = (self.path.clone(), value.clone());
                    self.events.push(OutputEvent::Scalar { path, value });
                }
            }
            JsonEvent::End => {
                self.item_counts.pop();
            }
            JsonEvent::TextEnd => {}
        }
        // The event completed a value, or there is nothing more to report.
        let Some(value) = self.builder.apply(event) else { return };
        if self.is_void && self.item_counts.is_empty() {
            self.restart();
            return self.emit_value(&value, None);
        }
        self.events.push(OutputEvent::Done { path: self.path.clone(), value });
        self.path.pop();
    }

    /// Reads the value of a duplicate key without reporting it. All values are reported again once
    /// the outermost value is complete. Reporting them again at each such key would not be linear.
    fn skip_duplicate(&mut self, event: JsonEvent) {
        match &event {
            JsonEvent::Object | JsonEvent::List => self.item_counts.push(None),
            JsonEvent::End => {
                self.item_counts.pop();
            }
            _ => {}
        }
        let is_complete = self.builder.apply(event).is_some();
        if is_complete && self.duplicate_depth == Some(self.item_counts.len()) {
            self.duplicate_depth = None;
        }
    }

    /// Enters the next item, if an array is open.
    fn enter_item(&mut self) {
        if let Some(Some(index)) = self.item_counts.last_mut() {
            self.path.push(Step::Index(*index));
            *index += 1;
        }
    }

    /// Emits a number that may still grow. Its key was not emitted yet.
    fn emit_number_so_far(&mut self, key: Option<&str>, value: Value) {
        let is_duplicate =
            self.duplicate_depth.is_some() || key.is_some_and(|it| self.builder.has_key(it));
        if is_duplicate || self.last_number.as_ref() == Some(&value) {
            return;
        }
        let mut path = self.path.clone();
        if let Some(Some(index)) = self.item_counts.last() {
            path.push(Step::Index(*index));
        }
        if let Some(key) = key {
            path.push(Step::Key(key.into()));
        }
        self.last_number = Some(value.clone());
        self.events.push(OutputEvent::Scalar { path, value });
    }

    /// Emits the events of a value. If the reply ended in it, `open_path` is the path of the
    /// innermost open value, and the values on that path are not complete.
    fn emit_value(&mut self, value: &Value, open_path: Option<&[Step]>) {
        let is_complete = open_path.is_none();
        let open = open_path.and_then(<[Step]>::split_first);
        // The open path inside of the value at a step.
        let open_in = |step: &Step| open.filter(|it| it.0 == step).map(|it| it.1);
        match value {
            Value::Object(map) => {
                self.emit(JsonEvent::Object);
                for (key, value) in open_entry_last(map, open.map(|it| it.0)) {
                    self.emit(JsonEvent::Key(key.to_owned()));
                    self.emit_value(value, open_in(&Step::Key(key.into())));
                }
                self.emit_if(is_complete, JsonEvent::End);
            }
            Value::Array(items) => {
                self.emit(JsonEvent::List);
                for (index, item) in items.iter().enumerate() {
                    self.emit_value(item, open_in(&Step::Index(index)));
                }
                self.emit_if(is_complete, JsonEvent::End);
            }
            Value::String(text) => {
                self.emit(JsonEvent::Text);
                self.emit(JsonEvent::Piece(text.to_string()));
                self.emit_if(is_complete, JsonEvent::TextEnd);
            }
            scalar => {
                let scalar = Box::new((scalar.clone(), WrittenForm::Json));
                self.emit(match is_complete {
                    true => JsonEvent::Scalar(scalar),
                    false => JsonEvent::CutScalar(scalar),
                });
            }
        }
    }

    fn emit_if(&mut self, is_complete: bool, end: JsonEvent) {
        if is_complete {
            self.emit(end);
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
