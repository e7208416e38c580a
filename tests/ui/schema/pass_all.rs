//! All that a shape is written with.

use std::collections::BTreeMap;

use typed_prompty::schema;

#[derive(schemars::JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct Author {
    name: String,
}

#[test]
fn main() {
    let shape = schema!({
        type: String,
        "other key": (u8, "from 1 to 5"),
        author?: Author,
        authors: [Author],
        counts: BTreeMap<String, u8>,
        mood: ("calm" | "angry", "of the text"),
        kind: "short" | "long",
        when: "yyyy-mm-dd",
        inner: ({ a: [[f64]], b: ([{ c: bool }], "nested"), }, "an object"),
    });
    assert!(shape.requirement().contains("\"type\": <str>,"));
    assert_eq!(schema!([String]).requirement(), "[\n  <str>,\n  ...\n]");
    assert_eq!(schema!(Option<i32>).requirement(), "<int | NoneType>");
}
