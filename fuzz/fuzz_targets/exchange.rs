//! Messages of other notations: what Semantic Kernel's XML gives is written so that it comes back, and neither
//! notation can be broken by what a message says.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prompty_core::message::{ContentPart, Message, Role};
use prompty_runtime::parse::{
    messages_from_semantic_kernel, messages_to_chat_ml, messages_to_semantic_kernel,
};

fuzz_target!(|text: &str| {
    // As XML of a trusted source.
    if let Ok(messages) = messages_from_semantic_kernel(text) {
        comes_back(&messages);
    }

    // As what messages say.
    let (name, rest) = text.split_once('\n').unwrap_or(("name", text));
    let parts: Vec<ContentPart> = rest.split('\u{b}').map(ContentPart::from).collect();
    let messages =
        [Message::new(Role::User, parts).with_metadata(name, rest), Message::system(text)];
    comes_back(&messages);
    if let Ok(written) = messages_to_chat_ml(&messages) {
        assert_eq!(written.matches("<|im_start|>").count(), messages.len());
        assert_eq!(written.matches("<|im_end|>").count(), messages.len());
    }
});

fn comes_back(messages: &[Message]) {
    if let Ok(xml) = messages_to_semantic_kernel(messages) {
        assert_eq!(messages_from_semantic_kernel(&xml).unwrap(), messages, "{xml}");
    }
}
