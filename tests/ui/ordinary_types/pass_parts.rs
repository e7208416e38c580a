//! Parts of structs that only rustc knows: tuples, maps, and data such as `serde_json::Value`.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use serde_json::{Map, Value, json};
use typed_prompty::{Prompt, prompt};

pub struct User {
    pub at: (f64, f64),
    pub born: Option<(String, u32)>,
    pub seen: Vec<(String, u32)>,
    pub meta: Value,
    pub more: Option<Value>,
    pub raw: Map<String, Value>,
    pub marks: HashMap<String, u32>,
    pub homes: BTreeMap<String, Home>,
    pub friends: Vec<Value>,
}

pub struct Home {
    pub city: Rc<str>,
    #[allow(dead_code, reason = "the template does not print it")]
    pub geo: Option<Box<(i32, i32)>>,
}

prompt!(
    #[prompt(compiled)]
    Compiled { user: &User },
    r#"
user:
{{ user.meta.address.city }} {% for tag in user.meta.tags %}{{ tag }};{% endfor %}
{% if user.meta.vip %}vip{% endif %}{% if user.meta.none %}!{% endif %} {{ user.raw.z }}
{% if user.more %}{{ user.more.id }}{% endif %} {{ user.marks.b }} {{ user.homes.here.city }}
{% for mark in user.marks %}{{ mark }}{% endfor %} {% for it in user.friends %}{{ it.name }}{% endfor %}
{{ user.meta.missing }}-{{ user.meta.tags | join("+") | upper }}{{ user.meta.missing | join }}{% if user.marks.z is defined or user.meta.z.z is defined %}!{% endif %}
"#
);

prompt!(ByEngine { user: &User, note: Option<Cow<'_, str>> }, r#"
user:
{{ user.at.0 }} {{ user.at[1] }} {% if user.born %}{{ user.born.0 }}{{ user.born[1] }}{% endif %}
{% for it in user.seen %}{{ it.0 }}{{ it[1] }}{% endfor %} {{ user.meta["address"]["city"] }}
{{ user.meta.tags[0] }} {{ user.meta.tags | length }} {{ user.marks["b"] }} {{ note or "-" }}
{% for name, count in user.seen %}{{ name }}{{ count }}{% endfor %}
{% for name, mark in user.marks.items() %}{{ name }}{{ mark }}{% endfor %}
"#);

prompt!(
    EntriesByEngine { user: &User },
    r#"
user:
{% if user.marks.z is defined or user.meta.z.z is defined %}!{% endif %}{{ user.marks.z }}{{ user.meta.z }}
{%- if user.raw.z is defined %}{{ "raw".upper() }}{% endif %}
"#
);

#[test]
fn main() {
    let Value::Object(raw) = json!({"z": 1}) else { return };
    let user = User {
        at: (1.5, 2.0),
        born: Some(("Rome".to_owned(), 7)),
        seen: vec![("a".to_owned(), 1), ("b".to_owned(), 2)],
        meta: json!({"address": {"city": "Rome"}, "tags": ["x", 2], "vip": true, "none": null}),
        more: Some(json!({"id": "#1"})),
        raw,
        marks: HashMap::from([("b".to_owned(), 2), ("a".to_owned(), 1)]),
        homes: BTreeMap::from([("here".to_owned(), Home { city: "Bern".into(), geo: None })]),
        friends: vec![json!({"name": "Bob"}), json!({"name": "Eve"})],
    };
    let compiled = Compiled::new(&user).messages().unwrap();
    let expected = "Rome x;2;\nvip 1\n#1 2 Bern\nab BobEve\n-X+2";
    assert_eq!(compiled[0].text(), expected);
    let by_engine = ByEngine::new(&user).with_note("n").messages().unwrap();
    let expected = "1.5 2 Rome7\na1b2 Rome\nx 2 2 n\na1b2\na1b2";
    assert_eq!(by_engine[0].text(), expected);
    let entries = EntriesByEngine::new(&user).messages().unwrap();
    assert_eq!(entries[0].text(), "RAW");
}
