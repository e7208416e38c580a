use prompty_core::message::{messages_from_openai, tools_from_openai};
use prompty_core::value::{Map, Value};
use prompty_model::chat::{ChatTemplate, PromptOptions};
fn main() {
    let t = ChatTemplate::from_text("{{ tools }} {{ tools is defined }} {% for m in messages %}[{{ m }}]{% for c in m.tool_calls or [] %}<{{ c.function.arguments | tojson }}|{{ c.function.arguments }}|{% for k, v in c.function.arguments | items %}{{ k }}={{ v }},{% endfor %}>{% endfor %}{% endfor %}").unwrap();
    let json = r#"[{"role":"user","content":[{"type":"text","text":"x"},{"type":"image"}]},{"role":"assistant","content":"","reasoning_content":"r","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":{"a":1.0,"b":-0.0,"c":1e20,"d":100000000000000000000,"e":1e16,"f":1e-7,"g":0.1,"i":123456789012345.0}}}]}]"#;
    let m = messages_from_openai(&Value::from_json(json).unwrap());
    println!("{m:?}");
    let p = t.prompt(&m.unwrap(), &[], &PromptOptions::new());
    println!("{p:?}");
    let _ = (Map::new(), tools_from_openai(&Value::Null));
}
