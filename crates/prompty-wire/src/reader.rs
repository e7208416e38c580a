//! The readers of all protocols, as one.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use memchr::memchr;
use memchr::memmem::find_iter;
use prompty_core::value::internal::json::replace_lone_surrogates;

use super::assembler::Assembler;
use super::error::{Result, WireErrorKind};
use super::fields::with_single_fields;
use super::halves::Halves;
use super::protocol::Protocol;
use super::protocol_folders::AnyReader;
use super::protocol_reader::Next;
use prompty_reply::Reply;

/// Reads the events of an answer, or a whole one.
#[derive(Debug, Clone)]
pub(super) struct Reader {
    reader: AnyReader,
    ends_with_done: bool,
    halves: Halves,
}

impl Reader {
    pub(super) fn new(protocol: Protocol, offered: Option<Arc<BTreeSet<String>>>) -> Self {
        let ends_with_done = protocol.rules().ends_with_done;
        let reader = AnyReader::new(protocol, offered);
        Self { reader, ends_with_done, halves: Halves::default() }
    }

    /// Reads the JSON of an event, or of a whole answer.
    pub(super) fn read(&mut self, json: &str) -> Result<Next> {
        let json = &self.joined(json);
        let before = self.told().count();
        let read = self.reader.read(json);
        match self.without_duplicates(before, json, &read) {
            Some(json) => self.reader.read(&json),
            None => read,
        }
    }

    /// JSON in which no escape is half of a character: halves in two events are joined.
    fn joined<'j>(&mut self, json: &'j str) -> Cow<'j, str> {
        if !has_halves(json) {
            return Cow::Borrowed(json);
        }
        match self.halves.join(json) {
            Cow::Borrowed(json) => replace_lone_surrogates(json),
            Cow::Owned(json) => Cow::Owned(replace_lone_surrogates(&json).into_owned()),
        }
    }

    /// Reads the JSON of a whole answer.
    pub(super) fn read_whole(&mut self, json: &str) -> Result<Next> {
        let json = &readable(json);
        let before = self.told().count();
        let read = self.reader.read_whole(json);
        match self.without_duplicates(before, json, &read) {
            Some(json) => self.reader.read_whole(&json),
            None => read,
        }
    }

    /// The JSON in which a field stands once, the last of its name, where it could not be read as it is and nothing
    /// of it was told.
    fn without_duplicates(&self, before: usize, json: &str, read: &Result<Next>) -> Option<String> {
        let is_unreadable =
            read.as_ref().is_err_and(|error| error.kind() == WireErrorKind::Unreadable);
        if !is_unreadable || self.told().count() != before {
            return None;
        }
        with_single_fields(json)
    }

    /// Whether `[DONE]` ends an answer of the protocol. Gateways append it to others.
    pub(super) fn ends_with_done(&self) -> bool {
        self.ends_with_done
    }

    /// What is told.
    pub(super) fn told(&self) -> &Assembler {
        self.reader.told()
    }

    pub(super) fn told_mut(&mut self) -> &mut Assembler {
        self.reader.told_mut()
    }

    /// Whether the provider said why the reply ended.
    pub(super) fn is_finished(&self) -> bool {
        self.reader.is_finished()
    }

    /// Ends the reply.
    pub(super) fn end(&mut self) {
        self.reader.end();
    }

    pub(super) fn into_reply(self) -> Reply {
        self.reader.into_reply()
    }
}

/// JSON in which no escape is half of a character. Servers that cut texts by UTF-16 write such.
pub(super) fn readable(json: &str) -> Cow<'_, str> {
    if has_halves(json) { replace_lone_surrogates(json) } else { Cow::Borrowed(json) }
}

/// Whether any escape of JSON may be half of a character.
fn has_halves(json: &str) -> bool {
    let bytes = json.as_bytes();
    // Every event is searched, and most have no escape: the search for one byte is the fastest.
    let escapes = memchr(b'\\', bytes).and_then(|first| bytes.get(first..));
    let Some(escapes) = escapes else { return false };
    let is_surrogate = |at: usize| matches!(escapes.get(at + 2), Some(b'd' | b'D'));
    find_iter(escapes, b"\\u").any(is_surrogate)
}
