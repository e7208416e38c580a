//! Calls in the text of a local model are read with its chat template.

use typed_prompty::chat::{ChatTemplate, ChatTemplates, PromptOptions};
use typed_prompty::message::{ContentPart, Role, ToolChoice};
use typed_prompty::reply::grammar::GrammarOptions;
use typed_prompty::tools::{Call, Tool, ToolErrorKind, ToolSet};
use typed_prompty::{Error, Message};

use super::schemas::{Everything, Grow};
use super::{Action, Weather, text};

fn template() -> Result<ChatTemplate, Error> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/prompts/chat_template.jinja");
    Ok(ChatTemplates::from_path(path)?.choose(None, true)?.clone())
}

#[test]
fn calls_of_a_reply_are_run_and_their_results_are_sent() -> Result<(), Error> {
    let template = template()?;
    let mut messages = vec![Message::user("Is it warm in Bonn?")];
    let turn = template.apply(&messages, &Action::tools(), &PromptOptions::new())?;
    let declaration =
        r#"{"type": "function", "function": {"name": "weather", "description": "The weather of"#;
    assert!(turn.prompt.contains(declaration), "{}", turn.prompt);

    let reply = turn.parser.parse(concat!(
        "I need the weather.\n</muse>\n\nOne moment.\n<call>\n",
        r#"{"name": "weather", "arguments": {"city": "Bonn", "days": 1}}"#,
        "\n</call>\n<call>\n",
        r#"{"name": "weather", "arguments": {"town": "Bonn"}}"#,
        "\n</call>"
    ));
    messages.push(Message::from(&reply));
    let mut actions = Vec::new();
    for call in reply.calls() {
        let result = match Action::from_call(call) {
            Ok(action) => {
                actions.push(action);
                call.answer("18 degrees")?
            }
            Err(error) => error.to_result(call),
        };
        messages.push(result.into());
    }
    assert_eq!(actions, [Action::Weather(Weather { city: "Bonn".into(), days: Some(1) })]);
    assert_eq!(messages.len(), 4);
    assert_eq!(messages[1].content.len(), 4);
    assert_eq!(messages[3].role, Role::Tool);
    let ContentPart::ToolResult(failed) = &messages[3].content[0] else {
        panic!("expected a tool result")
    };
    let expected = "error: the arguments of `weather` do not match its parameters: \
                    missing field `city`\nhelp: the \
                    tool accepts `city`, and optionally `days`";
    assert_eq!(text(failed), expected);

    let prompt = template.apply(&messages, &Action::tools(), &PromptOptions::new())?.prompt;
    let tail = format!("<|turn|>tool\n18 degrees<|end|>\n<|turn|>tool\n{expected}<|end|>\n");
    assert!(prompt.contains(&tail), "{prompt}");
    Ok(())
}

#[test]
fn a_truncated_call_is_never_run() -> Result<(), Error> {
    let turn = template()?.apply(
        &[Message::user("Is it warm in Bonn?")],
        &Action::tools(),
        &PromptOptions::new(),
    )?;
    let reply = turn.parser.parse(concat!(
        "</muse>\n\n<call>\n",
        r#"{"name": "weather", "arguments": {"city": "Bonn"#
    ));
    let call = &reply.calls()[0];
    assert!(!call.is_complete());
    assert_eq!(Action::from_call(call).unwrap_err().kind(), ToolErrorKind::Incomplete);
    Ok(())
}

#[test]
fn every_schema_has_a_grammar() -> Result<(), Error> {
    let options = PromptOptions::new()
        .with_tool_choice(ToolChoice::Required)
        .with_grammar(GrammarOptions::new());
    for tools in [Action::tools(), vec![Grow::tool()], vec![Everything::tool()]] {
        let turn = template()?.apply(&[Message::user("Hello")], &tools, &options)?;
        let grammar = turn.grammar.expect("a required call has a grammar");
        for tool in tools {
            assert!(grammar.to_gbnf().contains(&tool.name), "{}", tool.name);
        }
    }
    Ok(())
}
