//! The HTTP headers of a request, and the retry headers of an answer.

use std::time::{Duration, SystemTime};

use super::protocol::Protocol;
use super::protocol_rules::ProtocolRules;

impl Protocol {
    /// The headers that a request needs, with your API key. Local servers mostly need no key.
    ///
    /// White space around the key, which may come from a file, is removed.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_wire as wire; }
    /// use typed_prompty::wire::Protocol;
    ///
    /// let headers: Vec<_> = Protocol::OpenAiChat.headers(Some("sk-1")).collect();
    /// let bearer = ("authorization", "Bearer sk-1".to_owned());
    /// assert_eq!(headers, [("content-type", "application/json".to_owned()), bearer]);
    ///
    /// let names: Vec<_> = Protocol::AnthropicMessages.headers(Some("sk-1")).map(|it| it.0).collect();
    /// assert_eq!(names, ["content-type", "anthropic-version", "x-api-key"]);
    /// ```
    pub fn headers(
        self,
        key: Option<&str>,
    ) -> impl Iterator<Item = (&'static str, String)> + use<> {
        let key = key.map(str::trim).filter(|key| !key.is_empty());
        let ProtocolRules { key_header: (name, scheme), version_header, .. } = self.rules();
        let key = key.map(|key| (*name, format!("{scheme}{key}")));
        let version = version_header.map(|(name, version)| (name, version.to_owned()));
        [Some(("content-type", "application/json".to_owned())), version, key].into_iter().flatten()
    }
}

/// The delay before the next request, from the headers of an answer: `retry-after-ms`, or
/// `retry-after`, which is a number of seconds or a date. A date in the past gives zero.
///
/// The provider chooses the delay, and it may be hours. The caller should limit it.
///
/// ```
/// # mod typed_prompty { pub use prompty_wire as wire; }
/// use std::time::{Duration, SystemTime};
/// use typed_prompty::wire::retry_after;
///
/// let headers = [("content-type", "application/json"), ("retry-after", "1.5")];
/// // With the headers of `reqwest` and `ureq`: `|name| headers.get(name)?.to_str().ok()`.
/// let header = |name: &str| headers.iter().find(|it| it.0 == name).map(|it| it.1);
/// assert_eq!(retry_after(header, SystemTime::now()), Some(Duration::from_millis(1_500)));
/// ```
pub fn retry_after<'h>(
    header: impl Fn(&str) -> Option<&'h str>,
    now: SystemTime,
) -> Option<Duration> {
    let milliseconds = || seconds(header("retry-after-ms")?, 1_000.0);
    milliseconds().or_else(|| {
        let text = header("retry-after")?.trim();
        seconds(text, 1.0).or_else(|| {
            let date = httpdate::parse_http_date(text).ok()?;
            Some(date.duration_since(now).unwrap_or_default())
        })
    })
}

/// A duration, from a text with a number of units. `parts` is the number of units in a second.
fn seconds(text: &str, parts: f64) -> Option<Duration> {
    let count: f64 = text.trim().parse().ok()?;
    Duration::try_from_secs_f64(count / parts).ok()
}
