//! References in the front matter (§4.3 of the Prompty specification): `${env:NAME}`,
//! `${env:NAME:default}` and `${file:path}`.
//!
//! A reference is the complete string. The body of a prompt has no references.

/// A reference to a value outside the front matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reference<'t> {
    Environment { name: &'t str, default: Option<&'t str> },
    File { path: &'t str },
}

impl<'t> Reference<'t> {
    /// Parses a string as a reference. A string with an unknown protocol is not a reference.
    /// Only the first colon after `env:` separates: `${env:A:http://x:1}` has the default
    /// `http://x:1`.
    pub(super) fn parse(text: &'t str) -> Option<Self> {
        let inner = text.strip_prefix("${")?.strip_suffix('}')?;
        if closes_early(inner) {
            return None;
        }
        let (protocol, value) = inner.split_once(':')?;
        if protocol.eq_ignore_ascii_case("file") {
            return Some(Self::File { path: value });
        }
        if !protocol.eq_ignore_ascii_case("env") {
            return None;
        }
        Some(match value.split_once(':') {
            Some((name, default)) => Self::Environment { name, default: Some(default) },
            None => Self::Environment { name: value, default: None },
        })
    }
}

/// Whether a string of the front matter is a reference. Its value is known only when the prompt is
/// loaded.
///
/// ```
/// # use prompty_check as typed_prompty;
/// use typed_prompty::definition::is_reference;
///
/// assert!(is_reference("${env:MODEL}"));
/// assert!(!is_reference("gpt-4o"));
/// ```
#[doc(hidden)]
pub fn is_reference(text: &str) -> bool {
    Reference::parse(text).is_some()
}

/// Whether the brace before `inner` is already closed in it, as in `${env:A} and ${env:B}`. A brace
/// that opens in `inner` need not be closed: the default of `${env:A:{}` is `{`.
fn closes_early(inner: &str) -> bool {
    let mut depth = 0_usize;
    for character in inner.chars() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => return true,
            '}' => depth -= 1,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::Reference;

    fn environment<'t>(name: &'t str, default: Option<&'t str>) -> Option<Reference<'t>> {
        Some(Reference::Environment { name, default })
    }

    #[test]
    fn the_default_of_a_variable_may_be_empty_or_contain_colons() {
        assert_eq!(Reference::parse("${env:A}"), environment("A", None));
        assert_eq!(Reference::parse("${ENV:A:}"), environment("A", Some("")));
        assert_eq!(Reference::parse("${env:A:http://x:1}"), environment("A", Some("http://x:1")));
        assert_eq!(Reference::parse("${env:A:{\"b\": 1}}"), environment("A", Some("{\"b\": 1}")));
    }

    #[test]
    fn a_file_is_named_by_its_path() {
        assert_eq!(
            Reference::parse("${File:a b.json}"),
            Some(Reference::File { path: "a b.json" })
        );
    }

    #[test]
    fn a_reference_is_a_complete_string_with_a_known_protocol() {
        for text in [
            "${env:A} and ${env:B}",
            "${env:A:x} ${env:B:y}",
            " ${env:A}",
            "x${env:A}",
            "${env}",
            "${vault:A}",
            "${}",
            "${env:A",
            "$env:A",
            "",
        ] {
            assert_eq!(Reference::parse(text), None, "{text}");
        }
    }
}
