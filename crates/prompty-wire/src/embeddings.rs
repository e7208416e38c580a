//! Embeddings: the request for vectors of texts, and its answer (Prompty §7.2, §8.2).

use std::borrow::Cow;
use std::fmt;

use prompty_core::message::{ContentPart, GenerationOptions, Message};
use prompty_core::trace::redact_entries;
use prompty_core::value::{Map, Value};
use serde::de::{IgnoredAny, SeqAccess};
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser};

use super::complete_answer;
use super::entries::EntryWriter;
use super::error::WireError;
use super::fields::{Count, Field, List, Object, Text, json_objects, read_field};
use prompty_reply::Usage;

/// A request for the vectors of texts, in OpenAI's protocol.
///
/// Through serde it is the provider's JSON.
///
/// ```
/// # mod typed_prompty { pub use prompty_wire as wire; }
/// use typed_prompty::wire::EmbeddingRequest;
///
/// let request = EmbeddingRequest::new("embed-1", ["a cat"]).with_extra("dimensions", 256);
/// assert_eq!(request.to_json()?, r#"{"model":"embed-1","input":"a cat","dimensions":256}"#);
/// let body = br#"{"data": [{"index": 0, "embedding": [0.5, -1]}]}"#;
/// assert_eq!(request.read(200, body)?.vectors, [[0.5, -1.0]]);
/// # Ok::<(), prompty_wire::WireError>(())
/// ```
#[derive(Clone, PartialEq)]
#[must_use]
pub struct EmbeddingRequest<'a> {
    model: Cow<'a, str>,
    texts: Vec<Cow<'a, str>>,
    additional: Map,
}

/// The vectors of texts.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[non_exhaustive]
pub struct Embeddings {
    /// A vector for each text, in the order of the texts.
    pub vectors: Vec<Vec<f32>>,
    /// The model of the vectors, as the provider names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The token counts, if the provider sent them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl<'a> EmbeddingRequest<'a> {
    /// The path of the request below the base URL.
    pub const PATH: &'static str = "/embeddings";

    /// A request for the vectors of texts.
    pub fn new<T: Into<Cow<'a, str>>>(
        model: impl Into<Cow<'a, str>>,
        texts: impl IntoIterator<Item = T>,
    ) -> Self {
        let texts = texts.into_iter().map(Into::into).collect();
        Self { model: model.into(), texts, additional: Map::new() }
    }

    /// A request for the vectors of the texts of messages, one for each message.
    ///
    /// # Errors
    ///
    /// Returns an error of [`WireErrorKind::Unsupported`](super::WireErrorKind::Unsupported) if a
    /// message contains a part other than text.
    pub fn from_messages(
        model: impl Into<Cow<'a, str>>,
        messages: &[Message],
    ) -> Result<Self, WireError> {
        let texts: Result<Vec<_>, _> = messages.iter().enumerate().map(text_of).collect();
        Ok(Self::new(model, texts?))
    }

    /// Adds the options that only the provider knows. The others do not apply to embeddings.
    pub fn with_options(mut self, options: impl Into<GenerationOptions>) -> Self {
        let additional = options.into().additional;
        self.additional.extend(additional.iter().map(|(name, value)| (name, value.clone())));
        self
    }

    /// Adds an entry that only the provider knows, such as `dimensions`. It does not replace the
    /// model or the texts.
    pub fn with_extra(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.additional.insert(name, value);
        self
    }

    /// The body of the HTTP request.
    ///
    /// # Errors
    ///
    /// Returns an error of [`WireErrorKind::Unsupported`](super::WireErrorKind::Unsupported) if
    /// the request has no texts.
    pub fn to_json(&self) -> Result<String, WireError> {
        self.check()?;
        serde_json::to_string(self).map_err(|error| WireError::unsupported(error.to_string()))
    }

    /// Reads the answer, from its HTTP status and its body, and checks that it has a vector for
    /// each text.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Embeddings::read`], and an error if there are more or fewer vectors
    /// than texts.
    pub fn read(&self, status: u16, body: &[u8]) -> Result<Embeddings, WireError> {
        let answer = Embeddings::read(status, body)?;
        let (vectors, texts) = (answer.vectors.len(), self.texts.len());
        if vectors != texts {
            let message = format!("the provider sent {vectors} vectors for {texts} texts");
            let help = "send fewer texts in one request; the provider may have a limit";
            return Err(WireError::unreadable(message).with_help(help));
        }
        Ok(answer)
    }

    fn check(&self) -> Result<(), WireError> {
        if self.texts.is_empty() {
            return Err(WireError::unsupported("the request has no texts")
                .with_help("add at least one text"));
        }
        Ok(())
    }
}

