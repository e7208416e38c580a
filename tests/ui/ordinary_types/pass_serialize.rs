//! `Serialize` is enough to print a value as JSON, to loop over it, and for the engine. The compiler
//! still sees the fields, except where an input is read by its `Serialize`.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use indexmap::IndexMap;
use serde::Serialize;
use typed_prompty::{Prompt, prompt};

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Extension {
    pub display_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<&'static str>,
    #[serde(flatten)]
    pub more: BTreeMap<&'static str, f64>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    High,
}

#[derive(Serialize)]
pub struct Tags(pub Vec<&'static str>);

fn extension() -> Extension {
    Extension { display_name: "grep", note: None, more: BTreeMap::from([("cost", 1.0)]) }
}

prompt!(
    #[prompt(compiled)]
    Compiled {
        one: &Extension,
        all: &[Extension],
        by_name: HashMap<&'static str, Extension>,
        ordered: &IndexMap<&'static str, Level>,
        level: Level,
        tags: Tags,
        perhaps: Option<Extension>,
    },
    r#"
user:
{{ one }} {{ one | tojson }} {{ one.display_name }}
{{ all }} {{ by_name }}
{{ ordered }} {% for name in ordered %}{{ name }};{% endfor %}{% for name, it in ordered | items %}{{ name }}={{ it }};{% endfor %}{{ ordered.b }} {{ ordered | length }}{% if ordered %}!{% endif %}
{{ level }} {% if level == "high" %}yes{% endif %} {% for tag in tags %}{{ tag }},{% endfor %} {{ tags | length }}
{% if perhaps %}{{ perhaps }}{% else %}nothing{% endif %}
"#
);

prompt!(ByEngine { one: Cow<'static, [Extension]>, level: Level, tags: Tags, ordered: &IndexMap<&'static str, Level> }, r#"
user:
{{ one }} {{ one | tojson }} {{ level | title }} {% for tag in tags %}{{ tag | title }}{% endfor %} {{ ordered | tojson }}
"#);

prompt!(
    ByFields { #[prompt(serialize)] one: &Extension, #[prompt(serialize)] other: Option<Extension> },
    r#"
user:
{{ one.displayName }} {{ one.cost }} {{ one.note is defined }} {{ one["displayName"] }}
{% if other %}{{ other.displayName }}{% else %}nothing{% endif %}
"#
);

#[test]
fn main() {
    let one = extension();
    let ordered = IndexMap::from([("b", Level::High), ("a", Level::High)]);
    let compiled = Compiled {
        one: &one,
        all: &[extension()],
        by_name: HashMap::from([("y", extension()), ("x", extension())]),
        ordered: &ordered,
        level: Level::High,
        tags: Tags(vec!["a", "b"]),
        perhaps: None,
    };
    let json = r#"{"displayName": "grep", "cost": 1.0}"#;
    assert_eq!(
        compiled.messages().unwrap()[0].text(),
        format!(
            "{json} {json} grep\n[{json}] {{\"x\": {json}, \"y\": {json}}}\n\
             {{\"b\": \"high\", \"a\": \"high\"}} b;a;b=high;a=high;high 2!\n\
             high yes a,b, 2\nnothing"
        )
    );
    let by_engine = ByEngine {
        one: vec![extension()].into(),
        level: Level::High,
        tags: Tags(vec!["a"]),
        ordered: &ordered,
    };
    let ordered = r#"{"b": "high", "a": "high"}"#;
    assert_eq!(
        by_engine.messages().unwrap()[0].text(),
        format!("[{json}] [{json}] High A {ordered}")
    );
    let by_fields = ByFields { one: &one, other: None };
    assert_eq!(by_fields.messages().unwrap()[0].text(), "grep 1.0 false grep\nnothing");
}
