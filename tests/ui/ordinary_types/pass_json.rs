//! `serde_json::Value` as a field, and as data inside of structs and lists.

use serde_json::{Value, json};
use typed_prompty::{Prompt, prompt};

pub struct Event {
    pub data: Value,
    pub more: Option<Value>,
}

prompt!(Ask { payload: Value, shared: &Value, all: Vec<Value>, event: &Event }, r#"
user:
{{ payload.name }} {% for item in payload.items %}{{ item }} {% endfor %}{{ shared }}
{% if payload.none %}!{% endif %}{{ all | join(",") }} {{ event.data }} {{ event.more or "-" }}
"#);

prompt!(Show { text: Value, shared: &Value }, user: "{text} {shared}");

#[test]
fn main() {
    let event = Event { data: json!({"a": [1.0]}), more: None };
    let payload = json!({"name": "A\"da", "items": ["x", 2], "none": null});
    let ask = Ask::new(payload, &event.data, vec![json!("b"), json!(true)], &event);
    let expected = "A\"da x 2 {\"a\": [1]}\nb,true {\"a\": [1]} -";
    assert_eq!(ask.messages().unwrap()[0].text(), expected);
    assert_eq!(Show::new(json!("t"), &json!("u")).messages().unwrap()[0].text(), "t u");
}
