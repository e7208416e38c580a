//! Recognises and removes the object that wraps a value for providers that require an object:
//! `{"value": [1, 2]}` is the wrapped `[1, 2]`.

/// The beginning of every key of a wrapper. If the value has a key `value`, underscores follow it:
/// `value_`.
pub const WRAPPER_KEY: &str = "value";

/// The maximum length of an undecided beginning, in bytes. It limits leading white space.
const MAX_UNDECIDED: usize = 256;

/// The result of looking for a wrapper at the beginning of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrapperStart<'t> {
    /// More text is needed to decide.
    Incomplete,
    /// The value has no wrapper.
    Absent,
    /// The wrapper has this key. The rest is the value and the end of the wrapper.
    Present { key: &'t str, rest: &'t str },
}

/// Looks for a wrapper at the beginning of a text.
#[must_use]
pub fn wrapper_start(text: &str) -> WrapperStart<'_> {
    let undecided =
        if text.len() > MAX_UNDECIDED { WrapperStart::Absent } else { WrapperStart::Incomplete };
    let mut rest = text.trim_start();
    // Skips `{ "`.
    for opener in ['{', '"'] {
        rest = match rest.strip_prefix(opener) {
            Some(rest) if opener == '{' => rest.trim_start(),
            Some(rest) => rest,
            None if rest.is_empty() => return undecided,
            None => return WrapperStart::Absent,
        };
    }
    let length = rest.find(|it: char| !(it.is_ascii_lowercase() || it == '_'));
    let (key, rest) = rest.split_at(length.unwrap_or(rest.len()));
    let is_prefix = WRAPPER_KEY.starts_with(key) || is_key(key);
    match rest.strip_prefix('"').map(str::trim_start) {
        // `{"val`
        None if rest.is_empty() && is_prefix => undecided,
        // `{"value"`
        Some("") if is_key(key) => undecided,
        // `{"value": 1}`
        Some(rest) if is_key(key) => match rest.strip_prefix(':') {
            Some(rest) => WrapperStart::Present { key, rest },
            None => WrapperStart::Absent,
        },
        _ => WrapperStart::Absent,
    }
}

/// Whether a complete key is that of a wrapper.
fn is_key(key: &str) -> bool {
    key.strip_prefix(WRAPPER_KEY).is_some_and(|rest| rest.bytes().all(|it| it == b'_'))
}

/// Removes the end of the wrapper from the rest of a text after the wrapper's beginning. `None` if
/// the text is incomplete, or if the wrapper has more keys.
#[must_use]
pub fn strip_wrapper_end(rest: &str) -> Option<&str> {
    let value = rest.trim_end().strip_suffix('}')?;
    let (mut depth, mut in_string, mut is_escaped) = (0_usize, false, false);
    for byte in value.bytes() {
        if in_string {
            in_string = is_escaped || byte != b'"';
            is_escaped = !is_escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            // `{"value": 1, "other": 2}`
            b',' if depth == 0 => return None,
            _ => {}
        }
    }
    (depth == 0 && !in_string).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::{WrapperStart, strip_wrapper_end, wrapper_start};

    #[test]
    fn a_wrapper_is_recognised_by_its_only_key() {
        let text = r#" { "value" : [1, "}"] } "#;
        let WrapperStart::Present { key, rest } = wrapper_start(text) else { panic!("{text}") };
        assert_eq!((key, strip_wrapper_end(rest)), ("value", Some(r#" [1, "}"] "#)));
        for text in ["[1]", "{}", r#"{"values": 1}"#, r#"{"a": 1}"#, r#"{"value" 1}"#, "value"] {
            assert_eq!(wrapper_start(text), WrapperStart::Absent, "{text}");
        }
    }

    #[test]
    fn a_text_is_undecided_while_it_may_become_a_wrapper() {
        let text = r#"{ "value__" :"#;
        for part in (0..text.len()).filter_map(|end| text.get(..end)) {
            assert_eq!(wrapper_start(part), WrapperStart::Incomplete, "{part}");
        }
        assert_eq!(wrapper_start(text), WrapperStart::Present { key: "value__", rest: "" });
        assert_eq!(wrapper_start(&" ".repeat(300)), WrapperStart::Absent);
    }

    #[test]
    fn an_incomplete_text_or_one_with_more_keys_has_no_end() {
        for rest in ["[1, 2", "[1, 2]", r#"1, "more": 2}"#, r#"{"a": 1}"#, r#""a}"#] {
            assert_eq!(strip_wrapper_end(rest), None, "{rest}");
        }
    }
}
