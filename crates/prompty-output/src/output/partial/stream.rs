//! A stream that keeps the typed value so far.

use std::fmt;

use prompty_core::schema::Schema;
use prompty_core::value::Value;

use super::event_placer::EventPlacer;
use super::growth::{Change, Growable, Partial};
use crate::output::error::OutputError;
use crate::output::event::OutputEvent;
use crate::output::path::Step;
use crate::output::stream::OutputStream;
use crate::output::typed::Parsed;

/// Reads a streamed reply, and keeps the typed value so far.
///
/// ```
/// # mod typed_prompty { pub use prompty_output::output; }
/// use typed_prompty::output::{Output, Partial};
///
/// let mut stream = Output::<Vec<String>>::new().stream().with_partial();
/// stream.push(r#"["red", "gre"#);
/// let Partial::Growing(colours) = stream.partial() else { panic!("the list is open") };
/// assert_eq!(colours[0].done().unwrap(), "red");
/// assert_eq!(colours[1].text(), "gre");
///
/// stream.push(r#"en"]"#);
/// assert_eq!(stream.partial().done().unwrap(), &["red", "green"]);
/// assert_eq!(stream.finish()?.value, ["red", "green"]);
/// # Ok::<(), prompty_output::output::OutputError>(())
/// ```
pub struct PartialStream<T: Growable> {
    stream: OutputStream<T>,
    placer: EventPlacer,
    partial: Partial<T>,
    /// The JSON value from which `partial` was converted, once `partial` is done.
    done: Option<Value>,
}

impl<T> OutputStream<T> {
    /// Returns a stream that also keeps the typed value so far. The pieces that this stream has
    /// read are read again, so this is best called before the first piece.
    #[must_use]
    pub fn with_partial(self) -> PartialStream<T>
    where
        T: Growable,
    {
        let (stream, reply) = self.start_over();
        let mut stream = PartialStream {
            stream,
            placer: EventPlacer::default(),
            partial: Partial::Absent,
            done: None,
        };
        stream.push(&reply);
        stream
    }
}

impl<T: Growable> PartialStream<T> {
    /// Reads a piece of the reply, and returns the new events.
    pub fn push(&mut self, piece: &str) -> Vec<OutputEvent> {
        let events = self.stream.push(piece);
        events.iter().for_each(|it| self.apply_event(it));
        events
    }

    /// The typed value so far.
    pub const fn partial(&self) -> &Partial<T> {
        &self.partial
    }

    /// Reads the reply to its end, and returns the new events. If the reply has a complete value of
    /// the type, the partial value becomes that value.
    pub fn end(&mut self) -> Vec<OutputEvent> {
        let mut events = self.stream.end();
        events.iter().for_each(|it| self.apply_event(it));
        // Without a value of the type, the partial value stays as far as it has arrived.
        let Some(read) = self.stream.accepted() else { return events };
        // A value that serde cannot read in bounded work is not converted: see `union_work`.
        let (shared, _) = self.stream.reader();
        if !shared.can_deserialize(&read.value, Schema::from_value(&shared.schema)) {
            return events;
        }
        // The complete reply decides. It may choose another value than the stream has reported, or
        // convert it differently.
        if self.done.as_ref().is_some_and(|done| *done != read.value) {
            events.push(OutputEvent::Restarted);
            self.apply_event(&OutputEvent::Restarted);
        }
        self.apply(&[], &Change::Done(Some(&read.value)));
        events
    }

    /// Reads the reply to its end, and returns the value.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Output::parse`](crate::output::Output::parse).
    pub fn finish(self) -> Result<Parsed<T>, OutputError> {
        self.stream.finish()
    }

    fn apply_event(&mut self, event: &OutputEvent) {
        let Self { stream, placer, partial, done } = self;
        // Unlike `Change::Void`, a restart also makes a value absent that is done.
        if matches!(event, OutputEvent::Restarted) {
            (*placer, *partial, *done) = (EventPlacer::default(), Partial::Absent, None);
            return;
        }
        let (shared, leniency) = stream.reader();
        placer.apply_event(event, shared, leniency, &mut |steps, change| {
            partial.apply(steps, change);
            keep_complete(done, steps, change);
        });
    }

    fn apply(&mut self, steps: &[Step], change: &Change<'_>) {
        self.partial.apply(steps, change);
        keep_complete(&mut self.done, steps, change);
    }
}

/// Updates `done` with a change of the outermost value. The first value that is done counts until a
/// restart.
fn keep_complete(done: &mut Option<Value>, steps: &[Step], change: &Change<'_>) {
    if let ([], Change::Done(Some(value))) = (steps, change) {
        done.get_or_insert_with(|| (*value).clone());
    }
}

impl<T: Growable> fmt::Debug for PartialStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartialStream").field("stream", &self.stream).finish_non_exhaustive()
    }
}
