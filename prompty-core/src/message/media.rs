//! Images, files and audio: their data or their URL, and how a request refers to them.

use std::borrow::Cow;

use crate::error::{Error, ErrorKind};

/// An image, a file or audio, as data or as a URL.
///
/// ```
/// # use prompty_core as typed_prompty;
/// use typed_prompty::message::Media;
///
/// let image = Media::new("https://example.com/cat.png").with_media_type("image/png");
/// assert_eq!(image.media_type.as_deref(), Some("image/png"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Media {
    /// A URL, a data URI, or base64 data. It is empty if only the position of the media in the
    /// conversation is known, as in a chat template.
    pub value: String,
    /// The MIME type, such as `image/png`.
    pub media_type: Option<String>,
    /// How closely a model should look at an image: `auto`, `low`, `high`.
    pub detail: Option<String>,
    /// The name of a file, such as `report.pdf`.
    pub name: Option<String>,
}

/// Where the media are: at a URL, or in the value of the [`Media`] itself.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MediaPlace<'media> {
    /// No value: only the position in the conversation is known.
    Unknown,
    /// The URL of the media.
    Url(&'media str),
    /// The data of the media.
    Data {
        /// The MIME type, if it is known.
        media_type: Option<&'media str>,
        /// The bytes, in base64 of the standard alphabet and without white space.
        base64: Cow<'media, str>,
    },
}

impl Media {
    /// Creates media from a URL, a data URI or base64 data.
    pub fn new(value: impl Into<String>) -> Self {
        Self { value: value.into(), ..Self::default() }
    }

    /// Creates media from bytes.
    ///
    /// ```
    /// # use prompty_core as typed_prompty;
    /// use typed_prompty::message::Media;
    ///
    /// let audio = Media::from_bytes(b"RIFF", "audio/wav");
    /// assert_eq!(audio.to_url()?, "data:audio/wav;base64,UklGRg==");
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    #[cfg(feature = "media")]
    pub fn from_bytes(bytes: impl AsRef<[u8]>, media_type: impl Into<String>) -> Self {
        use base64::Engine;
        let value = base64::engine::general_purpose::STANDARD.encode(bytes);
        Self::new(value).with_media_type(media_type)
    }

    /// The same media with a MIME type.
    #[must_use]
    pub fn with_media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    /// The same image with a level of detail.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// The same file with a name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Parses the value, which says where the media are. A URL has a scheme, such as `https:`, and
    /// base64 has no `:`.
    ///
    /// ```
    /// # use prompty_core as typed_prompty;
    /// use typed_prompty::message::{Media, MediaPlace};
    ///
    /// let place = MediaPlace::Data { media_type: Some("image/png"), base64: "iVBORw==".into() };
    /// assert_eq!(Media::new("data:image/png;base64,iVBORw==").place()?, place);
    /// assert_eq!(Media::new("iVBORw==").with_media_type("image/png").place()?, place);
    /// assert_eq!(Media::new("https://a.example/b").place()?, MediaPlace::Url("https://a.example/b"));
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::WrongInput`] if the value is neither a URL for a provider nor data in
    /// base64.
    pub fn place(&self) -> Result<MediaPlace<'_>, Error> {
        if self.value.is_empty() {
            return Ok(MediaPlace::Unknown);
        }
        let stated_type = self.media_type.as_deref().filter(|it| !it.is_empty());
        if stated_type.is_some_and(|it| it.contains(',')) {
            // In a data URI the MIME type ends at a comma, so the rest of it would become data.
            return Err(wrong("the MIME type of the media contains a comma"));
        }
        let scheme = self.value.split_once(':').map(|(scheme, rest)| (scheme.trim(), rest));
        match scheme {
            // `data:image/png;base64,iVBORw==`
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("data") => {
                let Some((head, data)) = rest.split_once(',') else {
                    return Err(wrong("missing `,` in the data URI"));
                };
                let mut attributes = head.split(';');
                let media_type = attributes.next().filter(|it| !it.is_empty());
                if !attributes.any(|it| it.trim().eq_ignore_ascii_case("base64")) {
                    return Err(wrong("the data URI is not encoded in base64"));
                }
                Ok(MediaPlace::Data {
                    media_type: stated_type.or(media_type),
                    base64: normalise_base64(data)?,
                })
            }
            Some((scheme, _)) if scheme.eq_ignore_ascii_case("file") => {
                Err(wrong("expected a URL that the provider can read, found a `file:` URL"))
            }
            Some((scheme, _)) if is_scheme(scheme) => Ok(MediaPlace::Url(&self.value)),
            // `C:\cat.png`
            Some(_) => Err(wrong("expected a URL, found a path")),
            None if self.value.bytes().all(is_base64_byte) => Ok(MediaPlace::Data {
                media_type: stated_type,
                base64: normalise_base64(&self.value)?,
            }),
            None => Err(wrong("the value of the media part is neither a URL nor base64 data")),
        }
    }

    /// The media as a URL: its own, or a data URI.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Media::place`], and [`ErrorKind::WrongInput`] if there is no value,
    /// or if the MIME type of data is unknown.
    pub fn to_url(&self) -> Result<String, Error> {
        match self.place()? {
            MediaPlace::Url(url) => Ok(url.to_owned()),
            MediaPlace::Data { media_type: Some(media_type), base64 } => {
                Ok(format!("data:{media_type};base64,{base64}"))
            }
            place => Err(self.missing_error(&place)),
        }
    }

    /// The bytes of media that are data.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Media::place`], and [`ErrorKind::WrongInput`] if the media are not
    /// data, or if the data are not valid base64.
    #[cfg(feature = "media")]
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        use base64::Engine;
        let base64 = match self.place()? {
            MediaPlace::Data { base64, .. } => base64,
            place => return Err(self.missing_error(&place)),
        };
        let decoded = base64::engine::general_purpose::STANDARD.decode(base64.as_bytes());
        decoded.map_err(|error| invalid_base64().with_source(error))
    }

    /// The error for media that are not data with a MIME type: what is missing.
    #[doc(hidden)]
    pub fn missing_error(&self, place: &MediaPlace<'_>) -> Error {
        match place {
            MediaPlace::Data { .. } => wrong("the MIME type of the media part is unknown"),
            // A URL is an error only for a caller that needs the bytes.
            MediaPlace::Url(_) => wrong("expected the bytes of the media, found only its URL")
                .with_help("load the URL, and pass `Media::from_bytes(bytes, \"image/png\")`"),
            MediaPlace::Unknown => wrong("the media part has no value"),
        }
    }
}

