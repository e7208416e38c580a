//! Images, files and sounds: where they are or what they are, and how a request names them.

use std::borrow::Cow;

use crate::error::{Error, ErrorKind};

/// An image, a file or a sound: where it is, or what it is.
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
    /// A URL, a data URI, or base64 data. It is empty where only the place of the medium in the
    /// conversation is known, as a chat template needs it.
    pub value: String,
    /// The MIME type, such as `image/png`.
    pub media_type: Option<String>,
    /// How closely a model should look at an image: `auto`, `low`, `high`.
    pub detail: Option<String>,
    /// The name of a file, such as `report.pdf`.
    pub name: Option<String>,
}

/// What the value of a medium is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MediaPlace<'media> {
    /// Nothing: only the place of the medium in the conversation is known.
    Unknown,
    /// It lies at a URL.
    Url(&'media str),
    /// It is the medium itself.
    Data {
        /// The MIME type, where it is known.
        media_type: Option<&'media str>,
        /// The bytes, in base64 of the usual alphabet and without white space.
        base64: Cow<'media, str>,
    },
}

impl Media {
    /// A medium by URL, data URI or base64 data.
    pub fn new(value: impl Into<String>) -> Self {
        Self { value: value.into(), ..Self::default() }
    }

    /// A medium by its bytes.
    ///
    /// ```
    /// # use prompty_core as typed_prompty;
    /// use typed_prompty::message::Media;
    ///
    /// let sound = Media::from_bytes(b"RIFF", "audio/wav");
    /// assert_eq!(sound.to_url()?, "data:audio/wav;base64,UklGRg==");
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    #[cfg(feature = "media")]
    pub fn from_bytes(bytes: impl AsRef<[u8]>, media_type: impl Into<String>) -> Self {
        use base64::Engine;
        let value = base64::engine::general_purpose::STANDARD.encode(bytes);
        Self::new(value).with_media_type(media_type)
    }

    /// The same medium with a MIME type.
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

    /// What the value is: a URL has a scheme, such as `https:`, and base64 has no `:`.
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
    /// [`ErrorKind::WrongInput`] where a data URI is not in base64, or the value is neither.
    pub fn place(&self) -> Result<MediaPlace<'_>, Error> {
        let stated = self.media_type.as_deref().filter(|it| !it.is_empty());
        if self.value.is_empty() {
            return Ok(MediaPlace::Unknown);
        }
        let scheme = self.value.split_once(':').map(|(scheme, rest)| (scheme.trim(), rest));
        match scheme {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("data") => {
                let Some((head, data)) = rest.split_once(',') else {
                    return Err(wrong("a data URI has no `,`"));
                };
                let mut head = head.split(';');
                let media_type = head.next().filter(|it| !it.is_empty());
                if !head.any(|it| it.trim().eq_ignore_ascii_case("base64")) {
                    return Err(wrong("a data URI of a medium must be in base64"));
                }
                Ok(MediaPlace::Data {
                    media_type: stated.or(media_type),
                    base64: normalised(data)?,
                })
            }
            Some((scheme, _)) if scheme.eq_ignore_ascii_case("file") => {
                Err(wrong("a file of this machine is no URL for a provider"))
            }
            Some((scheme, _)) if is_scheme(scheme) => Ok(MediaPlace::Url(&self.value)),
            Some(_) => Err(wrong("a path is no URL")),
            None if self.value.bytes().all(is_base64) => {
                Ok(MediaPlace::Data { media_type: stated, base64: normalised(&self.value)? })
            }
            None => Err(wrong("a medium is neither a URL nor base64 data")),
        }
    }

    /// The medium as a URL: one that it is at, or a data URI.
    ///
    /// # Errors
    ///
    /// Those of [`Media::place`], and [`ErrorKind::WrongInput`] where there is no value, or the MIME type
    /// of data is not known.
    pub fn to_url(&self) -> Result<String, Error> {
        match self.place()? {
            MediaPlace::Url(url) => Ok(url.to_owned()),
            MediaPlace::Data { media_type: Some(media_type), base64 } => {
                Ok(format!("data:{media_type};base64,{base64}"))
            }
            place => Err(self.incomplete(&place)),
        }
    }

    /// The bytes of a medium that is data.
    ///
    /// # Errors
    ///
    /// Those of [`Media::place`], and [`ErrorKind::WrongInput`] where the medium is no data, or the data is
    /// not in base64.
    #[cfg(feature = "media")]
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        use base64::Engine;
        let MediaPlace::Data { base64, .. } = self.place()? else {
            return Err(wrong("a medium is no data, but lies at a URL"));
        };
        let decoded = base64::engine::general_purpose::STANDARD.decode(base64.as_bytes());
        decoded.map_err(|error| no_base64().with_source(error))
    }

    /// What a medium lacks that must be data with its MIME type.
    #[doc(hidden)]
    pub fn incomplete(&self, place: &MediaPlace<'_>) -> Error {
        wrong(match place {
            MediaPlace::Data { .. } => "the MIME type of a medium is not known",
            MediaPlace::Url(_) => "a medium is no data, but lies at a URL",
            MediaPlace::Unknown => "a medium has no value",
        })
    }
}

