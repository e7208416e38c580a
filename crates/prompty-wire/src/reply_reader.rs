//! Reads an answer that comes in pieces: server-sent events, or their data.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::num::NonZeroUsize;
use std::sync::Arc;

use serde::de::IgnoredAny;
use sse_core::{SseDecoder, SseEvent};

use super::error::{WireError, WireErrorKind};
use super::protocol::Protocol;
use super::protocol_reader::{DONE, Next};
use super::reader::Reader;
use super::request::Request;
use super::whole;
use prompty_core::value::internal::excerpt;
use prompty_reply::{Events, Reply};

/// The longest event that is read, in bytes. A response's last event repeats all of it.
const LONGEST_EVENT: NonZeroUsize = NonZeroUsize::MIN.saturating_add(64 << 20);

/// Reads an answer that comes as server-sent events, and tells the events of a reply.
///
/// However the bytes are cut into pieces, the events say the same. What goes wrong on the way is told by
/// [`finish`](Self::finish), with all that came.
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
    reader: Reader,
    decoder: Decoder,
    error: Option<WireError>,
    /// Whether the provider said that nothing more comes.
    is_over: bool,
    status: u16,
    body: Body,
    /// The beginning of what came, as long as it is nothing of the protocol.
    beginning: Option<Vec<u8>>,
}

/// What the body of the HTTP response is.
#[derive(Debug, Clone)]
enum Body {
    /// Nothing but white space came so far.
    Unknown,
    Events,
    /// One answer, or an error: the whole of it.
    Whole(Vec<u8>),
}

/// How much of a body is kept that has no events of the protocol, in bytes.
const LONGEST_BEGINNING: usize = 200;

/// Whether a byte may stand in front of a text: white space, or one of a byte order mark.
fn is_before_text(byte: u8) -> bool {
    byte.is_ascii_whitespace() || "\u{feff}".as_bytes().contains(&byte)
}

/// The bytes from the first one on that may belong to a text.
fn skip_to_text(mut bytes: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = bytes
        && is_before_text(*first)
    {
        bytes = rest;
    }
    bytes
}

/// What the lines of server-sent events begin with.
const FIELDS: [&[u8]; 5] = [b"data:", b"event:", b"id:", b"retry:", b":"];

/// Whether a line of server-sent events says nothing of an answer: it has no data, or it was cut before them. Servers send
/// comments, and data without any content, to keep a connection open.
fn says_nothing(line: &str) -> bool {
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

/// Adds bytes to those that came, as far as there is room.
fn extend(came: &mut Vec<u8>, bytes: &[u8], most: usize) {
    let room = most.saturating_sub(came.len());
    came.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
}

impl Request<'_> {
    /// A reader of the answer, where that comes in pieces. It knows which tools were offered.
    pub fn reader(&self) -> ReplyReader {
        ReplyReader::with_offered(self.protocol, Some(self.offered()))
    }

    /// Reads the answer, where that comes whole, by its HTTP status and its body.
    ///
    /// # Errors
    ///
    /// As [`Protocol::read`].
    pub fn read(&self, status: u16, body: &[u8]) -> Result<Reply, WireError> {
        read(Reader::new(self.protocol, Some(self.offered().into())), status, body)
    }
}

/// Reads a body of which all is there: a whole answer, or all events of one.
pub(super) fn read(reader: Reader, status: u16, body: &[u8]) -> Result<Reply, WireError> {
    let text = skip_to_text(body);
    if !whole::is_success(status) || !FIELDS.iter().any(|field| text.starts_with(field)) {
        return whole::read(reader, status, body);
    }
    let mut stream = ReplyReader::with_reader(reader);
    stream.push_bytes(body);
    stream.finish()
}

/// The longest error that is kept, in bytes.
const LONGEST_ERROR: usize = 1 << 16;

/// The reader of server-sent events, which cannot be printed.
#[derive(Clone)]
struct Decoder(SseDecoder);

impl std::fmt::Debug for Decoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Decoder")
    }
}

