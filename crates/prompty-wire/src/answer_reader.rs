//! The reader of answers in any protocol.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use memchr::memchr;
use memchr::memmem::find_iter;
use prompty_core::value::MAX_DEPTH;
use prompty_core::value::internal::json::replace_lone_surrogates;

use super::assembler::Assembler;
use super::error::{FEWER_ITEMS, Result, WireError};
use super::fields::with_single_fields;
use super::protocol::Protocol;
use super::protocol_dispatch::AnyProtocolReader;
use super::protocol_reader::AfterEvent;
use super::surrogates::SurrogateJoiner;
use super::value_budget::ValueProblem;
use prompty_reply::Reply;

/// Reads the events of an answer, or a complete answer.
#[derive(Debug, Clone)]
pub(super) struct AnswerReader {
    reader: AnyProtocolReader,
    /// Whether `[DONE]` ends an answer of the protocol. Gateways append it to other protocols, too.
    pub(super) ends_with_done: bool,
    surrogates: SurrogateJoiner,
}

/// The bytes of an answer for each item of it, on average. An item needs up to about 1000 bytes of
/// memory, and `{}` has two.
const BYTES_PER_ITEM: usize = 128;

/// The number of items that need as much memory as a choice.
pub(super) const ITEMS_OF_CHOICE: usize = 8;

/// The number of items that an answer may have in addition.
const MORE_ITEMS: usize = 1024;

impl AnswerReader {
    pub(super) fn new(protocol: Protocol, offered: Option<Arc<BTreeSet<String>>>) -> Self {
        let ends_with_done = protocol.rules().ends_with_done;
        let reader = AnyProtocolReader::new(protocol, offered);
        Self { reader, ends_with_done, surrogates: SurrogateJoiner::default() }
    }

    /// Reads the JSON of an event, or of a complete answer.
    pub(super) fn read(&mut self, json: &str) -> Result<AfterEvent> {
        // The caller passes the events after an error, too. If the error was that there are too
        // many items, no more are added.
        self.check_items()?;
        self.assembler_mut().values.receive(json.len());
        let json = &self.join_surrogates(json);
        let before = self.assembler().recorder.event_count();
        let read = self.reader.get_mut().read(json);
        let next = match self.without_duplicates(before, json, &read) {
            Some(json) => self.reader.get_mut().read(&json),
            None => read,
        }?;
        self.check_items().map(|()| next)
    }

    /// Fails if the answer has so many small items or values that they need much more memory than
    /// its text. The values of a stream are checked at its end, the items at each event.
    fn check_limits(&self) -> Result<()> {
        let values = &self.assembler().values;
        self.check_items()?;
        if let Some(problem) = values.problem() {
            let (problem, help) = match problem {
                ValueProblem::TooMany => {
                    ("too many small values".to_owned(), "request a shorter answer")
                }
                ValueProblem::Unreadable => (
                    format!(
                        "a value that is nested more than {MAX_DEPTH} levels deep, or a number \
                         that is too large"
                    ),
                    "use the reply in `partial()`, which does not have this value",
                ),
            };
            let message = format!(
                "the provider's answer has {problem} in a part that only the provider understands"
            );
            return Err(WireError::unreadable(message).with_help(help));
        }
        Ok(())
    }

    /// # Errors
    ///
    /// Returns an error if there are too many calls and other items.
    fn check_items(&self) -> Result<()> {
        let values = &self.assembler().values;
        let most = MORE_ITEMS + values.received() / BYTES_PER_ITEM;
        if self.reader.get().item_count() <= most {
            return Ok(());
        }
        let message = format!(
            "the provider's answer has more than {most} calls and other items; a choice counts as \
             {ITEMS_OF_CHOICE}"
        );
        Err(WireError::unreadable(message).with_help(FEWER_ITEMS))
    }

    /// JSON without lone surrogates. A character that is split into two events is joined.
    fn join_surrogates<'j>(&mut self, json: &'j str) -> Cow<'j, str> {
        if !may_have_surrogates(json) {
            return Cow::Borrowed(json);
        }
        match self.surrogates.join(json) {
            Cow::Borrowed(json) => replace_lone_surrogates(json),
            Cow::Owned(json) => Cow::Owned(replace_lone_surrogates(&json).into_owned()),
        }
    }

    /// Reads the JSON of a complete answer.
    pub(super) fn read_complete(&mut self, json: &str) -> Result<AfterEvent> {
        self.assembler_mut().values.receive(json.len());
        let json = &without_lone_surrogates(json);
        let before = self.assembler().recorder.event_count();
        let read = self.reader.get_mut().read_complete(json);
        let next = match self.without_duplicates(before, json, &read) {
            Some(json) => self.reader.get_mut().read_complete(&json),
            None => read,
        }?;
        self.check_limits().map(|()| next)
    }

    /// The JSON with the last of each duplicate field, if they made the original unreadable and
    /// nothing of it was reported: then it can be read once more. `before` is the number of events
    /// that were recorded before it was read.
    fn without_duplicates(
        &self,
        before: usize,
        json: &str,
        read: &Result<AfterEvent>,
    ) -> Option<String> {
        let is_duplicate = read.as_ref().is_err_and(WireError::is_duplicate_field);
        if !is_duplicate || self.assembler().recorder.event_count() != before {
            return None;
        }
        with_single_fields(json)
    }

    /// The assembler of the reply.
    pub(super) fn assembler(&self) -> &Assembler {
        self.reader.get().assembler()
    }

    pub(super) fn assembler_mut(&mut self) -> &mut Assembler {
        self.reader.get_mut().assembler_mut()
    }

    /// Whether the provider said why the reply ended.
    pub(super) fn is_finished(&self) -> bool {
        self.reader.get().is_finished()
    }

    /// Ends the reply.
    ///
    /// # Errors
    ///
    /// Returns an error if its last parts cannot be kept.
    pub(super) fn end(&mut self) -> Result<()> {
        self.reader.get_mut().end();
        self.check_limits()
    }

    pub(super) fn into_reply(mut self) -> Reply {
        self.reader.get_mut().take_reply()
    }
}

/// Replaces lone surrogates in JSON. Servers that split text by UTF-16 units write them.
pub(super) fn without_lone_surrogates(json: &str) -> Cow<'_, str> {
    if may_have_surrogates(json) { replace_lone_surrogates(json) } else { Cow::Borrowed(json) }
}

/// Whether any escape of JSON may be a surrogate.
fn may_have_surrogates(json: &str) -> bool {
    let bytes = json.as_bytes();
    // Every event is searched, and most have no escape. A search for one byte is the fastest.
    let escapes = memchr(b'\\', bytes).and_then(|first| bytes.get(first..));
    let Some(escapes) = escapes else { return false };
    let is_surrogate = |at: usize| matches!(escapes.get(at + 2), Some(b'd' | b'D'));
    find_iter(escapes, b"\\u").any(is_surrogate)
}
