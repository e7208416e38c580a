//! A model's folder with several templates and special tokens.

use typed_prompty::chat::PromptOptions;
use typed_prompty::{Message, chat_template};

chat_template!(Local, "./model");
chat_template!(Plain, "./model", name = "default");
chat_template!(OfConfig, "./model/tokenizer_config.json", name = "tool_use");

#[test]
fn main() -> Result<(), typed_prompty::Error> {
    assert!(Local::FORMAT.tools.is_some() && Plain::FORMAT.tools.is_none());
    assert_eq!(Local::FORMAT, OfConfig::FORMAT);
    assert_eq!(&*Local::FORMAT.turn.control_tokens, ["<s>", "</s>", "<call>"]);
    assert_eq!(Local::PRESERVED_TOKENS, ["<call>", "</call>"]);

    let template = Local::template();
    assert_eq!(template.special_tokens().others, ["<call>"]);
    let turn = template.apply(&[Message::user("Hi")], &[], &PromptOptions::new())?;
    assert_eq!(turn.prompt, "<s><user>Hi</s><assistant>");
    assert_eq!(turn.stops, Local::STOPS);
    let reply = Local::parser().parse(r#"<call>{"name": "a", "arguments": {}}</call></s>"#);
    assert_eq!(reply.calls()[0].name, "a");
    Ok(())
}
