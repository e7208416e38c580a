//! Reads an answer that arrives in pieces: server-sent events, or their data.
//!
//! Reading a piece returns only events, so an error never hides an event. `finish` returns the
//! first error, with everything that arrived. After an error of the provider nothing more is
//! reported. An event that cannot be read makes the answer an error, because it may have contained
//! text. A line that does not belong to an event makes a complete reply an error, for the same reason.
//!
//! If a stream contains only comments and data without content, it was truncated. Servers send
//! these to keep a connection open.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::num::NonZeroUsize;
use std::sync::Arc;

use memchr::memchr2;
use serde::de::IgnoredAny;
use sse_core::{SseDecoder, SseEvent};

use super::answer_reader::AnswerReader;
use super::complete_answer;
use super::error::{WireError, WireErrorKind};
use super::protocol::Protocol;
use super::protocol_reader::{AfterEvent, DONE};
use super::request::Request;
use prompty_core::value::internal::excerpt;
use prompty_reply::{Events, Reply};

/// The maximum length of an event, in bytes. The last event of a response repeats all of it.
const LONGEST_EVENT: NonZeroUsize = NonZeroUsize::MIN.saturating_add(64 << 20);

/// Reads an answer that arrives as server-sent events, and reports the events of a reply.
///
/// The events are the same however the bytes are split. An error is returned by
/// [`finish`](Self::finish), with the reply so far.
///
/// ```
/// # mod typed_prompty { pub use prompty_reply as reply; pub use prompty_wire as wire; }
/// use typed_prompty::reply::Event;
/// use typed_prompty::wire::ReplyReader;
///
/// let body = concat!(
///     "data: {\"choices\": [{\"delta\": {\"content\": \"Hel\"}}]}\n\n",
///     "data: {\"choices\": [{\"delta\": {\"content\": \"lo\"}, \"finish_reason\": \"stop\"}]}\n\n",
///     "data: [DONE]\n\n",
/// );
/// let (mut stream, mut text) = (ReplyReader::new(), String::new());
/// for piece in body.as_bytes().chunks(7) {
///     for event in stream.push_bytes(piece) {
///         if let Event::Content { text: more } = event {
///             text.push_str(more);
///         }
///     }
/// }
/// assert_eq!(text, "Hello");
/// assert_eq!(stream.finish()?.content(), "Hello");
/// # Ok::<(), prompty_wire::WireError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ReplyReader {
    reader: AnswerReader,
    decoder: EventDecoder,
    error: Option<WireError>,
    /// Whether the provider sent an error, or bytes that are not text. Nothing is read after that.
    /// An event that cannot be read leaves the others readable.
    has_failed: bool,
    /// Whether the provider ended the reply. Nothing is read after that.
    provider_ended: bool,
    status: u16,
    body: ResponseBody,
    /// Bytes received before the first event of the protocol; `None` after it.
    beginning: Option<Vec<u8>>,
    encoding: EncodingCheck,
    /// The beginning of the last line, as long as the field names of events.
    last_line: Vec<u8>,
    /// Whether the body ended inside an event.
    is_cut: bool,
    /// The beginning of the first line that is not a line of server-sent events.
    unknown_line: Option<String>,
}

/// The kind of the body of an HTTP response.
#[derive(Debug, Clone)]
enum ResponseBody {
    /// Only white space has arrived so far.
    Unknown,
    Events,
    /// One complete answer, or an error.
    Complete(Vec<u8>),
}

/// The maximum length of the text in the error about a body without events, in bytes.
const LONGEST_BEGINNING: usize = 200;

/// The bytes from the first one that may belong to the text. White space and a byte order mark may
/// precede it.
fn skip_to_text(bytes: &[u8]) -> &[u8] {
    let is_before = |it: &u8| it.is_ascii_whitespace() || "\u{feff}".as_bytes().contains(it);
    let start = bytes.iter().position(|byte| !is_before(byte));
    start.and_then(|start| bytes.get(start..)).unwrap_or_default()
}

/// The beginnings of the lines of server-sent events.
const FIELDS: [&[u8]; 5] = [b"data:", b"event:", b"id:", b"retry:", b":"];

/// The length of the longest of them.
const LONGEST_FIELD: usize = 6;

