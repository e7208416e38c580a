//! The reader of answers in any protocol.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use memchr::memchr;
use memchr::memmem::find_iter;
use prompty_core::value::internal::json::replace_lone_surrogates;

use super::assembler::Assembler;
use super::error::{Result, WireErrorKind};
use super::fields::with_single_fields;
use super::protocol::Protocol;
use super::protocol_dispatch::AnyProtocolReader;
use super::protocol_reader::AfterEvent;
use super::surrogates::SurrogateJoiner;
use prompty_reply::Reply;

/// Reads the events of an answer, or a complete answer.
#[derive(Debug, Clone)]
pub(super) struct AnswerReader {
    reader: AnyProtocolReader,
    /// Whether `[DONE]` ends an answer of the protocol. Gateways append it to other protocols, too.
    pub(super) ends_with_done: bool,
    surrogates: SurrogateJoiner,
}

impl AnswerReader {
    pub(super) fn new(protocol: Protocol, offered: Option<Arc<BTreeSet<String>>>) -> Self {
        let ends_with_done = protocol.rules().ends_with_done;
        let reader = AnyProtocolReader::new(protocol, offered);
        Self { reader, ends_with_done, surrogates: SurrogateJoiner::default() }
    }

    /// Reads the JSON of an event, or of a complete answer.
    pub(super) fn read(&mut self, json: &str) -> Result<AfterEvent> {
        let json = &self.join_surrogates(json);
        let before = self.assembler().recorder.event_count();
        let read = self.reader.get_mut().read(json);
        match self.without_duplicates(before, json, &read) {
            Some(json) => self.reader.get_mut().read(&json),
            None => read,
        }
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
        let json = &without_lone_surrogates(json);
        let before = self.assembler().recorder.event_count();
        let read = self.reader.get_mut().read_complete(json);
        match self.without_duplicates(before, json, &read) {
            Some(json) => self.reader.get_mut().read_complete(&json),
            None => read,
        }
    }

    /// The JSON with the last of each duplicate field, if the original was unreadable and nothing
    /// of it was reported.
    fn without_duplicates(
        &self,
        before: usize,
        json: &str,
        read: &Result<AfterEvent>,
    ) -> Option<String> {
        let is_unreadable =
            read.as_ref().is_err_and(|error| error.kind() == WireErrorKind::Unreadable);
        if !is_unreadable || self.assembler().recorder.event_count() != before {
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
    pub(super) fn end(&mut self) {
        self.reader.get_mut().end();
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
