//! Finds the captures of a literal, as in `format!`.

use syn::ext::IdentExt;
use syn::parse::Parser;
use syn::{Ident, LitStr};

/// A capture in a literal.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Capture {
    pub(crate) name: String,
    /// Whether the capture has a format: `{name:>8}`, `{name:?}`.
    pub(crate) is_formatted: bool,
}

/// The captures of a literal, as in `format!`: `{name}` and `{name:…}`.
pub(crate) fn captures(text: &LitStr) -> Vec<Capture> {
    let text = text.value();
    let mut names = Vec::new();
    let mut rest = text.as_str();
    while let Some((_, after)) = rest.split_once('{') {
        if let Some(escaped) = after.strip_prefix('{') {
            rest = escaped;
            continue;
        }
        // rustc reports a brace that is not closed.
        let (inside, after) = after.split_once('}').unwrap_or((after, ""));
        let (name, format) = inside.split_once(':').unwrap_or((inside, ""));
        let name = name.trim();
        // A keyword may be the name of a field: `r#type`.
        if Ident::parse_any.parse_str(name).is_ok() {
            let is_formatted = !format.trim().is_empty();
            names.push(Capture { name: name.to_owned(), is_formatted });
        }
        rest = after;
    }
    names
}

#[cfg(test)]
mod tests {
    use super::captures;

    #[test]
    fn captures_are_found_as_in_format() {
        let text = syn::parse_str("\"{a} {{b}} {c:>4} {} {0} {d\"").unwrap();
        let found: Vec<_> =
            captures(&text).into_iter().map(|it| (it.name, it.is_formatted)).collect();
        let expected = [("a", false), ("c", true), ("d", false)];
        assert_eq!(found, expected.map(|(name, is_formatted)| (name.to_owned(), is_formatted)));
    }
}
