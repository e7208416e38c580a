//! Generated images: the request and its answer (Prompty §7.3, §8.3).

use std::borrow::Cow;
use std::fmt;

use prompty_core::message::{ContentPart, GenerationOptions, Media, Message, Role};
use prompty_core::trace::redact_entries;
use prompty_core::value::{Map, Value};
use serde::{Serialize, Serializer};

use super::complete_answer;
use super::entries::EntryWriter;
use super::error::WireError;
use super::fields::{List, Text, json_objects};

/// A request for images, in OpenAI's protocol. Through serde it is the provider's JSON.
///
/// ```
/// # mod typed_prompty { pub use prompty_wire as wire; }
/// use typed_prompty::wire::{ImageRequest, Images};
///
/// let request = ImageRequest::new("painter-1", "A cat").with_extra("size", "512x512");
/// assert_eq!(
///     request.to_json()?,
///     r#"{"model":"painter-1","prompt":"A cat","size":"512x512"}"#
/// );
/// let answer = Images::read(200, br#"{"data": [{"url": "https://a.example/cat.png"}]}"#)?;
/// assert_eq!(answer.images[0].media.value, "https://a.example/cat.png");
/// # Ok::<(), prompty_wire::WireError>(())
/// ```
#[derive(Clone, PartialEq)]
#[must_use]
pub struct ImageRequest<'a> {
    model: Cow<'a, str>,
    prompt: Cow<'a, str>,
    additional: Map,
}

/// Generated images.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[non_exhaustive]
pub struct Images {
    /// The images, in the provider's order.
    pub images: Vec<GeneratedImage>,
}

/// A generated image.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct GeneratedImage {
    /// The image: its URL, or its bytes in base64.
    pub media: Media,
    /// The prompt of the image, if the provider changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revised_prompt: Option<String>,
}

impl<'a> ImageRequest<'a> {
    /// The path of the request below the base URL.
    pub const PATH: &'static str = "/images/generations";

    /// A request for images from a prompt.
    pub fn new(model: impl Into<Cow<'a, str>>, prompt: impl Into<Cow<'a, str>>) -> Self {
        Self { model: model.into(), prompt: prompt.into(), additional: Map::new() }
    }

    /// A request for images from the last user message.
    ///
    /// # Errors
    ///
    /// Returns an error of [`WireErrorKind::Unsupported`](super::WireErrorKind::Unsupported) if
    /// the messages have no user message, or the last one contains a part other than text.
    pub fn from_messages(
        model: impl Into<Cow<'a, str>>,
        messages: &[Message],
    ) -> Result<Self, WireError> {
        let last = messages.iter().enumerate().rfind(|(_, it)| it.role == Role::User);
        let Some((index, message)) = last else {
            let message = "expected a user message as the prompt of an image";
            return Err(WireError::unsupported(message).with_help("add `Message::user(\"A cat\")`"));
        };
        if let Some(other) = message.content.iter().find(|part| part.as_text().is_none()) {
            let error = WireError::unsupported(format!(
                "image requests do not support `{}` parts",
                ContentPart::kind(other)
            ));
            return Err(error.with_help("remove it, or send text").in_message(index));
        }
        Ok(Self::new(model, message.text()))
    }

    /// Adds the options that only the provider knows. The others do not apply to images.
    pub fn with_options(mut self, options: impl Into<GenerationOptions>) -> Self {
        let additional = options.into().additional;
        self.additional.extend(additional.iter().map(|(name, value)| (name, value.clone())));
        self
    }

    /// Adds an entry that only the provider knows, such as `size`. It does not replace the model or
    /// the prompt.
    pub fn with_extra(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.additional.insert(name, value);
        self
    }

    /// The body of the HTTP request.
    ///
    /// # Errors
    ///
    /// Returns an error if an extra entry cannot be written as JSON.
    pub fn to_json(&self) -> Result<String, WireError> {
        serde_json::to_string(self).map_err(|error| WireError::unsupported(error.to_string()))
    }
}

impl fmt::Debug for ImageRequest<'_> {
    /// Shows no secrets of extra entries.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImageRequest")
            .field("model", &self.model)
            .field("prompt", &self.prompt)
            .field("additional", &redact_entries(&self.additional))
            .finish()
    }
}

