//! JSON text: written values are read back, and other readers agree.

use prompty_core::value::Value;
use prompty_core::value::internal::json::{JsonStyle, replace_lone_surrogates, to_string};
use proptest::prelude::*;

/// Values of limited depth. All numbers are integers, because fractions lose trailing zeros.
fn values() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    scalar.prop_recursive(4, 32, 4, |inside| {
        prop_oneof![
            prop::collection::vec(inside.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inside), 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn values_in_any_style_are_read_back(value in values(), ensure_ascii: bool) {
        for style in [JsonStyle::SPACED, JsonStyle::COMPACT, JsonStyle::INDENTED] {
            let json = to_string(&value, JsonStyle { ensure_ascii, ..style });
            prop_assert!(!ensure_ascii || json.is_ascii());
            prop_assert_eq!(Value::from_json(&json).unwrap(), value.clone());
        }
    }

    #[test]
    fn another_reader_reads_the_written_values(value in values()) {
        let theirs: serde_json::Value = serde_json::from_str(&value.to_json()).unwrap();
        prop_assert_eq!(Value::from_serialize(&theirs).unwrap(), value);
    }

    #[test]
    fn the_reader_agrees_with_another_reader(
        // Only integers of 64 bits, because the other reader keeps fewer digits of larger ones.
        json in r#"[\[\]{}:, 0-9\-a"\\u/btnrdf]{0,18}"#,
    ) {
        let theirs = serde_json::from_str::<Value>(&replace_lone_surrogates(&json));
        let ours = Value::from_json(&json);
        prop_assert_eq!(ours.is_ok(), theirs.is_ok(), "{:?} {:?}", ours, theirs);
        if let (Ok(ours), Ok(theirs)) = (ours, theirs) {
            prop_assert_eq!(ours, theirs);
        }
    }

    #[test]
    fn a_lone_half_of_a_surrogate_pair_is_not_an_error(
        units in prop::collection::vec(0xd7f0..0xe010_u16, 0..6),
    ) {
        let escapes: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
        let json = format!("\"{escapes}\"");
        let expected = String::from_utf16_lossy(&units);
        prop_assert_eq!(Value::from_json(&json).unwrap(), Value::from(expected.as_str()));
        let theirs: String = serde_json::from_str(&replace_lone_surrogates(&json)).unwrap();
        prop_assert_eq!(theirs, expected);
    }
}
