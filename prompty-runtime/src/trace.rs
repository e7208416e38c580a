//! Spans of the pipeline through the `tracing` crate, and what must not be recorded (§3.4).

use crate::value::{Map, Value};

/// What a secret is shown as.
pub const REDACTED: &str = "[REDACTED]";

/// What the name of a secret holds, in any case (§3.4).
const SECRET_NAMES: [&str; 8] =
    ["secret", "password", "api_key", "apikey", "token", "auth", "credential", "cookie"];

/// The same value with every entry redacted whose name sounds like a secret's.
///
/// ```
/// use prompty_runtime::trace::redact;
/// use prompty_runtime::value::{Map, Value};
///
/// let inputs = Map::from([("userToken", "abc"), ("key", "b")]);
/// assert_eq!(redact(&Value::from(inputs)).to_string(), r#"{"userToken": "[REDACTED]", "key": "b"}"#);
/// ```
pub fn redact(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(redact).collect(),
        Value::Object(map) => Value::Object(redact_entries(map)),
        other => other.clone(),
    }
}

/// The same entries, redacted as [`redact`] does it.
pub(crate) fn redact_entries(map: &Map) -> Map {
    let redacted = map.iter().map(|(name, value)| {
        let shown = if is_secret(name) { Value::from(REDACTED) } else { redact(value) };
        (name, shown)
    });
    redacted.collect()
}

/// Whether a name sounds like a secret's.
pub fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_NAMES.iter().any(|part| name.contains(part))
}

/// Opens a span of the pipeline for the rest of the block; nothing without the feature `tracing`.
macro_rules! span {
    ($name:literal $(, $field:ident = $value:expr)* $(,)?) => {
        #[cfg(feature = "tracing")]
        let _span = tracing::info_span!($name $(, $field = $value)*).entered();
        #[cfg(not(feature = "tracing"))]
        let _ = ($(&$value,)*);
    };
}

pub(crate) use span;

/// A span that is not entered yet; nothing without the feature `tracing`.
#[cfg(feature = "tracing")]
pub(crate) type Pending = tracing::Span;
#[cfg(not(feature = "tracing"))]
pub(crate) type Pending = ();

/// Makes a span for work that waits; see [`within`].
macro_rules! span_of {
    ($name:literal $(, $field:ident = $value:expr)* $(,)?) => {{
        #[cfg(feature = "tracing")]
        {
            tracing::info_span!($name $(, $field = $value)*)
        }
        #[cfg(not(feature = "tracing"))]
        {
            let _ = ($(&$value,)*);
        }
    }};
}

pub(crate) use span_of;

/// Runs waiting work inside a span.
pub(crate) async fn within<T>(span: Pending, work: impl Future<Output = T>) -> T {
    #[cfg(feature = "tracing")]
    return tracing::Instrument::instrument(work, span).await;
    #[cfg(not(feature = "tracing"))]
    {
        let () = span;
        work.await
    }
}