impl Serialize for ImageRequest<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut body = EntryWriter::new(serializer.serialize_map(None)?);
        body.put("model", &*self.model)?;
        body.put("prompt", &*self.prompt)?;
        body.end(self.additional.iter())
    }
}

json_objects! {
    struct ImagesBody<'j> {
        data: List<ImageEntry<'j>>,
        output_format: Text<'j>,
    }

    struct ImageEntry<'j> {
        url: Text<'j>,
        b64_json: Text<'j>,
        revised_prompt: Text<'j>,
    }
}

impl Images {
    /// Reads an answer, from its HTTP status and its body. If an image has a URL and bytes, the URL
    /// is used.
    ///
    /// # Errors
    ///
    /// Returns an error if the status or the body is that of an error, or the body has no image.
    pub fn read(status: u16, body: &[u8]) -> Result<Self, WireError> {
        let json = complete_answer::json(status, body)?;
        let body: ImagesBody<'_> = WireError::read_json(&json)?;
        let media_type = body.output_format.get().map(|format| format!("image/{format}"));
        let images = body.data.0.iter().map(|entry| {
            let media = match (entry.url.get(), entry.b64_json.get()) {
                (Some(url), _) => Media::new(url),
                (None, Some(base64)) => {
                    let mut media = Media::new(base64);
                    media.media_type = media_type.clone();
                    media
                }
                (None, None) => {
                    return Err(missing_image("an entry of the answer does not contain an image"));
                }
            };
            let revised_prompt = entry.revised_prompt.get().map(str::to_owned);
            Ok(GeneratedImage { media, revised_prompt })
        });
        let images = images.collect::<Result<Vec<_>, _>>()?;
        if images.is_empty() {
            return Err(missing_image("the provider's answer does not contain an image"));
        }
        Ok(Self { images })
    }
}

fn missing_image(message: &str) -> WireError {
    WireError::unreadable(message).with_help("check that the model generates images")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WireErrorKind;

    #[test]
    fn the_last_message_of_the_user_is_the_prompt() {
        let messages = [
            Message::system("Be brief."),
            Message::user("A dog"),
            Message::user("A cat"),
            Message::assistant("Here it is."),
        ];
        let request = ImageRequest::from_messages("painter-1", &messages).unwrap();
        assert_eq!(request.to_json().unwrap(), r#"{"model":"painter-1","prompt":"A cat"}"#);
    }

    #[test]
    fn messages_without_a_text_of_the_user_are_an_error() {
        let image = ContentPart::Image(Media::new("https://a.example/b.png"));
        for messages in
            [vec![Message::system("Be brief.")], vec![Message::new(Role::User, [image])]]
        {
            let error = ImageRequest::from_messages("painter-1", &messages).unwrap_err();
            assert_eq!(error.kind(), WireErrorKind::Unsupported);
            assert!(error.help().is_some());
        }
    }

    #[test]
    fn a_url_is_preferred_to_bytes() {
        let body = br#"{"output_format": "webp", "data": [
            {"url": "https://a.example/1.png", "b64_json": "AAAA", "revised_prompt": "A red cat"},
            {"url": null, "b64_json": "AAAA"}]}"#;
        let images = Images::read(200, body).unwrap().images;
        assert_eq!(images[0].media, Media::new("https://a.example/1.png"));
        assert_eq!(images[0].revised_prompt.as_deref(), Some("A red cat"));
        assert_eq!(images[1].media.to_url().unwrap(), "data:image/webp;base64,AAAA");
    }

    #[test]
    fn an_answer_without_images_is_an_error() {
        for body in [r#"{"data": []}"#, r#"{"data": [{"revised_prompt": "A cat"}]}"#, "{}"] {
            let error = Images::read(200, body.as_bytes()).unwrap_err();
            assert_eq!(error.kind(), WireErrorKind::Unreadable, "{body}");
            assert!(error.help().is_some(), "{body}");
        }
        let error = Images::read(400, br#"{"error": {"message": "not that"}}"#).unwrap_err();
        assert_eq!(error.to_string(), "the provider answered with status 400: not that");
    }
}
