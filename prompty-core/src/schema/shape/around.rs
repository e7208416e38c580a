//! The object that stands around a value where providers demand one: how a text begins with it, and ends.

/// What every key around a value begins with.
pub const KEY: &str = "value";

/// How much of a text may be white space before it is taken as it is.
const LONGEST: usize = 256;

/// How a text begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beginning<'t> {
    /// More of the text must come to tell.
    Open,
    /// There is no object around the value.
    Bare,
    /// There is one with this key; the rest is the value and what closes the object.
    Around { key: &'t str, rest: &'t str },
}

/// How a text begins: with an object around the value, or with the value.
#[must_use]
pub fn beginning(text: &str) -> Beginning<'_> {
    let open = if text.len() > LONGEST { Beginning::Bare } else { Beginning::Open };
    let mut rest = text.trim_start();
    for opener in ['{', '"'] {
        rest = match rest.strip_prefix(opener) {
            Some(rest) if opener == '{' => rest.trim_start(),
            Some(rest) => rest,
            None if rest.is_empty() => return open,
            None => return Beginning::Bare,
        };
    }
    let length = rest.find(|it: char| !(it.is_ascii_lowercase() || it == '_'));
    let (key, rest) = rest.split_at(length.unwrap_or(rest.len()));
    let is_begun = KEY.starts_with(key) || is_key(key);
    match rest.strip_prefix('"').map(str::trim_start) {
        None if rest.is_empty() && is_begun => open,
        Some("") if is_key(key) => open,
        Some(rest) if is_key(key) => match rest.strip_prefix(':') {
            Some(rest) => Beginning::Around { key, rest },
            None => Beginning::Bare,
        },
        _ => Beginning::Bare,
    }
}

fn is_key(key: &str) -> bool {
    key.strip_prefix(KEY).is_some_and(|rest| rest.bytes().all(|it| it == b'_'))
}

/// The value of a text behind the beginning of the object around it, without what closes that. Nothing where the
/// text does not end with that alone: it was cut, or the object has more keys.
#[must_use]
pub fn without_end(rest: &str) -> Option<&str> {
    let value = rest.trim_end().strip_suffix('}')?;
    let (mut depth, mut in_text, mut is_escaped) = (0_usize, false, false);
    for byte in value.bytes() {
        if in_text {
            in_text = is_escaped || byte != b'"';
            is_escaped = !is_escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'"' => in_text = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => return None,
            _ => {}
        }
    }
    (depth == 0 && !in_text).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::{Beginning, beginning, without_end};

    #[test]
    fn an_object_around_a_value_shows_by_its_only_key() {
        let text = r#" { "value" : [1, "}"] } "#;
        let Beginning::Around { key, rest } = beginning(text) else { panic!("{text}") };
        assert_eq!((key, without_end(rest)), ("value", Some(r#" [1, "}"] "#)));
        for text in ["[1]", "{}", r#"{"values": 1}"#, r#"{"a": 1}"#, r#"{"value" 1}"#, "value"] {
            assert_eq!(beginning(text), Beginning::Bare, "{text}");
        }
    }

    #[test]
    fn a_text_is_open_as_long_as_it_may_become_one() {
        let text = r#"{ "value__" :"#;
        for part in (0..text.len()).filter_map(|end| text.get(..end)) {
            assert_eq!(beginning(part), Beginning::Open, "{part}");
        }
        assert_eq!(beginning(text), Beginning::Around { key: "value__", rest: "" });
        assert_eq!(beginning(&" ".repeat(300)), Beginning::Bare);
    }

    #[test]
    fn what_is_cut_or_has_more_keys_has_no_end() {
        for rest in ["[1, 2", "[1, 2]", r#"1, "more": 2}"#, r#"{"a": 1}"#, r#""a}"#] {
            assert_eq!(without_end(rest), None, "{rest}");
        }
    }
}
