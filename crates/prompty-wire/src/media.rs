//! Media in the form of request bodies.

use std::borrow::Cow;

use prompty_core::message::{Media, MediaPlace};

use super::error::WireError;

/// Media as a URL.
pub(super) fn url(media: &Media) -> Result<Cow<'_, str>, WireError> {
    Ok(match media.place()? {
        MediaPlace::Url(url) => Cow::Borrowed(url),
        // A complete data URI is used unchanged, so that long data is not copied.
        MediaPlace::Data { media_type: Some(_), base64: Cow::Borrowed(_) }
            if media.media_type.is_none() =>
        {
            Cow::Borrowed(&media.value)
        }
        _ => Cow::Owned(media.to_url()?),
    })
}

/// The level of detail of an image, if it is set.
pub(super) fn detail(media: &Media) -> Option<&str> {
    media.detail.as_deref().filter(|detail| !detail.is_empty())
}

/// The name of an audio format in chat completions (Prompty §7.1.2).
///
/// ```
/// # mod typed_prompty { pub use prompty_wire as wire; }
/// use typed_prompty::wire::audio_format;
///
/// assert_eq!(audio_format("audio/mpeg"), "mp3");
/// assert_eq!(audio_format("audio/x-wav"), "wav");
/// assert_eq!(audio_format("audio/aac"), "aac");
/// ```
#[doc(hidden)]
pub fn audio_format(media_type: &str) -> Cow<'_, str> {
    let essence = media_type.split(';').next().unwrap_or(media_type).trim();
    match essence.to_ascii_lowercase().as_str() {
        "audio/wav" | "audio/x-wav" | "audio/wave" | "audio/vnd.wave" => Cow::Borrowed("wav"),
        "audio/mp3" | "audio/mpeg" => Cow::Borrowed("mp3"),
        other => match other.split_once('/') {
            Some((_, format)) => Cow::Owned(format.to_owned()),
            None => Cow::Borrowed(essence),
        },
    }
}
