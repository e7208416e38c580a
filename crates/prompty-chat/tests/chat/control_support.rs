//! Templates that change their data, and prompts from them.

use prompty_chat::{ChatTemplate, PromptOptions, PromptText};
use prompty_core::Error;
use prompty_core::message::Message;

pub(crate) fn template(text: &str) -> ChatTemplate {
    ChatTemplate::from_text(text).unwrap()
}

/// A template that writes messages with this expression for their content.
pub(crate) fn writing(content: &str) -> ChatTemplate {
    template(&format!(
        "{{% for m in messages %}}<|{{{{ m.role }}}}|>{content}<|end|>{{% endfor %}}\
         {{% if add_generation_prompt %}}<|assistant|>{{% endif %}}"
    ))
}

pub(crate) fn prompt(template: &ChatTemplate, messages: &[Message]) -> Result<PromptText, Error> {
    template.prompt(messages, &[], &PromptOptions::new())
}