impl fmt::Debug for EmbeddingRequest<'_> {
    /// Shows no secrets of extra entries.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbeddingRequest")
            .field("model", &self.model)
            .field("texts", &self.texts)
            .field("additional", &redact_entries(&self.additional))
            .finish()
    }
}

impl Serialize for EmbeddingRequest<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.check().map_err(|error| ser::Error::custom(format!("{error:#}")))?;
        let mut body = EntryWriter::new(serializer.serialize_map(None)?);
        body.put("model", &*self.model)?;
        match self.texts.as_slice() {
            // A single text is written as a string (Prompty §7.2).
            [text] => body.put("input", text)?,
            texts => body.put("input", texts)?,
        }
        body.end(self.additional.iter())
    }
}

/// The text of a message.
fn text_of((index, message): (usize, &Message)) -> Result<String, WireError> {
    let other = message.content.iter().find(|part| part.as_text().is_none());
    match other.map(ContentPart::kind) {
        None => Ok(message.text()),
        Some(kind) => {
            let message = format!("embeddings do not support `{kind}` parts");
            let help = "remove it, or send text";
            Err(WireError::unsupported(message).with_help(help).in_message(index))
        }
    }
}

json_objects! {
    struct EmbeddingsBody<'j> {
        model: Text<'j>,
        data: EmbeddingEntries,
        usage: Object<EmbeddingUsage>,
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct EmbeddingEntry {
    index: Count,
    embedding: List<f32, { usize::MAX }>,
}

/// The entries up to the first one without a vector, which is an error.
#[derive(Default)]
struct EmbeddingEntries(Vec<EmbeddingEntry>);

impl<'de> Deserialize<'de> for EmbeddingEntries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_field(deserializer)
    }
}

impl<'de> Field<'de> for EmbeddingEntries {
    fn from_list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut entries: Vec<EmbeddingEntry> = Vec::new();
        while entries.last().is_none_or(|last| !last.embedding.0.is_empty()) {
            match list.next_element()? {
                Some(entry) => entries.push(entry),
                None => return Ok(Self(entries)),
            }
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self(entries))
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct EmbeddingUsage {
    prompt_tokens: Count,
    total_tokens: Count,
}

impl Embeddings {
    /// Reads an answer, from its HTTP status and its body. Vectors are in the order of their
    /// indices.
    ///
    /// # Errors
    ///
    /// Returns an error if the status or the body is that of an error, the body has no vector, or a
    /// vector is not an array of numbers. Base64 is not supported.
    pub fn read(status: u16, body: &[u8]) -> Result<Self, WireError> {
        let json = complete_answer::json(status, body)?;
        let mut body: EmbeddingsBody<'_> = WireError::read_object(&json)?;
        let has_indices = body.data.0.iter().any(|entry| entry.index.0.is_some());
        if has_indices {
            body.data.0.sort_unstable_by_key(|entry| entry.index.0);
        }
        let mut indices = (0u64..).zip(&body.data.0);
        if has_indices && !indices.all(|(index, entry)| entry.index.0 == Some(index)) {
            let last = body.data.0.len().saturating_sub(1);
            let message = format!("the provider's vectors are not numbered from 0 to {last}");
            return Err(WireError::unreadable(message).with_help("send the request again"));
        }
        let vectors: Vec<_> = body.data.0.into_iter().map(|entry| entry.embedding.0).collect();
        if vectors.is_empty() {
            return Err(WireError::unreadable("the provider's answer does not contain a vector")
                .with_help("check that the model is an embedding model"));
        }
        if vectors.iter().any(Vec::is_empty) {
            return Err(WireError::unreadable(
                "a vector of the provider is not an array of numbers",
            )
            .with_help("request floats: `request.with_extra(\"encoding_format\", \"float\")`"));
        }
        let usage = body.usage.0.map(|usage| {
            let mut counts = Usage::default();
            (counts.input, counts.total) = (usage.prompt_tokens.0, usage.total_tokens.0);
            counts
        });
        Ok(Self { vectors, model: body.model.get().map(str::to_owned), usage })
    }
}

#[cfg(test)]
mod tests {
    use prompty_core::message::{Media, Role};

