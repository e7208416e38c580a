//! Images that a model makes: the request, and the answer to it (Prompty §7.3, §8.3).

use std::borrow::Cow;

use prompty_core::message::{ContentPart, GenerationOptions, Media, Message, Role};
use prompty_core::value::{Map, Value};
use serde::{Serialize, Serializer};

use super::entries::Entries;
use super::error::WireError;
use super::fields::{List, Text, json_objects};
use super::whole;

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
#[derive(Debug, Clone, PartialEq)]
pub struct ImageRequest<'a> {
    model: Cow<'a, str>,
    prompt: Cow<'a, str>,
    additional: Map,
}

/// The images that a model made.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[non_exhaustive]
pub struct Images {
    /// The images, in the provider's order.
    pub images: Vec<GeneratedImage>,
}

/// An image that a model made.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct GeneratedImage {
    /// The image: where it is, or its bytes in base64.
    pub media: Media,
    /// The prompt that it was made of, where the provider wrote another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revised_prompt: Option<String>,
}

impl<'a> ImageRequest<'a> {
    /// The path of the request below the base URL.
    pub const PATH: &'static str = "/images/generations";

    /// A request for images of what a prompt says.
    pub fn new(model: impl Into<Cow<'a, str>>, prompt: impl Into<Cow<'a, str>>) -> Self {
        Self { model: model.into(), prompt: prompt.into(), additional: Map::new() }
    }

    /// A request for images of what the last message of the user says.
    ///
    /// # Errors
    ///
    /// [`WireErrorKind::Unsupported`](super::WireErrorKind::Unsupported) where there is no such message, or it
    /// holds what is no text.
    pub fn from_messages(
        model: impl Into<Cow<'a, str>>,
        messages: &[Message],
    ) -> Result<Self, WireError> {
        let last = messages.iter().enumerate().rfind(|(_, it)| it.role == Role::User);
        let Some((index, message)) = last else {
            let message = "an image is made of the last message of the user, and there is none";
            return Err(WireError::unsupported(message).with_help("add `Message::user(\"A cat\")`"));
        };
        if let Some(other) = message.content.iter().find(|part| part.as_text().is_none()) {
            let error = WireError::unsupported(format!(
                "no image can be made of a part of the kind `{}`",
                ContentPart::kind(other)
            ));
            return Err(error.with_help("leave it out, or say it in text").in_message(index));
        }
        Ok(Self::new(model, message.text()))
    }

    /// The same request with what of some options images have: those that only the provider knows.
    #[must_use]
    pub fn with_options(mut self, options: impl Into<GenerationOptions>) -> Self {
        let additional = options.into().additional;
        self.additional.extend(additional.iter().map(|(name, value)| (name, value.clone())));
        self
    }

    /// The same request with an entry that only the provider knows, such as `size`. It replaces neither the
    /// model nor the prompt.
    #[must_use]
    pub fn with_extra(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.additional.insert(name, value);
        self
    }

    /// The body of the HTTP request.
    ///
    /// # Errors
    ///
    /// Where an extra entry cannot be written as JSON.
    pub fn to_json(&self) -> Result<String, WireError> {
        serde_json::to_string(self).map_err(|error| WireError::unsupported(error.to_string()))
    }
}

impl Serialize for ImageRequest<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut body = Entries::new(serializer.serialize_map(None)?);
        body.put("model", &*self.model)?;
        body.put("prompt", &*self.prompt)?;
        body.end(self.additional.iter())
    }
}

json_objects! {
    struct Body<'j> {
        data: List<Entry<'j>>,
        output_format: Text<'j>,
    }

    struct Entry<'j> {
        url: Text<'j>,
        b64_json: Text<'j>,
        revised_prompt: Text<'j>,
    }
}

impl Images {
    /// Reads an answer by its HTTP status and its body. Where an image has a URL and bytes, the URL counts.
    ///
    /// # Errors
    ///
    /// Where the status or the body is that of an error, or there is no image.
    pub fn read(status: u16, body: &[u8]) -> Result<Self, WireError> {
        let json = whole::json(status, body)?;
        let body: Body<'_> = serde_json::from_str(&json).map_err(WireError::no_event)?;
        let media_type = body.output_format.get().map(|format| format!("image/{format}"));
        let images = body.data.0.iter().map(|entry| {
            let media = match (entry.url.get(), entry.b64_json.get()) {
                (Some(url), _) => Media::new(url),
                (None, Some(base64)) => {
                    let mut media = Media::new(base64);
                    media.media_type = media_type.clone();
                    media
                }
                (None, None) => return Err(no_image("an entry of the answer holds no image")),
            };
            let revised_prompt = entry.revised_prompt.get().map(str::to_owned);
            Ok(GeneratedImage { media, revised_prompt })
        });
        let images = images.collect::<Result<Vec<_>, _>>()?;
        if images.is_empty() {
            return Err(no_image("the answer of the provider holds no image"));
        }
        Ok(Self { images })
    }
}

fn no_image(message: &str) -> WireError {
    WireError::unreadable(message).with_help("check that the model is one that makes images")
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
    fn a_url_counts_before_bytes() {
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
