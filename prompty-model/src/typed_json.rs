//! JSON text read straight into a Rust type. A value in between would lose digits that some types
//! have room for, so this is serde's reader.

use serde::de::DeserializeOwned;

use prompty_core::value::internal::json::replace_lone_surrogates;

/// Reads a Rust type. Half of a surrogate pair alone is U+FFFD, as for all readers of JSON here.
pub(crate) fn from_json<T: DeserializeOwned>(json: &str) -> serde_json::Result<T> {
    serde_json::from_str(&replace_lone_surrogates(json))
}

#[cfg(test)]
mod tests {
    use super::from_json;

    #[test]
    fn half_of_a_surrogate_pair_alone_is_the_replacement_character() {
        let texts: Vec<String> = from_json(r#"["\ud83d", "\ude00x", "\ud83d\ude00"]"#).unwrap();
        assert_eq!(texts, ["\u{fffd}", "\u{fffd}x", "\u{1f600}"]);
    }
}
