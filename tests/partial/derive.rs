//! The partial types that the derive generates, and the serde attributes that it supports.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Debug;

use typed_prompty::output::{Growable, Output, Partial};

/// The partial value of an incomplete reply, as `Debug` prints it.
fn shown<T>(reply: &str) -> String
where
    T: Growable + schemars::JsonSchema + Debug,
    T::Growing: Debug,
{
    let mut stream = Output::<T>::new().stream().with_partial();
    stream.push(reply);
    format!("{:?}", stream.partial())
}

#[derive(Debug, Partial, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Contact {
    first_name: String,
    #[serde(rename = "e-mail")]
    mail: String,
    #[serde(default)]
    r#type: Vec<u8>,
    #[serde(skip)]
    seen: bool,
    #[partial(skip)]
    notes: String,
}

#[test]
fn field_names_are_those_of_serde() {
    assert_eq!(
        shown::<Contact>(r#"{"firstName": "A", "e-mail": "b", "notes": "c", "type": [1, "#),
        r#"Growing(PartialContact { first_name: Done("A"), mail: Done("b"), type: Growing([Done(1)]) })"#
    );
    let contact = Output::<Contact>::new().parse(r#"{firstName: "A", "e-mail": "b", notes: ""}"#);
    let Contact { first_name, mail, r#type, seen, notes } = contact.unwrap().value;
    assert_eq!((first_name.as_str(), mail.as_str(), seen, notes.as_str()), ("A", "b", false, ""));
    assert!(r#type.is_empty());
}

/// A type of another crate. It implements only the traits of serde and schemars.
#[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
struct Foreign(u8);

#[derive(Debug, Partial, serde::Deserialize, schemars::JsonSchema)]
#[partial(name = Draft)]
#[allow(dead_code, reason = "it is printed")]
struct Others {
    #[partial(whole)]
    foreign: Foreign,
    id: Id,
    path: Path,
    choice: Choice,
    pair: (u8, String),
    set: HashSet<u8>,
    map: BTreeMap<String, Id>,
}

#[derive(
    Debug, PartialEq, Eq, PartialOrd, Ord, Partial, serde::Deserialize, schemars::JsonSchema,
)]
struct Id(String);

#[derive(Debug, Partial, serde::Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
#[allow(dead_code, reason = "it is printed")]
struct Path {
    steps: Vec<u8>,
}

#[derive(Debug, Partial, serde::Deserialize, schemars::JsonSchema)]
#[allow(dead_code, reason = "it is printed")]
enum Choice {
    Text(String),
    Point { x: f64, y: f64 },
}

#[test]
fn each_kind_of_type_grows_in_its_own_way() {
    let mut reply = String::new();
    let mut steps = Vec::new();
    for piece in [
        r#"{"foreign": 7, "id": "a"#,
        r#"b", "path": [1, "#,
        r#"2], "choice": {"Point": {"x": 1.5, "#,
        r#""y": 2}}, "pair": [1, "o"#,
        r#"ne"], "set": [3, "#,
        r#"3], "map": {"k": "v"#,
    ] {
        reply += piece;
        steps.push(shown::<Others>(&reply));
    }
    insta::assert_snapshot!(steps.join("\n"));
    let _: Draft = Draft::default();
}

#[derive(Debug, Partial, serde::Deserialize, schemars::JsonSchema)]
#[allow(dead_code, reason = "it is printed")]
struct Node {
    name: String,
    children: Vec<Node>,
    #[serde(default)]
    twin: Option<Box<Node>>,
}

#[test]
fn a_recursive_type_grows_at_any_depth() {
    assert_eq!(
        shown::<Node>(r#"{"name": "a", "children": [{"name": "b", "children": [{"name": "c"#),
        "Growing(PartialNode { name: Done(\"a\"), children: Growing([Growing(PartialNode { \
         name: Done(\"b\"), children: Growing([Growing(PartialNode { name: Growing(\"c\"), \
         children: Absent, twin: Absent })]), twin: Absent })]), twin: Absent })"
    );
}

#[derive(Debug, Partial, serde::Deserialize, schemars::JsonSchema)]
#[allow(dead_code, reason = "it is printed")]
struct Page<T>
where
    T: Debug,
{
    items: Vec<T>,
}

#[test]
fn a_generic_type_grows_like_its_parameters() {
    assert_eq!(
        shown::<Page<String>>(r#"{"items": ["a"#),
        "Growing(PartialPage { items: Growing([Growing(\"a\")]) })"
    );
}
