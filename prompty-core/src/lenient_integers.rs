//! Reads JSON in which models wrote integers with a zero fraction: JSON Schema accepts `3.0` as an
//! integer, but serde does not.

use crate::value::internal::json::replace_lone_surrogates;

/// Reads JSON text with a function. If the function fails, it is called again with zero fractions
/// removed, so `3.0` can be read as an integer. Lone surrogates, which serde rejects, are replaced
/// before the first call.
///
/// # Errors
///
/// Returns the error of the first call if both calls fail.
pub fn read<T, E>(json: &str, parse: impl Fn(&str) -> Result<T, E>) -> Result<T, E> {
    let json = replace_lone_surrogates(json);
    parse(&json).or_else(|error| match without_zero_fractions(&json) {
        Some(json) => parse(&json).map_err(|_| error),
        None => Err(error),
    })
}

/// The JSON text without zero fractions; `None` if it has none: `[3.0, 1.50, 2.0e3]` becomes
/// `[3, 1.50, 2.0e3]`.
#[expect(clippy::string_slice, reason = "`at` is where a point is, and only zeros follow it")]
fn without_zero_fractions(json: &str) -> Option<String> {
    let mut written = String::new();
    let (mut copied, mut in_string, mut escaped) = (0, false, false);
    for (at, byte) in json.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            b'.' if !in_string => {
                let fraction = &json[at + 1..];
                let rest = fraction.trim_start_matches('0');
                let zeros = fraction.len() - rest.len();
                // `1.05` and `1.0e3` keep their zeros. So does `1.0.0`, which is not JSON.
                let continues = rest.starts_with(|it: char| {
                    it.is_ascii_digit() || matches!(it, 'e' | 'E' | '+' | '-' | '.')
                });
                if zeros > 0 && !continues {
                    written.push_str(&json[copied..at]);
                    copied = at + 1 + zeros;
                }
            }
            _ => {}
        }
    }
    (copied > 0).then(|| written + &json[copied..])
}

#[cfg(test)]
mod tests {
    use super::without_zero_fractions;

    fn from_json<T: serde::de::DeserializeOwned>(json: &str) -> Result<T, serde_json::Error> {
        super::read(json, |json| serde_json::from_str(json))
    }

    #[test]
    fn a_zero_fraction_is_accepted_for_an_integer() {
        assert_eq!(from_json::<Vec<u8>>("[3.0, 4.000, 5]").unwrap(), [3, 4, 5]);
        assert_eq!(from_json::<(i64, f64, String)>(r#"[-3.0, 3.0, "3.0"]"#).unwrap().0, -3);
        assert!(from_json::<u8>("3.5").unwrap_err().to_string().contains("floating point"));
        assert!(from_json::<u8>("300.0").is_err());
    }

    #[test]
    fn only_zero_fractions_of_numbers_are_removed() {
        let json = r#"{"a": "1.0", "b\"2.0": 1.05, "c": 1.0e3, "d": 7.00}"#;
        let written = without_zero_fractions(json).unwrap();
        assert_eq!(written, r#"{"a": "1.0", "b\"2.0": 1.05, "c": 1.0e3, "d": 7}"#);
        assert_eq!(without_zero_fractions(r#"{"a": "1.0"}"#), None);
    }
}