/// Whether a text is the scheme of a URL. A single letter is the drive of a path.
fn is_scheme(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    text.len() > 1
        && text.starts_with(|it: char| it.is_ascii_alphabetic())
        && text.bytes().all(is_part)
}

/// Converts base64 of either alphabet to the standard alphabet without white space. The data are
/// not decoded, because a reference case of the specification has invalid base64.
fn normalise_base64(data: &str) -> Result<Cow<'_, str>, Error> {
    let needs_no_change = |byte: u8| !byte.is_ascii_whitespace() && byte != b'-' && byte != b'_';
    let text = match data.bytes().all(needs_no_change) {
        true => Cow::Borrowed(data),
        false => {
            let standard = |character| match character {
                '-' => '+',
                '_' => '/',
                other => other,
            };
            data.chars().filter(|it| !it.is_ascii_whitespace()).map(standard).collect()
        }
    };
    // A `=` is only allowed at the end.
    if text.trim_end_matches('=').contains('=') { Err(invalid_base64()) } else { Ok(text) }
}

fn invalid_base64() -> Error {
    wrong("the data of the media part is not valid base64")
}

/// Whether a byte is allowed in base64 of either alphabet, or in white space between its lines.
fn is_base64_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() || b"+/=-_".contains(&byte)
}

fn wrong(message: &str) -> Error {
    let help = "pass a URL, a data URI such as `data:image/png;base64,…`, or base64 data with its \
                MIME type: `Media::from_bytes(bytes, \"image/png\")`";
    Error::new(ErrorKind::WrongInput, message).with_help(help)
}

impl From<String> for Media {
    fn from(value: String) -> Self {
        Self::new(value)
    }
}

impl From<&str> for Media {
    fn from(value: &str) -> Self {
        Self::new(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_without_a_type_is_not_a_url() {
        let error = Media::new("iVBORw==").to_url().unwrap_err();
        assert_eq!(error.to_string(), "the MIME type of the media part is unknown");
        assert!(Media::new("photo of a cat.png").to_url().is_err());
        assert!(Media::new("").to_url().is_err());
    }

    #[test]
    fn the_media_type_overrides_the_type_of_a_data_uri() {
        let media = Media::new("DATA:text/plain;charset=utf-8;base64,YQ==");
        assert_eq!(media.to_url().unwrap(), "data:text/plain;base64,YQ==");
        let media = media.with_media_type("text/html");
        assert_eq!(media.to_url().unwrap(), "data:text/html;base64,YQ==");
        assert!(Media::new("data:text/plain,abc").to_url().is_err());
    }

    #[test]
    fn a_mime_type_with_a_comma_is_an_error() {
        let error = Media::new("YQ==").with_media_type("image/a,b").to_url().unwrap_err();
        assert_eq!(error.to_string(), "the MIME type of the media contains a comma");
    }

    #[test]
    fn base64_is_sent_in_a_single_form() {
        let place = |value: &str| Media::new(value).with_media_type("image/png").to_url();
        assert_eq!(place("_-__\r\n YQ==").unwrap(), "data:image/png;base64,/+//YQ==");
        assert_eq!(place("DATA:image/gif;BASE64,YQ==").unwrap(), "data:image/png;base64,YQ==");
        for wrong in ["a cat.png", "C:\\cat.png", "file:///etc/passwd", "data:;base64"]
            .into_iter()
            .chain(["abc=d=====", "data:image/png;base64,a=b="])
        {
            assert!(place(wrong).is_err(), "{wrong}");
        }
        assert!(Media::new("data:;base64,YQ==").to_url().is_err());
    }
}
