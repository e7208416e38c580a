//! From messages to a prompt's text: how messages are adapted, and the effect of the options.

use prompty_chat::{ChatTemplate, ChatTemplates, Continuation, PromptOptions};
use prompty_core::ErrorKind;
use prompty_core::message::{
    ContentPart, Message, Role, ToolCall, ToolChoice, ToolResult, ToolSpec,
};
use prompty_core::value::{Map, Value};

fn template(text: &str) -> ChatTemplate {
    ChatTemplate::from_text(text).unwrap()
}

fn text(template: &ChatTemplate, messages: &[Message], options: &PromptOptions) -> String {
    template.prompt(messages, &[], options).unwrap().text
}

/// A template with all features: reasoning, calls as JSON, results.
const FULL: &str = "\
{%- for m in messages -%}
[{{ m.role }}]
{%- if m.role == 'assistant' and m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% endif -%}
{{ m.content }}
{%- for c in m.tool_calls or [] -%}
<call>{{ c.function | tojson }}</call>
{%- endfor -%}
{%- endfor -%}
{%- if tools %}[tools]{{ tools | tojson }}{% endif -%}
{%- if add_generation_prompt -%}
[assistant]{% if enable_thinking is defined and not enable_thinking %}<think></think>{% endif %}
{%- endif -%}";

