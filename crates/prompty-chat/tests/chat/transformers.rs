//! Prompts are equal to those of transformers for the same conversation. The expected texts are
//! from `transformers.utils.chat_template_utils.render_jinja_template`, release 5.23.

use prompty_chat::{ChatTemplate, PromptOptions};
use prompty_core::message::messages_from_openai;
use prompty_core::value::Value;

/// The prompt of a template for a conversation without tools.
fn prompt(template: &str, messages: &str) -> String {
    let messages = messages_from_openai(&Value::from_json(messages).unwrap()).unwrap();
    let template = ChatTemplate::from_text(template).unwrap();
    template.prompt(&messages, &[], &PromptOptions::new()).unwrap().text
}

#[test]
fn floats_of_arguments_print_like_in_python() {
    let messages = r#"[{"role": "user", "content": "q"}, {"role": "assistant", "content": "",
        "tool_calls": [{"type": "function", "function": {"name": "f", "arguments":
        {"a": 1.0, "b": -0.0, "c": 1e20, "d": 3, "e": 1e-7, "f": 1e16, "g": 2.5}}}]}]"#;
    let template = "{% for m in messages %}{% for c in m.tool_calls or [] %}\
        {{ c.function.arguments | tojson }} {{ c.function.arguments }}\
        {% for k, v in c.function.arguments | items %} {{ v }}{% endfor %}\
        {% endfor %}{% endfor %}";
    assert_eq!(
        prompt(template, messages),
        "{\"a\": 1.0, \"b\": -0.0, \"c\": 1e+20, \"d\": 3, \"e\": 1e-07, \"f\": 1e+16, \"g\": 2.5} \
         {'a': 1.0, 'b': -0.0, 'c': 1e+20, 'd': 3, 'e': 1e-07, 'f': 1e+16, 'g': 2.5} \
         1.0 -0.0 1e+20 3 1e-07 1e+16 2.5",
    );
}

#[test]
fn missing_tools_and_documents_are_none() {
    let template = "{{ tools }} {{ tools is defined }} {{ tools is none }} {{ documents }} \
        {% for m in messages %}{{ m.content }}{% endfor %}";
    let messages = r#"[{"role": "user", "content": "q"}]"#;
    assert_eq!(prompt(template, messages), "None True True None q");
}

#[test]
fn a_template_that_iterates_over_missing_tools_still_renders() {
    let template = "{% for tool in tools %}{{ tool }}{% endfor %}\
        {% for m in messages %}{{ m.content }}{% endfor %}";
    let messages = r#"[{"role": "user", "content": "q"}]"#;
    // transformers fails here: 'NoneType' object is not iterable.
    assert_eq!(prompt(template, messages), "q");
}

#[test]
fn reasoning_has_both_its_names() {
    let messages = r#"[{"role": "user", "content": "q"},
        {"role": "assistant", "content": "a", "reasoning_content": "r"}]"#;
    let template = "{% for m in messages %}{% if m.thinking %}<t>{{ m.thinking }}</t>{% endif %}\
        {{ m.content }}{% endfor %}";
    assert_eq!(prompt(template, messages), "q<t>r</t>a");
    let template = "{% for m in messages %}{{ m if m.role == 'assistant' }}{% endfor %}";
    assert_eq!(
        prompt(template, messages),
        "{'thinking': 'r', 'role': 'assistant', 'content': 'a', 'reasoning_content': 'r'}",
    );
}

#[test]
fn an_image_may_have_no_value() {
    let messages =
        r#"[{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "q"}]}]"#;
    let template = "{% for m in messages %}{% for p in m.content %}\
        {% if p.type == 'image' %}<img>{% else %}{{ p.text }}{% endif %}{{ p.keys() | list }}\
        {% endfor %}{% endfor %}";
    assert_eq!(prompt(template, messages), "<img>['type']q['type', 'text']");
}
