//! Values are converted from and to Rust types and other formats without loss.

use std::collections::BTreeMap;

use prompty_core::ErrorKind;
use prompty_core::value::{MAX_DEPTH, Map, Value};
use proptest::prelude::*;
use serde::de::value::MapDeserializer;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Passage {
    title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    tags: Vec<String>,
    counts: BTreeMap<u8, i64>,
    shape: Shape,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Shape {
    Point,
    Circle(f32),
    Line(i8, u64),
    Box { width: i128, letter: char },
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn enums_are_written_in_the_external_form() {
    let shapes = [
        Shape::Point,
        Shape::Circle(0.5),
        Shape::Line(-1, u64::MAX),
        Shape::Box { width: 2, letter: 'é' },
    ];
    let value = Value::from_serialize(&shapes).unwrap();
    let expected = r#"["Point", {"Circle": 0.5}, {"Line": [-1, 18446744073709551615]}, {"Box": {"width": 2, "letter": "é"}}]"#;
    assert_eq!(value.to_string(), expected);
}

#[test]
fn keys_become_strings() {
    let keys = Value::from_serialize(&BTreeMap::from([(-3, 'a')])).unwrap();
    let letters = Value::from_serialize(&BTreeMap::from([('x', ())])).unwrap();
    let truths = Value::from_serialize(&BTreeMap::from([(true, 1)])).unwrap();
    assert_eq!(keys.to_string(), r#"{"-3": "a"}"#);
    assert_eq!(letters.to_string(), r#"{"x": null}"#);
    assert_eq!(truths.to_string(), r#"{"true": 1}"#);
}

#[test]
fn two_keys_with_the_same_text_are_rejected() {
    #[derive(PartialEq, Eq, PartialOrd, Ord, Serialize)]
    #[serde(untagged)]
    enum Key {
        Number(u8),
        Text(&'static str),
    }
    #[derive(Serialize)]
    struct Item {
        title: &'static str,
        #[serde(flatten)]
        more: BTreeMap<&'static str, u8>,
    }
    let keys = BTreeMap::from([(Key::Number(1), 'a'), (Key::Text("1"), 'b')]);
    let error = Value::from_serialize(&keys).unwrap_err();
    assert_eq!(error.to_string(), "at 1: two keys have this text");
    let item = Item { title: "a", more: BTreeMap::from([("title", 1)]) };
    let error = Value::from_serialize(&item).unwrap_err();
    assert_eq!(error.to_string(), "at title: two keys have this text");
}

#[test]
fn an_array_as_a_key_is_rejected() {
    let error = Value::from_serialize(&BTreeMap::from([(vec![1], 1)])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conversion);
    assert_eq!(
        error.to_string(),
        "expected a string, an integer or a boolean as a key, found an array"
    );
}

#[test]
fn an_integer_beyond_128_signed_bits_is_rejected_at_its_place() {
    let error = Value::from_serialize(&[("n", u128::MAX)]).unwrap_err();
    assert!(error.to_string().starts_with("at [0][1]: the integer 3402"), "{error}");
    let largest = Value::from_serialize(&(i128::MAX as u128)).unwrap();
    assert_eq!(largest.as_integer(), Some(i128::MAX));
}

#[test]
fn an_error_has_the_place_in_the_value() {
    #[derive(Debug, Deserialize)]
    struct Inputs {
        #[expect(dead_code, reason = "only read into")]
        passages: Vec<Passage>,
    }
    let good = r#"{"title": "a", "tags": [], "counts": {}, "shape": "Point"}"#;
    let bad = good.replace("\"a\"", "7");
    let value = json(&format!(r#"{{"passages": [{good}, {good}, {bad}]}}"#));
    let error = value.deserialize::<Inputs>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conversion);
    let expected = "at passages[2].title: expected a string, found integer `7`";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_missing_field_is_reported_with_its_place() {
    let error = json(r#"[{"title": "a"}]"#).deserialize::<Vec<Passage>>().unwrap_err();
    assert_eq!(error.to_string(), "at [0]: missing field `tags`");
}

#[test]
fn an_error_inside_a_variant_has_the_place_of_the_variant() {
    let error = json(r#"{"Box": {"width": "wide", "letter": "a"}}"#).deserialize::<Shape>();
    let message = error.unwrap_err().to_string();
    assert_eq!(message, "at Box.width: expected i128, found string \"wide\"");
}

#[test]
fn an_array_longer_than_its_type_is_rejected() {
    let error = json("[1, 2, 3]").deserialize::<(u8, u8)>().unwrap_err();
    assert_eq!(error.to_string(), "expected 2 items, found 3");
}

#[test]
fn the_last_of_two_equal_keys_is_kept_and_the_order_does_not_change() {
    let value = json(r#"{"b": 1, "a": 2, "b": 3}"#);
    assert_eq!(value.to_string(), r#"{"b": 3, "a": 2}"#);
}

#[test]
fn a_number_as_a_key_has_one_form() {
    let map: BTreeMap<i8, u8> = json(r#"{"-1": 2}"#).deserialize().unwrap();
    assert_eq!(map, BTreeMap::from([(-1, 2)]));
    for key in ["+1", "01", "1.0", " 1", "-0"] {
        let map = Map::from([(key, 2)]);
        assert!(Value::from(map).deserialize::<BTreeMap<i8, u8>>().is_err(), "{key}");
    }
}

#[test]
fn a_number_beyond_the_range_of_a_float_type_is_an_error() {
    let error = json("1e300").deserialize::<f32>().unwrap_err();
    assert_eq!(error.to_string(), "the number 1e300 is too large");
    assert_eq!(json("[1e30, 1]").deserialize::<Vec<f32>>().unwrap(), [1e30, 1.0]);
}

#[test]
fn only_an_object_is_read_as_a_map() {
    let error = json("[1]").deserialize::<Map>().unwrap_err();
    assert_eq!(error.to_string(), "expected an object, found an array");
}

/// `serde_json` passes numbers as maps if any package of a program enables `arbitrary_precision`.
#[test]
fn a_number_with_arbitrary_precision_is_read_as_a_number() {
    let read = |name: &'static str, digits: &'static str| {
        let entries = [(name, digits)].into_iter();
        let map = MapDeserializer::<_, serde::de::value::Error>::new(entries);
        <Value as Deserialize>::deserialize(map).unwrap()
    };
    let name = "$serde_json::private::Number";
    assert_eq!(read(name, "1.5").as_f64(), Some(1.5));
    assert_eq!(read(name, "-12345678901234567890").as_integer(), Some(-12_345_678_901_234_567_890));
    assert_eq!(read("digits", "1.5").get("digits").and_then(Value::as_str), Some("1.5"));
    for text in ["[1]", "null", "\"1\"", "x"] {
        assert_eq!(read(name, text).get(name).and_then(Value::as_str), Some(text));
    }
}

#[test]
fn integers_are_exact_in_the_range_of_both_64_bit_types() {
    let value = json(&format!("[{}, {}]", i64::MIN, u64::MAX));
    assert_eq!(value.to_string(), format!("[{}, {}]", i64::MIN, u64::MAX));
    assert_eq!(serde_json::to_string(&value).unwrap(), format!("[{},{}]", i64::MIN, u64::MAX));
    assert_eq!(value.deserialize::<(i64, u64)>().unwrap(), (i64::MIN, u64::MAX));
}

/// An array inside of an array, and so on.
struct Nested(usize);

impl Serialize for Nested {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            0 => serializer.serialize_unit(),
            depth => serializer.collect_seq([Nested(depth - 1)]),
        }
    }
}

#[test]
fn data_beyond_the_maximum_depth_is_rejected() {
    let deepest = Value::from_serialize(&Nested(MAX_DEPTH)).unwrap();
    assert_eq!(deepest.deserialize::<Value>().unwrap(), deepest);
    let error = Value::from_serialize(&Nested(MAX_DEPTH + 1)).unwrap_err();
    assert!(error.to_string().ends_with(": nested more than 128 levels deep"), "{error}");
    let deeper = Value::from(vec![deepest]);
    let error = deeper.deserialize::<Value>().unwrap_err();
    assert!(error.to_string().ends_with(": nested more than 128 levels deep"), "{error}");
}

#[test]
fn bytes_become_an_array_of_integers() {
    struct Bytes;
    impl Serialize for Bytes {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_bytes(&[0, 255])
        }
    }
    assert_eq!(Value::from_serialize(&Bytes).unwrap().to_string(), "[0, 255]");
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        // Floats of few digits, because serde_json may read the last bit of others wrong.
        any::<i16>().prop_map(|number| Value::from(f64::from(number) / 64.0)),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((".*", inner), 0..4)
                .prop_map(|entries| Value::from(entries.into_iter().collect::<Map>())),
        ]
    })
}

fn any_passage() -> impl Strategy<Value = Passage> {
    let shape = prop_oneof![
        Just(Shape::Point),
        (-1e6_f32..1e6).prop_map(Shape::Circle),
        any::<(i8, u64)>().prop_map(|(from, to)| Shape::Line(from, to)),
        any::<(i128, char)>().prop_map(|(width, letter)| Shape::Box { width, letter }),
    ];
    let score = proptest::option::of(-1e9_f64..1e9);
    let tags = proptest::collection::vec(".*", 0..3);
    let counts = proptest::collection::btree_map(any::<u8>(), any::<i64>(), 0..3);
    (".*", score, tags, counts, shape).prop_map(|(title, score, tags, counts, shape)| Passage {
        title,
        score,
        tags,
        counts,
        shape,
    })
}

/// Equal values of the same variants in the same order.
fn same(a: &Value, b: &Value) -> bool {
    a == b && format!("{a:?}") == format!("{b:?}")
}

proptest! {
    #[test]
    fn json_text_preserves_values(value in any_value()) {
        let text = serde_json::to_string(&value).unwrap();
        let back: Value = serde_json::from_str(&text).unwrap();
        prop_assert!(same(&back, &value), "{:?} {:?}", back, value);
    }

    #[test]
    fn a_value_is_serialised_as_itself(value in any_value()) {
        prop_assert!(same(&Value::from_serialize(&value).unwrap(), &value));
        prop_assert!(same(&value.deserialize::<Value>().unwrap(), &value));
    }

    #[test]
    fn a_struct_survives_a_round_trip(passage in any_passage()) {
        let value = Value::from_serialize(&passage).unwrap();
        prop_assert_eq!(value.deserialize::<Passage>().unwrap(), passage);
    }

    #[test]
    fn direct_conversion_agrees_with_json(passage in any_passage()) {
        prop_assume!(!matches!(passage.shape, Shape::Box { width, .. } if i64::try_from(width).is_err()));
        let direct = Value::from_serialize(&passage).unwrap();
        let detour = Value::from_serialize(&serde_json::to_value(&passage).unwrap()).unwrap();
        prop_assert!(same(&direct, &detour), "{:?} {:?}", direct, detour);
    }
}
