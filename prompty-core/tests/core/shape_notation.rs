//! Shapes as plain values: a written shape is read back.

use prompty_core::schema::shape::Shape;
use prompty_core::value::Value;
use proptest::prelude::*;

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zé ,\"'|$.\\[\\]\n]{0,8}",
        prop::sample::select(vec![
            "str",
            "list[int]",
            "int | NoneType",
            "Literal[a]",
            "$type",
            "1"
        ])
        .prop_map(str::to_owned),
    ]
}

fn shape() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![
        Just(Shape::text()),
        Just(Shape::integer()),
        Just(Shape::number()),
        Just(Shape::boolean()),
        Just(Shape::null()),
        Just(Shape::any()),
        Just(Shape::list()),
        Just(Shape::map()),
        words().prop_map(Shape::words),
        prop::collection::vec(words(), 0..3).prop_map(Shape::literals),
        Just(Shape::literals([Value::from(1), Value::Null, Value::from("a, b")])),
    ];
    leaf.prop_recursive(3, 24, 3, |inner| {
        let parts = prop::collection::vec(inner.clone(), 0..3);
        let fields = prop::collection::btree_map("[a-zé ,\"|\n]{0,8}", inner.clone(), 0..3).boxed();
        prop_oneof![
            parts.clone().prop_map(Shape::list_of_each),
            prop::collection::vec(inner.clone(), 1..3).prop_map(Shape::tuple),
            parts.clone().prop_map(Shape::one_of),
            fields.clone().prop_map(Shape::object),
            fields.clone().prop_map(|it| Shape::object(it).closed()),
            (fields, inner.clone()).prop_map(|(it, other)| Shape::object(it).with_others(other)),
            inner.clone().prop_map(Shape::map_of),
            inner.clone().prop_map(Shape::inline),
            inner.clone().prop_map(Shape::optional),
            (inner.clone(), words()).prop_map(|(it, words)| it.with_description(words)),
            inner.prop_map(|it| it.with_default(7)),
        ]
    })
}

proptest! {
    #[test]
    fn a_shape_is_equivalent_after_a_round_trip(shape in shape()) {
        let notation = shape.to_notation();
        let read = Shape::from_notation(&notation).unwrap();
        prop_assert_eq!(read.to_schema(), shape.to_schema(), "{}", notation.to_json());
        prop_assert_eq!(read.is_required(), shape.is_required());
    }

    #[test]
    fn any_value_is_read_without_a_panic(text in "[\\[\\]{}\",:$a-z |]{0,40}") {
        let _ = Shape::from_notation(&Value::from(text.as_str()));
        if let Ok(value) = Value::from_json(&text) {
            let _ = Shape::from_notation(&value);
        }
    }
}

#[test]
fn keys_that_look_like_keywords_are_written_separately() {
    let shape = Shape::object([("$type", Shape::text()), (".desc", Shape::words("a word"))]);
    let notation = shape.to_notation();
    assert_eq!(notation.to_json(), r#"{"$fields": {"$type": "str", ".desc": "a word"}}"#);
    assert_eq!(Shape::from_notation(&notation).unwrap(), shape);
}

#[test]
fn a_list_in_one_line_is_read_back_in_one_line() {
    let shape = Shape::list_of(Shape::words("a colour")).inline();
    let notation = shape.to_notation();
    assert_eq!(notation.to_json(), r#"{"$type": ["a colour"], "$inline": true}"#);
    assert_eq!(Shape::from_notation(&notation).unwrap(), shape);
    let wrong = Value::from_json(r#"{"$type": ["a"], "$inline": 1}"#).unwrap();
    let error = Shape::from_notation(&wrong).unwrap_err();
    assert_eq!(error.to_string(), "at `$inline`: expected `true` or `false`");
}

#[test]
fn files_may_write_keywords_with_a_point() {
    let notation = r#"{"a": {".type": "int", ".desc": "years", ".ensure": "not_null"}}"#;
    let shape = Shape::from_notation(&Value::from_json(notation).unwrap()).unwrap();
    assert_eq!(shape, Shape::object([("a", Shape::integer().with_description("years"))]));
}

#[test]
fn type_expressions_are_types_and_other_strings_are_words() {
    let read = |text: &str| Shape::from_notation(&Value::from(text)).unwrap();
    assert_eq!(
        read("dict[str, int | float]"),
        Shape::map_of(Shape::one_of([Shape::integer(), Shape::number()]))
    );
    assert_eq!(
        read("list[tuple[str, bool]]"),
        Shape::list_of(Shape::tuple([Shape::text(), Shape::boolean()]).inline()).inline()
    );
    assert_eq!(
        read(r#"Literal[a b, 1, null, "x, y"]"#),
        Shape::literals([Value::from("a b"), Value::from(1), Value::Null, Value::from("x, y")])
    );
    for text in
        ["string", "list[", "list[int", "int |", "dict[int, str]", "", "a list[int]", "Literal[]"]
    {
        assert_eq!(read(text), Shape::words(text), "{text}");
    }
}