/// Whether a line belongs to server-sent events, by its beginning. Lines with other fields are
/// ignored by the standard. But here they may be damaged events, and their content would be lost.
fn is_line_of_events(line: &[u8]) -> bool {
    FIELDS.iter().any(|field| line.starts_with(field))
        || matches!(line.trim_ascii(), b"" | b"data" | b"event" | b"id" | b"retry")
}

fn unknown_line_error(line: &str) -> WireError {
    let message = format!(
        "a line of the provider's answer does not belong to an event, and begins with {}",
        excerpt(line)
    );
    WireError::unreadable(message)
        .with_help("send the request again; if the line stays, use the reply in `partial()`")
}

/// Checks the encoding of bytes that arrive in pieces.
#[derive(Debug, Clone, Default)]
struct EncodingCheck {
    /// The bytes of a character whose end has not arrived.
    begun: Vec<u8>,
    has_failed: bool,
}

impl EncodingCheck {
    /// The next bytes up to the first one that is not UTF-8, and whether all are valid. Nothing is
    /// valid after that. The start of a character at the end of the bytes counts as valid; the next
    /// bytes are checked together with it.
    fn valid_part<'b>(&mut self, bytes: &'b [u8]) -> (&'b [u8], bool) {
        if self.has_failed {
            return (&[], false);
        }
        let (_, rest) = bytes.split_at(self.end_of_begun(bytes));
        let valid = match (self.has_failed, simdutf8::compat::from_utf8(rest)) {
            (true, _) => 0,
            (false, Ok(_)) => bytes.len(),
            (false, Err(error)) => {
                let (valid, begun) = rest.split_at(error.valid_up_to());
                self.has_failed = error.error_len().is_some();
                match self.has_failed {
                    true => bytes.len() - rest.len() + valid.len(),
                    false => {
                        self.begun.extend_from_slice(begun);
                        bytes.len()
                    }
                }
            }
        };
        (bytes.get(..valid).unwrap_or_default(), !self.has_failed)
    }

    /// Adds bytes to the character that has begun, and returns how many belong to it.
    fn end_of_begun(&mut self, bytes: &[u8]) -> usize {
        for (at, byte) in bytes.iter().enumerate() {
            if self.begun.is_empty() {
                return at;
            }
            self.begun.push(*byte);
            match simdutf8::compat::from_utf8(&self.begun) {
                Ok(_) => self.begun.clear(),
                Err(error) if error.error_len().is_some() => {
                    self.has_failed = true;
                    return at;
                }
                Err(_) => {}
            }
        }
        bytes.len()
    }

    fn is_valid(&self) -> bool {
        !self.has_failed
    }

    /// Whether the bytes so far end inside a character.
    fn is_in_character(&self) -> bool {
        !self.has_failed && !self.begun.is_empty()
    }
}

/// Whether a line of server-sent events has no content: it has no data, or is truncated before the
/// data. Servers send comments, and data without content, to keep a connection open.
fn has_no_content(line: &str) -> bool {
    let line = line.trim().trim_start_matches('\u{feff}');
    let cut_off = |field: &[u8]| field.starts_with(line.as_bytes());
    match line.strip_prefix("data:").map(str::trim) {
        Some("" | DONE) => true,
        Some(data) => match serde_json::from_str::<BTreeMap<&str, IgnoredAny>>(data) {
            Ok(fields) => fields.keys().all(|name| *name == "type"),
            Err(_) => false,
        },
        None => FIELDS.iter().any(|field| line.as_bytes().starts_with(field) || cut_off(field)),
    }
}

fn too_long(what: &str) -> WireError {
    WireError::unreadable(format!("{what} is longer than {LONGEST_EVENT} bytes"))
        .with_help("check that the URL and the protocol match, or request a shorter answer")
}

/// Appends bytes to a buffer, up to a maximum length.
fn extend_up_to(buffer: &mut Vec<u8>, bytes: &[u8], max: usize) {
    let free = max.saturating_sub(buffer.len());
    buffer.extend_from_slice(bytes.get(..free).unwrap_or(bytes));
}

impl Request<'_> {
    /// A reader of an answer that arrives in pieces. It knows which tools were offered.
    pub fn reader(&self) -> ReplyReader {
        ReplyReader::with_offered(self.protocol, Some(self.offered()))
    }

    /// Reads a complete answer, from its HTTP status and its body.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Protocol::read`].
    pub fn read(&self, status: u16, body: &[u8]) -> Result<Reply, WireError> {
        read(AnswerReader::new(self.protocol, Some(self.offered().into())), status, body)
    }
}

