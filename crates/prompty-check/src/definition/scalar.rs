//! Resolves plain YAML scalars, which have no quotes, according to the core schema of YAML 1.2.

use super::node::NodeKind;

/// The typed value of a scalar that is not quoted: `null`, `true`, `-5`, `1.5` or a string.
pub(super) fn resolve(text: &str) -> NodeKind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => NodeKind::Null,
        "true" | "True" | "TRUE" => NodeKind::Bool(true),
        "false" | "False" | "FALSE" => NodeKind::Bool(false),
        _ => integer(text)
            .or_else(|| float(text).map(NodeKind::Float))
            .unwrap_or_else(|| NodeKind::Text(text.into())),
    }
}

/// Parses an integer. A decimal integer that does not fit 64 bits becomes a float, as in JSON. A
/// hexadecimal or octal one then stays a string.
fn integer(text: &str) -> Option<NodeKind> {
    let (digits, radix) = match text.get(..2) {
        Some("0o") => (text.get(2..)?, 8),
        Some("0x") => (text.get(2..)?, 16),
        _ => (text.strip_prefix(['+', '-']).unwrap_or(text), 10),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let is_negative = text.starts_with('-');
    let magnitude = i128::from_str_radix(digits, radix).ok();
    let number = magnitude.map(|it| if is_negative { -it } else { it });
    let fits_64_bits = |it: &i128| (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(it);
    if let Some(number) = number.filter(fits_64_bits) {
        return Some(NodeKind::Integer(number));
    }
    if radix == 10 {
        return text.parse().ok().map(NodeKind::Float);
    }
    None
}

/// Parses a number with a fraction or an exponent, such as `1.5`, `-.5` or `1e3`, or an infinity or
/// `.nan`.
fn float(text: &str) -> Option<f64> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(unsigned) => (-1.0, unsigned),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    match unsigned {
        ".inf" | ".Inf" | ".INF" => return Some(sign * f64::INFINITY),
        // YAML has no `-.nan`.
        ".nan" | ".NaN" | ".NAN" if unsigned == text => return Some(f64::NAN),
        _ => {}
    }
    // Rust also parses `inf` and `nan`, which are strings in YAML.
    let after_point = unsigned.strip_prefix('.').unwrap_or(unsigned);
    let has_digit_first = after_point.starts_with(|c: char| c.is_ascii_digit());
    let is_allowed = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-');
    if !has_digit_first || !unsigned.chars().all(is_allowed) {
        return None;
    }
    unsigned.parse::<f64>().ok().map(|magnitude| sign * magnitude)
}

#[cfg(test)]
mod tests {
    use super::super::node::NodeKind;
    use super::resolve;

    fn is_text(text: &str) -> bool {
        matches!(resolve(text), NodeKind::Text(_))
    }

    #[test]
    fn words_of_yaml_1_1_are_strings() {
        for text in ["yes", "no", "on", "off", "y", "tRUE", "nULL", "inf", "nan", "1_000", "12:30"]
        {
            assert!(is_text(text), "{text}");
        }
    }

    #[test]
    fn integers_are_exact_within_64_bits() {
        for (text, expected) in [
            ("0", 0),
            ("-5", -5),
            ("+7", 7),
            ("007", 7),
            ("0x1F", 31),
            ("0o17", 15),
            ("18446744073709551615", i128::from(u64::MAX)),
        ] {
            let NodeKind::Integer(number) = resolve(text) else { panic!("{text}") };
            assert_eq!(number, expected, "{text}");
        }
        assert!(matches!(resolve("18446744073709551616"), NodeKind::Float(_)));
        assert!(matches!(resolve(&"9".repeat(100)), NodeKind::Float(_)));
        for text in ["0x", "-0x1", "0o8", "+", "-"] {
            assert!(is_text(text), "{text}");
        }
    }

    #[test]
    fn floats_follow_the_core_schema() {
        for (text, expected) in [
            ("1.5", 1.5),
            ("-.5", -0.5),
            ("1.", 1.0),
            ("1e3", 1000.0),
            ("1.5E-2", 0.015),
            ("-.inf", f64::NEG_INFINITY),
        ] {
            let NodeKind::Float(number) = resolve(text) else { panic!("{text}") };
            assert_eq!(number, expected, "{text}");
        }
        assert!(matches!(resolve(".nan"), NodeKind::Float(number) if number.is_nan()));
        for text in [".", "e3", "1e", "1.2.3", "-.nan", "--1", "1-2", "é1"] {
            assert!(is_text(text), "{text}");
        }
    }
}
