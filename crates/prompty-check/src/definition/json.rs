//! Reads JSON files that prompts refer to. Their values belong to the host.
//!
//! A YAML reader cannot read all JSON. In YAML a surrogate pair such as `\ud83d\ude00` is not an
//! escape, and tabs are not indentation.

use std::sync::Arc;

use crate::definition::node::{Entry, MAX_DEPTH, MAX_NODES, Mapping, Node, NodeKind, Origin};
use prompty_core::diagnostic::SourceSpan;
use prompty_core::value::Value;
use prompty_core::value::internal::json::{JsonError, Limits, read};

/// Reads a complete text. All values get `span`, the place of the reference.
pub(super) fn parse(text: &str, span: SourceSpan) -> Result<Node, JsonError> {
    let limits = Limits { depth: MAX_DEPTH, values: MAX_NODES };
    let value = read(text, limits)?;
    Ok(node_from_value(&value, span))
}

/// A value as a tree whose nodes all have one place.
fn node_from_value(value: &Value, span: SourceSpan) -> Node {
    let kind = match value {
        Value::Null => NodeKind::Null,
        Value::Bool(value) => NodeKind::Bool(*value),
        Value::Integer(number) => integer(*number),
        Value::Float(number) => NodeKind::Float(*number),
        Value::String(text) => NodeKind::Text(Arc::clone(text)),
        Value::Array(items) => {
            let items = items.iter().map(|item| node_from_value(item, span));
            NodeKind::List(Arc::new(items.collect()))
        }
        Value::Object(map) => {
            let entries = map.iter().map(|(name, value)| {
                (name.into(), Entry { key: span, value: node_from_value(value, span) })
            });
            NodeKind::Map(Arc::new(Mapping::from_host(entries.collect())))
        }
    };
    Node { kind, span, origin: Origin::File }
}

/// An integer of at most 64 bits. Other integers become floats, as in the YAML of a prompt.
fn integer(number: i128) -> NodeKind {
    match (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&number) {
        true => NodeKind::Integer(number),
        #[expect(clippy::cast_precision_loss, reason = "it has more digits than a float")]
        false => NodeKind::Float(number as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_DEPTH, parse};
    use crate::definition::yaml;
    use prompty_core::diagnostic::SourceSpan;

    fn read(text: &str) -> String {
        parse(text, SourceSpan::default()).unwrap().to_value().to_string()
    }

    #[test]
    fn every_kind_of_value_is_read() {
        let text = "\t{ \"a\" : [1, -2.5, 1e2, true, false, null, {}, []],\r\n\"b\": \"x\" }\n";
        assert_eq!(read(text), r#"{"a": [1, -2.5, 100, true, false, null, {}, []], "b": "x"}"#);
    }

    #[test]
    fn escapes_and_surrogate_pairs_are_read() {
        assert_eq!(
            parse(r#""\ud83d\ude00 \u00e9 \n\/\"""#, SourceSpan::default()).unwrap().as_text(),
            Some("\u{1F600} é \n/\"")
        );
    }

    #[test]
    fn an_unpaired_surrogate_becomes_the_replacement_character() {
        let node = parse(r#""\ud83d, \ude00""#, SourceSpan::default()).unwrap();
        assert_eq!(node.as_text(), Some("\u{fffd}, \u{fffd}"));
    }

    #[test]
    fn integers_outside_64_bits_are_floats() {
        assert_eq!(
            read("[18446744073709551615, 18446744073709551616]"),
            "[18446744073709551615, 18446744073709552000]"
        );
    }

    #[test]
    fn invalid_json_is_rejected_with_its_place() {
        for (text, offset) in [
            ("", 0),
            ("{\"a\": 1,}", 8),
            ("{a: 1}", 1),
            ("[1 2]", 3),
            ("01", 0),
            ("1.", 0),
            (".5", 0),
            ("+1", 0),
            ("NaN", 0),
            ("\"\\u12é\"", 3),
            ("\"a\nb\"", 2),
            ("\"a", 1),
            ("1 x", 2),
        ] {
            assert_eq!(parse(text, SourceSpan::default()).unwrap_err().offset, offset, "{text}");
        }
    }

    #[test]
    fn values_may_be_nested_as_deeply_as_in_yaml() {
        for (inner, deepest) in [("1", MAX_DEPTH), ("[]", MAX_DEPTH - 1), ("{}", MAX_DEPTH - 1)] {
            for (depth, is_accepted) in [(deepest, true), (deepest + 1, false)] {
                let text = format!("{}{inner}{}", "[".repeat(depth), "]".repeat(depth));
                let json = parse(&text, SourceSpan::default());
                assert_eq!(json.is_ok(), is_accepted, "{inner} in {depth} arrays of JSON");
                assert_eq!(yaml::parse(&text, 0).is_ok(), is_accepted, "{inner} in {depth} lists");
            }
        }
    }

    #[test]
    fn deep_nesting_is_rejected() {
        assert_eq!(
            parse(&"[".repeat(100_000), SourceSpan::default()).unwrap_err().message,
            "arrays and objects are nested too deeply"
        );
    }
}
