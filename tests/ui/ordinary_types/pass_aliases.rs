//! Data under any name, maps of other crates, paths, and what reads them without an engine.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value as Json, json};
use typed_prompty::{Prompt, prompt};

pub type Meta = serde_json::Map<String, Json>;

prompt!(
    #[prompt(compiled)]
    Data { x: Json, lent: &Json, meta: &Meta, map: serde_json::Map<String, Json>, value: serde_json::Value },
    r#"
user:
{{ x.name }} {{ x["name"] }} {% for it in x.list %}{{ it }},{% endfor %} {{ lent.name }} {{ lent }}
{% for key in x %}{{ key }};{% endfor %}{% for key, it in lent | items %}{{ key }}={{ it }};{% endfor %}
{{ meta }} {{ meta.name }} {% for name, it in meta.items() %}{{ name }}={{ it }}{% endfor %} {{ map.name }} {{ map["a b"] }} {{ map }}{% if meta %}!{% endif %}
{{ value.name }} {{ value | tojson(indent=2) }}
"#
);

prompt!(
    #[prompt(compiled)]
    Rows { rows: Vec<BTreeMap<String, String>>, x: &BTreeMap<String, f64>, keys: &[&str] },
    r#"
user:
{% for row in rows %}{{ row.name }} {{ row["a b"] }};{% endfor %}{% for key in keys %}{{ x[key] }} {% endfor %}
"#
);

prompt!(
    #[prompt(compiled)]
    Paths { borrowed: &Path, owned: PathBuf, shared: Arc<Path>, cow: Cow<'static, Path>, list: Vec<PathBuf>, sizes: BTreeMap<PathBuf, u64> },
    r#"
user:
{{ borrowed }} {{ owned }} {{ shared }} {{ cow }} {{ list }} {{ sizes | tojson }} {% if owned == "b/c" %}same{% endif %}{% if cow %}!{% endif %}
"#
);

prompt!(
    ByEngine { owned: PathBuf, x: Json, meta: &Meta },
    r#"
user:
{{ owned | title }} {{ x.name }} {{ x.list[1] }} {{ meta.name }} {{ meta }}
"#
);

#[test]
fn main() {
    let x = json!({"name": "n", "list": [1, 2.0]});
    let meta: Meta = [("name".to_owned(), json!("m"))].into_iter().collect();
    let map: Meta =
        [("name".to_owned(), json!(1)), ("a b".to_owned(), json!(2))].into_iter().collect();
    let data = Data::new(x.clone(), &x, &meta, map, json!({"name": [1]}));
    assert_eq!(
        data.messages().unwrap()[0].text(),
        "n n 1,2.0, n {\"name\": \"n\", \"list\": [1, 2.0]}\n\
         name;list;name=n;list=[1, 2.0];\n\
         {\"name\": \"m\"} m name=m 1 2 {\"name\": 1, \"a b\": 2}!\n\
         [1] {\n  \"name\": [\n    1\n  ]\n}"
    );
    let row =
        BTreeMap::from([("name".to_owned(), "a".to_owned()), ("a b".to_owned(), "c".to_owned())]);
    let numbers = BTreeMap::from([("k".to_owned(), 1.0)]);
    let rows = Rows { rows: vec![row], x: &numbers, keys: &["k", "z"] };
    assert_eq!(rows.messages().unwrap()[0].text(), "a c;1.0  ");
    let paths = Paths {
        borrowed: Path::new("a"),
        owned: "b/c".into(),
        shared: Path::new("d").into(),
        cow: Path::new("e").into(),
        list: vec!["f".into()],
        sizes: BTreeMap::from([("g".into(), 1)]),
    };
    assert_eq!(paths.messages().unwrap()[0].text(), "a b/c d e [\"f\"] {\"g\": 1} same!");
    let by_engine = ByEngine { owned: "b".into(), x, meta: &meta };
    assert_eq!(by_engine.messages().unwrap()[0].text(), "B n 2.0 m {\"name\": \"m\"}");
}