fn weather() -> ToolSpec {
    let schema =
        Value::from_json(r#"{"type": "object", "properties": {"city": {"type": "string"}}}"#);
    let schema: Map = schema.unwrap().as_object().unwrap().clone();
    ToolSpec::new("weather", schema).with_description("The weather.")
}

#[test]
fn a_template_that_accepts_only_parts_may_still_write_calls() {
    let parts = template(
        "{% for m in messages %}{% if m.content is string %}{{ raise_exception('parts') }}{% endif %}\
         {% for p in m.content %}{{ p.text }}{% endfor %}{% for call in m.tool_calls or [] %}\
         <do>{{ call.function.name }} {{ call.function.arguments | tojson }}</do>{% endfor %}{% endfor %}",
    );
    assert!(parts.capabilities().tool_calls && parts.capabilities().object_arguments);
    let call = ToolCall::new("", "weather", r#"{"city": "Bonn"}"#);
    let said = Message::new(Role::Assistant, [ContentPart::ToolCall(call)]);
    let written = text(&parts, &[Message::user("Hi"), said], &PromptOptions::new());
    assert_eq!(written, r#"Hi<do>weather {"city": "Bonn"}</do>"#);
}

#[test]
fn capabilities_are_detected_by_rendering() {
    let full = template(FULL);
    let can = full.capabilities();
    assert!(can.system_role && can.string_content && can.tools && can.tool_calls);
    assert!(can.object_arguments && can.parallel_calls && can.tool_results && !can.null_content);
    assert!(!can.call_ids && !can.ids_required && !can.alternation && !can.developer_role);
    assert_eq!(can.reasoning_fields, ["reasoning_content"]);
    let switches = &can.thinking_switches;
    assert!(matches!(switches.as_slice(), [it] if it.variable == "enable_thinking"));

    let parts = template(
        "{% for m in messages %}{% for p in m.content %}{{ p.text }}{% endfor %}{% endfor %}",
    );
    assert!(parts.capabilities().parts_content && !parts.capabilities().string_content);

    let refusing = template(
        "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}\
         {{ raise_exception('take turns') }}{% endif %}{{ m.content }}{% endfor %}",
    );
    assert!(refusing.capabilities().alternation && !refusing.capabilities().system_role);

    let needy = template("{{ today + ': ' }}{% for m in messages %}{{ m.content }}{% endfor %}");
    assert_eq!(needy.capabilities().required_variables, ["today"]);
    assert_eq!(text(&needy, &[Message::user("Hi")], &PromptOptions::new()), ": Hi");
}

#[test]
fn thinking_is_switched_by_the_variable_of_the_template() {
    let full = template(FULL);
    let hi = [Message::user("Hi")];
    let options = PromptOptions::new();
    assert_eq!(text(&full, &hi, &options), "[user]Hi[assistant]");
    let off = full.prompt(&hi, &[], &options.clone().with_thinking(false)).unwrap();
    assert_eq!(off.text, "[user]Hi[assistant]<think></think>");
    assert_eq!(off.generation_prompt, "[assistant]<think></think>");
    assert_eq!(text(&full, &hi, &options.with_generation_prompt(false)), "[user]Hi");
}

#[test]
fn a_switch_may_be_a_word_or_a_number() {
    let worded = template(
        "{% for m in messages %}{{ m.content }}{% endfor %}effort:{{ thinking_mode }}\
         {% if add_generation_prompt %}[a]{% if thinking_mode in ['fast', 'no_think'] and \
         thinking_mode == 'no_think' %}<think></think>{% endif %}{% endif %}",
    );
    let hi = [Message::user("Hi")];
    let options = PromptOptions::new();
    let on = text(&worded, &hi, &options.clone().with_thinking(true));
    let off = text(&worded, &hi, &options.clone().with_thinking(false));
    assert_eq!((&*on, &*off), ("Hieffort:fast[a]", "Hieffort:no_think[a]<think></think>"));
    let numbered = template(
        "{% for m in messages %}{{ m.content }}{% endfor %}{% if add_generation_prompt %}[a]\
         {% if thinking_budget == 0 %}<think></think>{% endif %}{% endif %}",
    );
    assert_eq!(text(&numbered, &hi, &options.clone().with_thinking(true)), "Hi[a]");
    assert_eq!(text(&numbered, &hi, &options.with_thinking(false)), "Hi[a]<think></think>");
}

#[test]
fn a_system_message_joins_the_next_one_if_the_template_has_no_system_role() {
    let text_of = "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no') }}\
                   {% endif %}<{{ m.role }}>{{ m.content }}{% endfor %}";
    let messages = [Message::system("Be brief."), Message::user("Hi"), Message::assistant("Yes")];
    let written = text(&template(text_of), &messages, &PromptOptions::new());
    assert_eq!(written, "<user>Be brief.\nHi<assistant>Yes");
    let alone = text(&template(text_of), &messages[..1], &PromptOptions::new());
    assert_eq!(alone, "<user>Be brief.");
}

#[test]
fn a_developer_message_becomes_a_system_message_if_the_template_has_no_developer_role() {
    let messages = [Message::developer("Be brief."), Message::user("Hi")];
    let written = text(&template(FULL), &messages, &PromptOptions::new());
    assert_eq!(written, "[system]Be brief.[user]Hi[assistant]");
}

#[test]
fn calls_and_results_have_the_form_that_the_template_accepts() {
    let call = |id: &str| ToolCall::new(id, "weather", r#"{"city": "Bern"}"#);
    let messages = [
        Message::user("And in Bern?"),
        Message::new(
            Role::Assistant,
            [ContentPart::Reasoning("Look.".into()), ContentPart::ToolCall(call("c1"))],
        ),
        Message::new(Role::Tool, [ContentPart::ToolResult(ToolResult::new("c1", "sunny"))]),
    ];
    let full = template(FULL);
    let options = PromptOptions::new();
    let prompt = full.prompt(&messages, &[weather()], &options).unwrap();
    assert_eq!(
        prompt.text,
        "[user]And in Bern?[assistant]<think>Look.</think>\
         <call>{\"name\": \"weather\", \"arguments\": {\"city\": \"Bern\"}}</call>[tool]sunny\
         [tools][{\"type\": \"function\", \"function\": {\"name\": \"weather\", \"description\": \
         \"The weather.\", \"parameters\": {\"type\": \"object\", \"properties\": {\"city\": \
         {\"type\": \"string\"}}}}}][assistant]"
    );
    let none = options.with_tool_choice(ToolChoice::None);
    assert!(!full.prompt(&messages, &[weather()], &none).unwrap().text.contains("[tools]"));

    // As a string, with ids of nine characters, and with the name of the tool of a result.
    let strict = template(
        "{% for m in messages %}{{ m.content }}{% for c in m.tool_calls or [] %}\
         {% if c.id is undefined or c.id | length != 9 %}{{ raise_exception('id') }}{% endif %}\
         {{ c.id }}{{ c.function.name }}{{ c.function.arguments + '' }}{% endfor %}\
         {% if m.role == 'tool' %}={{ m.name }}/{{ m.tool_call_id }}{% endif %}{% endfor %}",
    );
    let can = strict.capabilities();
    assert!(can.text_arguments && !can.object_arguments && can.short_ids && can.ids_required);
    let written = text(&strict, &messages, &PromptOptions::new());
    assert_eq!(written, "And in Bern?call00000weather{\"city\": \"Bern\"}sunny=weather/call00000");
}

#[test]
fn a_last_message_is_continued() {
    let full = template(FULL);
    let last = Message::new(
        Role::Assistant,
        [ContentPart::Reasoning("Hm".into()), ContentPart::from("assistant a")],
    );
    let messages = [Message::user("Hi"), last];
    let options = PromptOptions::new().with_continuation(Continuation::Content);
    let prompt = full.prompt(&messages, &[], &options).unwrap();
    assert_eq!(prompt.text, "[user]Hi[assistant]<think>Hm</think>assistant a");
    assert_eq!(prompt.generation_prompt, "[assistant]<think>Hm</think>assistant a");
    let options = PromptOptions::new().with_continuation(Continuation::Reasoning);
    let prompt = full.prompt(&messages, &[], &options).unwrap();
    assert_eq!(prompt.text, "[user]Hi[assistant]<think>Hm");
    let error = full.prompt(&messages[..1], &[], &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongInput);
    // A template that trims leaves no white space at the end of the continued text.
    let trimming = template("{% for m in messages %}<{{ m.content | trim }}>{% endfor %}");
    let messages = [Message::user("Hi"), Message::assistant("So ")];
    let options = PromptOptions::new().with_continuation(Continuation::Content);
    assert_eq!(text(&trimming, &messages, &options), "<Hi><So");
}

#[test]
fn a_continued_message_gets_the_variables_of_older_templates() {
    let older = template(
        "{% if tools %}{{ functions + '' }}{% endif %}\
         {% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}",
    );
    let messages = [Message::user("Hi"), Message::assistant("So")];
    let options = PromptOptions::new().with_continuation(Continuation::Content);
    let prompt = older.prompt(&messages, &[weather()], &options).unwrap();
    assert!(prompt.text.starts_with("[{\"name\": \"weather\""), "{}", prompt.text);
    assert!(prompt.text.ends_with("<user>Hi<assistant>So"), "{}", prompt.text);
}

#[test]
fn variables_and_the_clock_reach_the_template() {
    let dated =
        template("{{ strftime_now('%Y') }} {{ mood }} {{ documents | length }} {{ tool_choice }}");
    let options = PromptOptions::new()
        .with_now(0)
        .with_variable("mood", "calm")
        .with_documents([Value::from("a")])
        .with_tool_choice(ToolChoice::Required);
    assert_eq!(text(&dated, &[Message::user("Hi")], &options), "1970 calm 1 required");
}

#[test]
fn a_tokenizers_configuration_has_templates_and_tokens() {
    let config = r#"{
        "bos_token": "<s>", "eos_token": {"content": "</s>"}, "pad_token": null,
        "additional_special_tokens": ["<a>", {"content": "<b>"}],
        "added_tokens_decoder": {"1": {"content": "<s>", "special": true},
            "9": {"content": "<c>", "special": true}, "10": {"content": "d", "special": false}},
        "chat_template": [{"name": "default", "template": "{{ bos_token }}default"},
            {"name": "tool_use", "template": "tools"}, {"name": "rag", "template": "rag"}],
        "response_schema": {"type": "object"}
    }"#;
    let templates = ChatTemplates::from_tokenizer_config(config).unwrap();
    let text_of = |name: Option<&str>, has_tools: bool| {
        text(templates.choose(name, has_tools).unwrap(), &[], &PromptOptions::new())
    };
    assert_eq!(text_of(None, false), "<s>default");
    assert_eq!(text_of(None, true), "tools");
    assert_eq!(text_of(Some("rag"), true), "rag");
    assert_eq!(templates.choose(Some("x"), false).unwrap_err().kind(), ErrorKind::WrongInput);
    let default = templates.choose(None, false).unwrap();
    assert_eq!(default.special_tokens().eos(), Some("</s>"));
    assert_eq!(default.special_tokens().all(), ["<s>", "</s>", "<a>", "<b>", "<c>"]);
    assert!(default.response_template().is_some());
    assert!(ChatTemplates::from_tokenizer_config("{}").is_err());
    assert!(ChatTemplates::from_tokenizer_config("[").is_err());
}

#[test]
fn a_folder_has_the_template_next_to_the_configuration() {
    let folder = std::env::temp_dir().join(format!("prompty-chat-{}", std::process::id()));
    let more = folder.join("additional_chat_templates");
    std::fs::create_dir_all(&more).unwrap();
    let config = r#"{"eos_token": "<e>", "chat_template": "old"}"#;
    std::fs::write(folder.join("tokenizer_config.json"), config).unwrap();
    let text_of = |name| {
        let templates = ChatTemplates::from_folder(&folder).unwrap();
        text(templates.choose(name, false).unwrap(), &[], &PromptOptions::new())
    };
    assert_eq!(text_of(None), "old");
    std::fs::write(folder.join("chat_template.json"), r#"{"chat_template": "legacy"}"#).unwrap();
    assert_eq!(text_of(None), "legacy");
    std::fs::write(folder.join("chat_template.jinja"), "new{{ eos_token }}").unwrap();
    std::fs::write(more.join("rag.jinja"), "rag").unwrap();
    assert_eq!((text_of(None), text_of(Some("rag"))), ("new<e>".to_owned(), "rag".to_owned()));
    std::fs::remove_dir_all(&folder).unwrap();
    let error = ChatTemplates::from_folder(&folder).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FileNotFound);
}