    use super::*;
    use crate::WireErrorKind;

    #[test]
    fn several_texts_are_an_array() {
        let messages = [Message::user("a cat"), Message::user("a dog")];
        let request = EmbeddingRequest::from_messages("embed-1", &messages).unwrap();
        let json = request.to_json().unwrap();
        assert_eq!(json, r#"{"model":"embed-1","input":["a cat","a dog"]}"#);
    }

    #[test]
    fn extra_entries_replace_nothing() {
        let request = EmbeddingRequest::new("embed-1", ["a"])
            .with_extra("input", "b")
            .with_extra("user", "u");
        assert_eq!(request.to_json().unwrap(), r#"{"model":"embed-1","input":"a","user":"u"}"#);
    }

    #[test]
    fn only_texts_have_vectors() {
        let image = ContentPart::Image(Media::new("https://a.example/b.png"));
        let messages = [Message::user("a"), Message::new(Role::User, [image])];
        let error = EmbeddingRequest::from_messages("embed-1", &messages).unwrap_err();
        assert_eq!(error.kind(), WireErrorKind::Unsupported);
        let expected = "message 1: embeddings do not support `image` parts";
        assert_eq!(error.to_string(), expected);
        let none = EmbeddingRequest::new::<&str>("embed-1", []);
        assert_eq!(none.to_json().unwrap_err().kind(), WireErrorKind::Unsupported);
        assert!(serde_json::to_string(&none).is_err());
    }

    #[test]
    fn vectors_are_in_the_order_of_their_indices() {
        let body = br#"{"model": "embed-1-a", "data": [{"index": 1, "embedding": [2]},
            {"index": 0, "embedding": [1]}], "usage": {"prompt_tokens": 4, "total_tokens": 4}}"#;
        let answer = Embeddings::read(200, body).unwrap();
        assert_eq!(answer.vectors, [[1.0], [2.0]]);
        assert_eq!(answer.model.as_deref(), Some("embed-1-a"));
        assert_eq!(answer.usage.unwrap().input, Some(4));
        let two = EmbeddingRequest::new("embed-1", ["a", "b", "c"]).read(200, body);
        assert_eq!(two.unwrap_err().to_string(), "the provider sent 2 vectors for 3 texts");
    }

    #[test]
    fn an_answer_without_vectors_is_an_error() {
        for body in [
            r#"{"data": []}"#,
            r#"{"object": "list"}"#,
            r#"{"data": [{"embedding": "AACAPw=="}]}"#,
            "[1]",
            "no JSON",
        ] {
            let error = Embeddings::read(200, body.as_bytes()).unwrap_err();
            assert_eq!(error.kind(), WireErrorKind::Unreadable, "{body}");
            assert!(error.help().is_some(), "{body}");
        }
        for (status, body) in [(200, r#"{"error": "no such model"}"#), (502, "<html>")] {
            let error = Embeddings::read(status, body.as_bytes()).unwrap_err();
            assert_eq!(error.kind(), WireErrorKind::Provider, "{body}");
        }
    }
}
