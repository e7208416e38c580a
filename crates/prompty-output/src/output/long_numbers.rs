//! Finds numbers in valid JSON that a float may not hold with all their digits: with more than 15
//! digits, or with an exponent.
//!
//! Nearly no reply has such a number, and this search precedes each direct reading by serde. So a
//! quick search, which also looks into strings, selects the few texts that are read exactly.

/// The number of digits that each `f64` holds.
const DIGITS: usize = 15;

/// Whether valid JSON contains such a number outside of strings.
pub(super) fn is_contained_in(json: &str) -> bool {
    let bytes = json.as_bytes();
    (may_have_exponent(bytes) || may_have_many_digits(bytes)) && has_long_number(bytes)
}

/// Whether a digit is directly before `e` or `E`. The loop has no branches, so that the compiler
/// can use vector instructions.
fn may_have_exponent(json: &[u8]) -> bool {
    let pairs = json.iter().zip(json.iter().skip(1));
    pairs.fold(false, |found, (first, second)| {
        found | (first.is_ascii_digit() & second.eq_ignore_ascii_case(&b'e'))
    })
}

/// Whether more than [`DIGITS`] digits and dots follow each other. If they do, one of them is at a
/// multiple of [`DIGITS`] + 1.
fn may_have_many_digits(json: &[u8]) -> bool {
    let is_part = |byte: &&u8| byte.is_ascii_digit() || **byte == b'.';
    let places = (0..json.len()).step_by(DIGITS + 1);
    places.filter_map(|place| json.split_at_checked(place)).any(|(before, after)| {
        let after = after.iter().take_while(is_part).count();
        after > 0 && after + before.iter().rev().take_while(is_part).count() > DIGITS
    })
}

/// Reads the whole text.
fn has_long_number(json: &[u8]) -> bool {
    let mut is_in_string = false;
    let mut digits = 0;
    let mut bytes = json.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if is_in_string => drop(bytes.next()),
            b'"' => is_in_string = !is_in_string,
            _ if is_in_string => {}
            b'0'..=b'9' if digits == DIGITS => return true,
            b'0'..=b'9' => digits += 1,
            b'.' => {}
            b'e' | b'E' if digits > 0 => return true,
            _ => digits = 0,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn long_numbers_are_found_at_any_place() {
        for number in ["1234567890123456", "1.234567890123456", "0.5e3", "7E-400"] {
            for blanks in 0..40 {
                let json = format!("{{{}\"a\": [2.5, -{number}]}}", " ".repeat(blanks));
                assert!(is_contained_in(&json), "{json}");
            }
        }
    }

    #[test]
    fn short_numbers_and_strings_are_not_long_numbers() {
        let json = r#"{"id 5e3": "1234567890123456 \" 1e5", "b": 123456789.012345, "c": true}"#;
        assert!(!is_contained_in(json));
    }

    proptest! {
        #[test]
        fn the_quick_search_passes_over_no_long_number(
            items in prop::collection::vec(
                r#"-?[0-9]{1,12}(\.[0-9]{1,9})?([eE][+-]?[0-9]{1,3})?|"([0-9eE. ]|\\\\|\\"){0,20}"|null"#,
                0..6,
            ),
        ) {
            let json = format!("[{}]", items.join(", "));
            prop_assert_eq!(is_contained_in(&json), has_long_number(json.as_bytes()));
        }
    }
}