/// Reads a complete body: one answer, or all events of one.
pub(super) fn read(reader: AnswerReader, status: u16, body: &[u8]) -> Result<Reply, WireError> {
    let text = skip_to_text(body);
    if !complete_answer::is_success(status) || !FIELDS.iter().any(|field| text.starts_with(field)) {
        return complete_answer::read(reader, status, body);
    }
    let mut stream = ReplyReader::with_reader(reader);
    stream.push_bytes(body);
    stream.finish()
}

/// The maximum length of an error, in bytes.
const LONGEST_ERROR: usize = 1 << 16;

/// The decoder of server-sent events, with a `Debug` implementation.
///
/// `sse-core` reads bytes, performs no I/O and limits the length of an event. The
/// alternatives need an asynchronous stream.
#[derive(Clone)]
struct EventDecoder(SseDecoder);

impl std::fmt::Debug for EventDecoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EventDecoder")
    }
}

impl ReplyReader {
    /// A stream of chat completions.
    pub fn new() -> Self {
        Self::with_offered(Protocol::default(), None)
    }

    pub(super) fn with_offered(protocol: Protocol, offered: Option<BTreeSet<String>>) -> Self {
        Self::with_reader(AnswerReader::new(protocol, offered.map(Arc::new)))
    }

    fn with_reader(reader: AnswerReader) -> Self {
        Self {
            reader,
            decoder: EventDecoder(SseDecoder::with_limit(LONGEST_EVENT)),
            error: None,
            has_failed: false,
            provider_ended: false,
            status: 200,
            body: ResponseBody::Unknown,
            beginning: Some(Vec::new()),
            encoding: EncodingCheck::default(),
            last_line: Vec::new(),
            is_cut: false,
            unknown_line: None,
        }
    }