impl ReplyReader {
    /// A stream of chat completions.
    pub fn new() -> Self {
        Self::with_offered(Protocol::default(), None)
    }

    pub(super) fn with_offered(protocol: Protocol, offered: Option<BTreeSet<String>>) -> Self {
        Self::with_reader(Reader::new(protocol, offered.map(Arc::new)))
    }

    fn with_reader(reader: Reader) -> Self {
        Self {
            reader,
            decoder: Decoder(SseDecoder::with_limit(LONGEST_EVENT)),
            error: None,
            is_over: false,
            status: 200,
            body: Body::Unknown,
            beginning: Some(Vec::new()),
        }
    }

    /// The same stream of an HTTP response with a status. The body of one that is no success is an error, which
    /// [`finish`](Self::finish) gives.
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
        if !whole::is_success(status) {
            self.body = Body::Whole(Vec::new());
        }
        self
    }

    /// Reads the data of one server-sent event, as readers of that format give it, and tells what is new.
    pub fn push(&mut self, data: &str) -> Events<'_> {
        self.reader.told_mut().clear_events();
        match &mut self.body {
            // An error, by its status.
            Body::Whole(whole) => extend(whole, data.as_bytes(), LONGEST_ERROR),
            Body::Unknown | Body::Events => self.read(data),
        }
        self.reader.told().events()
    }

    /// Reads more of the body of the HTTP response, cut anywhere, and tells what is new. A server that does not
    /// stream sends one JSON text, of which everything is told by [`finish`](Self::finish).
    pub fn push_bytes(&mut self, mut bytes: &[u8]) -> Events<'_> {
        self.reader.told_mut().clear_events();
        let text = skip_to_text(bytes);
        if let (Body::Unknown, Some(first)) = (&self.body, text.first()) {
            // No line of server-sent events begins as JSON does, or a web page.
            self.body = match first {
                b'{' | b'[' | b'"' | b'<' => {
                    bytes = text;
                    Body::Whole(Vec::new())
                }
                _ => Body::Events,
            };
        }
        match &mut self.body {
            Body::Whole(whole) => {
                let is_success = whole::is_success(self.status);
                let most = if is_success { LONGEST_EVENT.get() } else { LONGEST_ERROR };
                extend(whole, bytes, most);
            }
            Body::Unknown | Body::Events => {
                if let Some(beginning) = &mut self.beginning {
                    extend(beginning, bytes, LONGEST_BEGINNING);
                }
                self.decode(&mut bytes);
            }
        }
        self.reader.told().events()
    }

    /// The reply so far.
    pub fn reply(&self) -> &Reply {
        self.reader.told().reply()
    }

    /// Whether nothing more comes: the provider said so, or sent an error.
    pub fn is_over(&self) -> bool {
        self.is_over || self.error.is_some()
    }

    /// Tells what is left at the end of the body, before [`finish`](Self::finish): a last event without a blank line
    /// behind it, and the ends of calls, where the provider did not say that nothing more comes.
    pub fn end(&mut self) -> Events<'_> {
        self.reader.told_mut().clear_events();
        self.read_end();
        self.reader.told().events()
    }

    /// Ends the reply.
    ///
    /// # Errors
    ///
    /// With what came as [`WireError::partial`]: where the provider sent an error, an event cannot be read,
    /// or the answer ended before its end.
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
        if let Body::Whole(body) = &self.body {
            return whole::read(self.reader, self.status, body);
        }
        self.read_end();
        let is_whole = self.reader.is_finished();
        let error = self
            .error
            .take()
            .or_else(|| self.no_events())
            .or_else(|| (!is_whole).then(WireError::cut_off));
        let reply = self.reader.into_reply();
        match error {
            Some(error) => Err(error.with_partial(reply)),
            None => Ok(reply),
        }
    }

    /// The connection broke: the error, with what came before it.
    pub fn fail(mut self, error: impl Display) -> WireError {
        let broken = WireError::new(WireErrorKind::Transport, error.to_string());
        if let Body::Whole(body) = &self.body {
            // What the provider said explains more than the end of the connection.
            return match whole::read(self.reader, self.status, body) {
                Ok(reply) => broken.with_partial(reply),
                Err(error) if error.provider_spoke() => error,
                Err(_) => broken.with_partial(Reply::default()),
            };
        }
        self.read_end();
        let error = self.error.take().unwrap_or(broken);
        error.with_partial(self.reader.into_reply())
    }

    /// Reads the last event, which may have no empty line behind it. If it cannot be read, it was cut.
    fn read_end(&mut self) {
        let before = self.error.take();
        self.decode(&mut &b"\n\n"[..]);
        if self.error.as_ref().is_some_and(|error| error.kind() == WireErrorKind::Unreadable) {
            self.error = None;
        }
        self.error = before.or(self.error.take());
        self.reader.end();
    }

    /// The error of a body that has nothing of the protocol: another's events, or none at all.
    fn no_events(&self) -> Option<WireError> {
        let beginning = String::from_utf8_lossy(self.beginning.as_deref()?);
        // An answer that ends before it began is one that was cut.
        if self.is_over || beginning.lines().all(says_nothing) {
            return None;
        }
        let message = format!(
            "the answer of the provider has no events of this protocol: {}",
            excerpt(&beginning)
        );
        let help = "check that the URL and the protocol belong together";
        Some(WireError::unreadable(message).with_help(help))
    }

    fn decode(&mut self, bytes: &mut &[u8]) {
        while let Some(event) = self.decoder.0.next(bytes) {
            match event {
                Ok(SseEvent::Message(message)) => self.read(&message.data),
                Ok(SseEvent::Retry(_)) => {}
                Err(_) => {
                    let message = format!("an event is longer than {LONGEST_EVENT} bytes");
                    self.keep(WireError::unreadable(message));
                }
            }
        }
    }

    /// Reads the data of an event. Behind the end there is nothing more.
    fn read(&mut self, data: &str) {
        let data = data.trim();
        let has_failed = self.error.as_ref().is_some_and(|it| it.kind() == WireErrorKind::Provider);
        if data.is_empty() || self.is_over || has_failed {
            return;
        }
        if data == DONE {
            if self.reader.ends_with_done() {
                self.end_reply();
            }
            return;
        }
        let before = self.reader.told().count();
        match self.reader.read(data) {
            Ok(Next::Unknown) => {
                if let Some(beginning) = self.beginning.as_mut().filter(|it| it.is_empty()) {
                    extend(beginning, b"data: ", LONGEST_BEGINNING);
                    extend(beginning, data.as_bytes(), LONGEST_BEGINNING);
                }
            }
            Ok(next) => {
                self.beginning = None;
                if next == Next::Nothing {
                    self.end_reply();
                }
            }
            // Some servers have no blank line between events.
            Err(error)
                if error.kind() == WireErrorKind::Unreadable
                    && self.reader.told().count() == before
                    && data.contains('\n') =>
            {
                data.lines().for_each(|line| self.read(line));
            }
            Err(error) => {
                self.beginning = None;
                self.keep(error);
            }
        }
    }

    /// The provider says that nothing more comes.
    fn end_reply(&mut self) {
        self.is_over = true;
        self.reader.end();
    }

    /// Keeps the first error.
    fn keep(&mut self, error: WireError) {
        self.error.get_or_insert(error);
    }
}

impl Protocol {
    /// Reads a whole answer by its HTTP status and its body. One that was streamed is read, too.
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
    /// Where the status or the body is that of an error, or the body is not that of the protocol.
    pub fn read(self, status: u16, body: &[u8]) -> Result<Reply, WireError> {
        read(Reader::new(self, None), status, body)
    }

    /// A reader of an answer that comes in pieces.
    pub fn reader(self) -> ReplyReader {
        ReplyReader::with_offered(self, None)
    }
}

impl Default for ReplyReader {
    fn default() -> Self {
        Self::new()
    }
}
