//! Any text is a chat template, or an error with a place. A compiled template ends early with a
//! bounded output. Whatever its abilities, it turns a conversation into a prompt or an error.

use prompty_chat::{ChatTemplate, Continuation, PromptOptions};
use prompty_core::ErrorKind;
use prompty_core::message::{ContentPart, Message, Role, ToolCall, ToolResult, ToolSpec};
use prompty_core::value::Map;

use crate::inputs::{limits, read_data};

fn conversation() -> Vec<Message> {
    let call = ToolCall::new("c1", "f", r#"{"a": [1, null, "é"]}"#);
    let thought = ContentPart::Reasoning("hm".into());
    vec![
        Message::system("s"),
        Message::user("u\n<x>"),
        Message::new(Role::Assistant, [thought, "a".into(), ContentPart::ToolCall(call)]),
        Message::new(Role::Tool, [ContentPart::ToolResult(ToolResult::new("c1", "r"))]),
        Message::assistant("b "),
    ]
}

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(data: &[u8]) -> bool {
    let Some(text) = read_data::<&str>(data) else { return false };
    let template = match ChatTemplate::from_text_within(text, limits()) {
        Ok(template) => template,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::TemplateSyntax);
            assert!(error.place().is_some());
            return false;
        }
    };
    let tools = [ToolSpec::new("f", Map::new())];
    let options = PromptOptions::new().with_now(0);
    let mut is_prompt = false;
    for options in [options.clone(), options.with_continuation(Continuation::Content)] {
        match template.prompt(&conversation(), &tools, &options) {
            Ok(prompt) => {
                is_prompt = true;
                assert!(prompt.text.len() <= limits().max_output);
                assert!(prompt.text.ends_with(&prompt.generation_prompt));
            }
            Err(error) => assert!(
                matches!(
                    error.kind(),
                    ErrorKind::Refused
                        | ErrorKind::Render
                        | ErrorKind::Limit
                        | ErrorKind::WrongInput
                        // A template may turn anything into markup, and split text that looks like
                        // markup.
                        | ErrorKind::ControlTokens
                ),
                "{error:?}"
            ),
        }
    }
    is_prompt
}