    /// Sets the status of the HTTP response. If it is not a success status, the body is an error,
    /// which [`finish`](Self::finish) returns.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_wire as wire; }
    /// use typed_prompty::wire::ReplyReader;
    ///
    /// let mut stream = ReplyReader::new().with_status(503);
    /// assert_eq!(stream.push_bytes(b"upstream is down").count(), 0);
    /// let error = stream.finish().unwrap_err();
    /// assert_eq!(error.to_string(), "the provider answered with status 503: upstream is down");
    /// ```
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        if !complete_answer::is_success(status) {
            self.body = ResponseBody::Complete(Vec::new());
        }
        self
    }

    /// Reads the data of one server-sent event, and returns the new events.
    pub fn push(&mut self, data: &str) -> Events<'_> {
        self.reader.assembler_mut().recorder.clear_events();
        match &mut self.body {
            // The status means an error.
            ResponseBody::Complete(complete) => {
                extend_up_to(complete, data.as_bytes(), LONGEST_ERROR);
            }
            ResponseBody::Unknown | ResponseBody::Events => self.read(data),
        }
        self.reader.assembler().recorder.events()
    }

    /// Reads the next bytes of the HTTP body, split anywhere, and returns the new events. If the
    /// server does not stream, the body is one JSON text, which [`finish`](Self::finish) reads.
    pub fn push_bytes(&mut self, mut bytes: &[u8]) -> Events<'_> {
        self.reader.assembler_mut().recorder.clear_events();
        let text = skip_to_text(bytes);
        if let (ResponseBody::Unknown, Some(first)) = (&self.body, text.first()) {
            // Neither JSON nor a web page begins like a line of server-sent events.
            self.body = match first {
                b'{' | b'[' | b'"' | b'<' => {
                    bytes = text;
                    ResponseBody::Complete(Vec::new())
                }
                _ => ResponseBody::Events,
            };
        }
        match &mut self.body {
            ResponseBody::Complete(complete) => {
                let is_success = complete_answer::is_success(self.status);
                let max = if is_success { LONGEST_EVENT.get() } else { LONGEST_ERROR };
                if is_success && bytes.len() > max.saturating_sub(complete.len()) {
                    self.error.get_or_insert_with(|| too_long("the provider's answer"));
                }
                extend_up_to(complete, bytes, max);
            }
            ResponseBody::Unknown | ResponseBody::Events => {
                if let Some(beginning) = &mut self.beginning {
                    extend_up_to(beginning, bytes, LONGEST_BEGINNING);
                }
                let (valid, is_valid) = self.encoding.valid_part(bytes);
                self.read_lines(valid);
                if !is_valid {
                    self.keep_first_error(WireError::invalid_encoding());
                }
            }
        }
        self.reader.assembler().recorder.events()
    }

    /// The reply so far.
    pub fn reply(&self) -> &Reply {
        self.reader.assembler().reply()
    }

    /// Whether the reply has ended: the provider ended it, or sent an error.
    pub fn is_over(&self) -> bool {
        self.provider_ended || self.error.is_some()
    }

    /// Reads the rest at the end of the body, before [`finish`](Self::finish): a last event without
    /// a blank line after it, and the ends of calls if the provider did not end the reply.
    pub fn end(&mut self) -> Events<'_> {
        self.reader.assembler_mut().recorder.clear_events();
        self.read_end();
        self.reader.assembler().recorder.events()
    }

    /// Ends the reply.
    ///
    /// # Errors
    ///
    /// Returns an error, with the reply so far as [`WireError::partial`], if the provider sent an
    /// error, an event cannot be read, or the answer ended early.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_wire as wire; }
    /// use typed_prompty::wire::{ReplyReader, WireErrorKind};
    ///
    /// let mut stream = ReplyReader::new();
    /// stream.push(r#"{"choices": [{"delta": {"content": "Once upon a"}}]}"#);
    /// let error = stream.finish().unwrap_err();
    /// assert_eq!(error.kind(), WireErrorKind::CutOff);
    /// assert_eq!(error.partial().unwrap().content(), "Once upon a");
    /// ```
    pub fn finish(mut self) -> Result<Reply, WireError> {
        if let ResponseBody::Complete(body) = &self.body {
            return match self.error {
                Some(error) => Err(error),
                None => complete_answer::read(self.reader, self.status, body),
            };
        }
        self.read_end();
        let is_finished = self.reader.is_finished();
        let error = self
            .error
            .take()
            .or_else(|| self.no_events_error())
            .or_else(|| (self.is_cut || !is_finished).then(WireError::cut_off))
            .or_else(|| self.unknown_line.as_deref().map(unknown_line_error));
        let reply = self.reader.into_reply();
        match error {
            Some(error) => Err(error.with_partial(reply)),
            None => Ok(reply),
        }
    }

    /// The error of a broken connection, with the reply so far.
    pub fn fail(mut self, error: impl Display) -> WireError {
        let broken = WireError::new(WireErrorKind::Transport, error.to_string());
        if let ResponseBody::Complete(body) = &self.body {
            // The provider's error explains more than the end of the connection.
            return match complete_answer::read(self.reader, self.status, body) {
                Ok(reply) => broken.with_partial(reply),
                Err(error) if error.has_provider_message() => error,
                Err(_) => broken.with_partial(Reply::default()),
            };
        }
        self.read_end();
        let error = self.error.take().unwrap_or(broken);
        error.with_partial(self.reader.into_reply())
    }

    /// Reads the last event, which may have no blank line after it. If it is unreadable, it was
    /// truncated.
    fn read_end(&mut self) {
        // An error that is there after the next step is from the last event.
        let earlier_error = self.error.take();
        let is_cut = self.is_cut_in_line();
        if self.encoding.is_valid() {
            self.decode(&mut &b"\n\n"[..]);
        }
        let is_unreadable = |error: &mut WireError| error.kind() == WireErrorKind::Unreadable;
        let unreadable = self.error.take_if(is_unreadable);
        self.is_cut |= !self.provider_ended && (is_cut || unreadable.is_some());
        self.error = earlier_error.or(self.error.take());
        self.end_reader();
    }

    /// Reads lines, checks their beginnings, and keeps the beginning of the last line. What follows
    /// the end of the reply is not checked.
    fn read_lines(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(end) = memchr2(b'\n', b'\r', rest) {
            let (mut line, after) = rest.split_at(end + 1);
            self.add_to_line(line.trim_ascii_end());
            let is_unknown = !self.provider_ended && !is_line_of_events(&self.last_line);
            if is_unknown && self.unknown_line.is_none() {
                self.unknown_line = Some(String::from_utf8_lossy(&self.last_line).into_owned());
            }
            self.last_line.clear();
            self.decode(&mut line);
            rest = after;
        }
        self.add_to_line(rest);
        self.decode(&mut rest);
    }

    /// Adds bytes to the beginning of the last line. A byte order mark does not belong to it.
    fn add_to_line(&mut self, bytes: &[u8]) {
        extend_up_to(&mut self.last_line, bytes, LONGEST_FIELD);
        if self.last_line.starts_with("\u{feff}".as_bytes()) {
            self.last_line.clear();
            extend_up_to(&mut self.last_line, skip_to_text(bytes), LONGEST_FIELD);
        }
    }

    /// Whether the body ends inside a character, or inside a line whose content is not known: only
    /// data and comments may end without a line break.
    fn is_cut_in_line(&self) -> bool {
        let is_known = |field: &[u8]| self.last_line.starts_with(field);
        let is_complete = self.last_line.is_empty() || is_known(b"data:") || is_known(b":");
        !is_complete || self.encoding.is_in_character()
    }

    /// The error of a body without events of the protocol.
    fn no_events_error(&self) -> Option<WireError> {
        let beginning = String::from_utf8_lossy(self.beginning.as_deref()?);
        // An answer without any content ended early, which is another error.
        if self.provider_ended || beginning.lines().all(has_no_content) {
            return None;
        }
        Some(WireError::wrong_protocol(format!(
            "the provider's answer has no events of this protocol: {}",
            excerpt(&beginning)
        )))
    }

    fn decode(&mut self, bytes: &mut &[u8]) {
        while let Some(event) = self.decoder.0.next(bytes) {
            match event {
                Ok(SseEvent::Message(message)) => self.read(&message.data),
                Ok(SseEvent::Retry(_)) => {}
                Err(_) => {
                    self.keep_first_error(too_long("an event"));
                }
            }
        }
    }

    /// Reads the data of an event. Events after the end or an error of the provider are ignored.
    fn read(&mut self, data: &str) {
        let data = data.trim();
        if data.is_empty() || self.provider_ended || self.has_failed {
            return;
        }
        if data == DONE {
            if self.reader.ends_with_done {
                self.end_reply();
            }
            return;
        }
        let before = self.reader.assembler().recorder.event_count();
        match self.reader.read(data) {
            Ok(AfterEvent::Unknown) => {
                if let Some(beginning) = self.beginning.as_mut().filter(|it| it.is_empty()) {
                    extend_up_to(beginning, b"data: ", LONGEST_BEGINNING);
                    extend_up_to(beginning, data.as_bytes(), LONGEST_BEGINNING);
                }
            }
            Ok(next) => {
                self.beginning = None;
                if next == AfterEvent::End {
                    self.end_reply();
                }
            }
            // Some servers write no blank line between events.
            Err(error)
                if error.kind() == WireErrorKind::Unreadable
                    && self.reader.assembler().recorder.event_count() == before
                    && data.contains('\n') =>
            {
                data.lines().for_each(|line| self.read(line));
            }
            Err(error) => {
                self.beginning = None;
                self.keep_first_error(error);
            }
        }
    }

    /// Ends the reply, because the provider did.
    fn end_reply(&mut self) {
        self.provider_ended = true;
        self.end_reader();
    }

    /// Ends the calls that are still open, and checks the limits of the answer.
    fn end_reader(&mut self) {
        if let Err(error) = self.reader.end() {
            self.keep_first_error(error);
        }
    }

    /// Keeps the first error.
    fn keep_first_error(&mut self, error: WireError) {
        self.has_failed |= error.kind() != WireErrorKind::Unreadable;
        self.error.get_or_insert(error);
    }
}

impl Protocol {
    /// Reads a complete answer, from its HTTP status and its body, which may be a collected stream.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_wire as wire; }
    /// use typed_prompty::wire::Protocol;
    ///
    /// let body = br#"{"choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}]}"#;
    /// assert_eq!(Protocol::OpenAiChat.read(200, body)?.content(), "Hello");
    /// # Ok::<(), prompty_wire::WireError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the status or the body is that of an error, or the body does not follow
    /// the protocol.
    pub fn read(self, status: u16, body: &[u8]) -> Result<Reply, WireError> {
        read(AnswerReader::new(self, None), status, body)
    }

    /// A reader of an answer that arrives in pieces.
    pub fn reader(self) -> ReplyReader {
        ReplyReader::with_offered(self, None)
    }
}

impl Default for ReplyReader {
    fn default() -> Self {
        Self::new()
    }
}