/// Whether a text is the scheme of a URL. One letter is the drive of a path.
fn is_scheme(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    text.len() > 1
        && text.starts_with(|it: char| it.is_ascii_alphabetic())
        && text.bytes().all(is_part)
}

/// Base64 of the usual alphabet and without white space, out of either alphabet. Only [`Media::to_bytes`] reads all of
/// it: a reference case of the specification has three dots in its data.
fn normalised(data: &str) -> Result<Cow<'_, str>, Error> {
    let is_written_so = |byte: u8| !byte.is_ascii_whitespace() && byte != b'-' && byte != b'_';
    let text = match data.bytes().all(is_written_so) {
        true => Cow::Borrowed(data),
        false => Cow::Owned(in_usual_letters(data)),
    };
    if text.trim_end_matches('=').contains('=') { Err(no_base64()) } else { Ok(text) }
}

/// Whether a byte is one of base64 in the usual alphabet.
fn is_usual(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)
}

fn in_usual_letters(data: &str) -> String {
    let letters = data.chars().filter(|letter| !letter.is_ascii_whitespace());
    let usual = letters.map(|letter| match letter {
        '-' => '+',
        '_' => '/',
        letter => letter,
    });
    usual.collect()
}

fn no_base64() -> Error {
    wrong("the data of a medium is not in base64")
}

/// Whether a byte may stand in base64 of either alphabet, or in white space between its lines.
fn is_base64(byte: u8) -> bool {
    is_usual(byte) || byte.is_ascii_whitespace() || b"-_".contains(&byte)
}

fn wrong(message: &str) -> Error {
    let help = "give a URL, a data URI such as `data:image/png;base64,…`, or base64 data with its MIME \
                type: `Media::from_bytes(bytes, \"image/png\")`";
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
    fn base64_without_a_type_is_no_url() {
        let error = Media::new("iVBORw==").to_url().unwrap_err();
        assert_eq!(error.to_string(), "the MIME type of a medium is not known");
        assert!(Media::new("photo of a cat.png").to_url().is_err());
        assert!(Media::new("").to_url().is_err());
    }

    #[test]
    fn a_stated_type_wins_over_that_of_a_data_uri() {
        let media = Media::new("DATA:text/plain;charset=utf-8;base64,YQ==");
        assert_eq!(media.to_url().unwrap(), "data:text/plain;base64,YQ==");
        let media = media.with_media_type("text/html");
        assert_eq!(media.to_url().unwrap(), "data:text/html;base64,YQ==");
        assert!(Media::new("data:text/plain,abc").to_url().is_err());
    }

    #[test]
    fn base64_is_sent_in_one_form() {
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
