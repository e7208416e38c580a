//! Reads a streamed answer, and its content as a typed value while it arrives.

use std::fmt::Display;

use prompty_output::output::{Answer, Growable, Output, Partial, PartialStream};
use prompty_reply::{Events, Reply};

use super::error::WireError;
use super::reply_reader::ReplyReader;

/// Reads an answer like [`ReplyReader`], and keeps its content as a typed value while it arrives.
///
/// ```
/// # mod typed_prompty {
/// #     pub use prompty_core::message;
/// #     pub use prompty_output::output;
/// #     pub use prompty_wire as wire;
/// # }
/// use typed_prompty::message::Message;
/// use typed_prompty::output::Partial;
/// use typed_prompty::wire::Request;
///
/// let messages = [Message::user("Name three colours.")];
/// let request = Request::new("gpt-4o", &messages).with_output::<Vec<String>>().with_streaming();
/// let mut reader = request.reader().typed::<Vec<String>>();
/// reader.push(r#"{"choices": [{"delta": {"content": "[\"red\", \"gre"}}]}"#);
/// let Partial::Growing(colours) = reader.partial() else { panic!("the list is open") };
/// assert_eq!(colours[0].done().unwrap(), "red");
/// assert_eq!(colours[1].text(), "gre");
///
/// let end = r#"{"choices": [{"delta": {"content": "en\"]"}, "finish_reason": "stop"}]}"#;
/// reader.push(end);
/// let reply = reader.finish()?;
/// assert_eq!(reply.output::<Vec<String>>().unwrap(), ["red", "green"]);
/// # Ok::<(), prompty_wire::WireError>(())
/// ```
#[derive(Debug)]
pub struct TypedReplyReader<T: Growable> {
    reader: ReplyReader,
    value: PartialStream<T>,
}

impl ReplyReader {
    /// Converts the reader into one that keeps the content as a typed value. Call it before the
    /// first piece.
    #[must_use]
    pub fn typed<T: Answer + Growable>(self) -> TypedReplyReader<T> {
        let mut value = Output::new().stream().with_partial();
        value.push(self.reply().content());
        TypedReplyReader { reader: self, value }
    }
}

impl<T: Growable> TypedReplyReader<T> {
    /// Reads the data of one server-sent event: see [`ReplyReader::push`].
    pub fn push(&mut self, data: &str) -> Events<'_> {
        let events = self.reader.push(data);
        push_content(&mut self.value, &events);
        events
    }

    /// Reads the next bytes of the HTTP body: see [`ReplyReader::push_bytes`].
    pub fn push_bytes(&mut self, bytes: &[u8]) -> Events<'_> {
        let events = self.reader.push_bytes(bytes);
        push_content(&mut self.value, &events);
        events
    }

    /// Reads the rest at the end of the body: see [`ReplyReader::end`]. If the content is a value
    /// of the type, it is the partial value.
    pub fn end(&mut self) -> Events<'_> {
        let events = self.reader.end();
        push_content(&mut self.value, &events);
        self.value.end();
        events
    }

    /// The value so far.
    pub fn partial(&self) -> &Partial<T> {
        self.value.partial()
    }

    /// The reply so far.
    pub fn reply(&self) -> &Reply {
        self.reader.reply()
    }

    /// Whether the reply has ended: see [`ReplyReader::is_over`].
    pub fn is_over(&self) -> bool {
        self.reader.is_over()
    }

    /// Ends the reply. [`Reply::output`] gives its value.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`ReplyReader::finish`].
    pub fn finish(self) -> Result<Reply, WireError> {
        self.reader.finish()
    }

    /// The error of a broken connection: see [`ReplyReader::fail`].
    pub fn fail(self, error: impl Display) -> WireError {
        self.reader.fail(error)
    }
}

/// Adds the new content to the value.
fn push_content<T: Growable>(value: &mut PartialStream<T>, events: &Events<'_>) {
    for text in events.clone().content() {
        value.push(text);
    }
}
