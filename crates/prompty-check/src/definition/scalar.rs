//! Resolves plain YAML scalars according to the core schema of YAML 1.2.

use super::node::NodeKind;

/// The typed value of a scalar that is not quoted.
pub(super) fn resolve(text: &str) -> NodeKind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => NodeKind::Null,
        "true" | "True" | "TRUE" => NodeKind::Bool(true),
        "false" | "False" | "FALSE" => NodeKind::Bool(false),
        _ => number(text).unwrap_or_else(|| NodeKind::Text(text.into())),
    }
}

/// Parses a text as a number.
fn number(text: &str) -> Option<NodeKind> {
    integer(text).or_else(|| float(text).map(NodeKind::Float))
}

/// Parses an integer. If it does not fit 64 bits, it becomes a float, as in JSON.
fn integer(text: &str) -> Option<NodeKind> {
    let (digits, radix) = match text.get(..2) {
        Some("0o") => (text.get(2..)?, 8),
        Some("0x") => (text.get(2..)?, 16),
        _ => (text.strip_prefix(['+', '-']).unwrap_or(text), 10),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let negative = text.starts_with('-');
    let size = i128::from_str_radix(digits, radix).ok();
    let number = size.map(|size| if negative { -size } else { size });
    let fits = |number: &i128| (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(number);
    if let Some(number) = number.filter(fits) {
        return Some(NodeKind::Integer(number));
    }
    if radix == 10 {
        return text.parse().ok().map(NodeKind::Float);
    }
    None
}

fn float(text: &str) -> Option<f64> {
    let (sign, size) = match text.strip_prefix('-') {
        Some(size) => (-1.0, size),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    match size {
        ".inf" | ".Inf" | ".INF" => return Some(sign * f64::INFINITY),
        ".nan" | ".NaN" | ".NAN" if size.len() == text.len() => return Some(f64::NAN),
        _ => {}
    }
    // Rust also parses `inf` and `nan`, which are strings in YAML.
    let begins = size.strip_prefix('.').unwrap_or(size).starts_with(|c: char| c.is_ascii_digit());
    let allowed = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-');
    if !begins || !size.chars().all(allowed) {
        return None;
    }
    size.parse::<f64>().ok().map(|size| sign * size)
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
