//! The list contains every prompt type of a program.
#![allow(clippy::panic, reason = "a panic in a test is a failed test")]

use typed_prompty::inventory::{ListedPrompt, prompts};
use typed_prompty::{Message, Print, Prompt, ToValue, prompt};

mod shop {
    typed_prompty::prompt!(pub Support, "prompts/support.prompty");
}

/// The line of the next declaration.
const TITLE_LINE: u32 = line!() + 1;
prompt!(Title { messages: &[Message], words: Option<u32> }, "
system:
Give the conversation below a title{% if words %} of at most {{ words }} words{% endif %}.

user:
{{ messages }}
");

#[derive(Prompt)]
#[prompt(source = "
user:
{{ value }}, {% for name in names | sort %}{{ name }}{% endfor %}
")]
struct Generic<'a, T: ToValue + Print> {
    value: T,
    names: &'a [String],
}

prompt!(Short { question: &str }, user: "{question}");

fn listed(name: &str) -> &'static ListedPrompt {
    let mut found = prompts().filter(|it| it.name() == name);
    let one = found.next().unwrap_or_else(|| panic!("`{name}` is not listed"));
    assert!(found.next().is_none(), "`{name}` is listed twice");
    one
}

#[test]
fn a_prompt_of_a_file_is_listed_with_its_file_and_inputs() {
    let support = listed("support");
    assert_eq!(support.type_path, "inventory::shop::Support");
    assert_eq!(support.source(), "prompts/support.prompty");
    assert_eq!(support.rust_file, file!());
    assert_eq!((support.format(), support.renders().as_str()), ("jinja2", "compiled"));
    let inputs: Vec<_> =
        support.inputs().iter().map(|it| (it.name, it.kind, it.rust_type, it.required)).collect();
    let expected = [
        ("company", "string", "&str", true),
        ("passages", "array", "&[SupportPassagesItem]", true),
        ("tone", "string", "Option<SupportTone>", false),
        ("history", "thread", "Option<&[Message]>", false),
        ("question", "string", "&str", true),
    ];
    assert_eq!(inputs, expected);
}

#[test]
fn a_prompt_in_the_program_is_listed_with_its_line_and_rust_types() {
    let title = listed("Title");
    assert_eq!(title.source(), format!("{}:{TITLE_LINE}", file!()));
    let inputs: Vec<_> =
        title.inputs().iter().map(|it| (it.name, it.rust_type, it.required)).collect();
    let expected = [("messages", "&[Message]", true), ("words", "Option<u32>", false)];
    assert_eq!(inputs, expected);
}

#[test]
fn a_generic_type_is_listed_once_with_the_reason_for_the_engine() {
    let generic = listed("Generic");
    assert_eq!(generic.type_path, "inventory::Generic");
    assert_eq!(generic.definition, <Generic<'_, u8> as Prompt>::DEFINITION);
    assert_eq!(generic.definition, <Generic<'_, String> as Prompt>::DEFINITION);
    assert_eq!(generic.renders(), "engine, because of the filter `sort`");
    assert_eq!(generic.inputs()[0].rust_type, "T");
}

#[test]
fn messages_with_captures_are_listed_as_turns() {
    let short = listed("Short");
    assert_eq!((short.format(), short.renders().as_str()), ("turns", "compiled"));
    assert_eq!(short.definition.template, "user:\n{question}");
}

#[test]
fn the_list_has_the_order_of_the_program() {
    let names: Vec<_> = prompts().map(ListedPrompt::name).collect();
    assert_eq!(names, ["support", "Title", "Generic", "Short"]);
}

#[test]
fn a_listed_prompt_gives_its_messages() {
    let messages = Generic { value: 1, names: &["b".into(), "a".into()] }.messages().unwrap();
    assert_eq!(messages[0].text(), "1, ab");
    assert_eq!(Short { question: "Why?" }.messages().unwrap()[0].text(), "Why?");
}
