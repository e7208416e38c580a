//! Messages in other notations. Messages from Semantic Kernel's XML are written so that they can be
//! read back, and no text of a message can break either notation.

use prompty_core::message::{ContentPart, Message, Role};
use prompty_runtime::parse::{
    messages_from_semantic_kernel, messages_to_chat_ml, messages_to_semantic_kernel,
};

use crate::inputs::read_data;

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(data: &[u8]) -> bool {
    let Some(text) = read_data::<&str>(data) else { return false };
    // The text as XML of a trusted source.
    let trusted = messages_from_semantic_kernel(text);
    if let Ok(messages) = &trusted {
        assert_round_trip(messages);
    }

    // The text as the content of messages.
    let (name, rest) = text.split_once('\n').unwrap_or(("name", text));
    let parts: Vec<ContentPart> = rest.split('\u{b}').map(ContentPart::from).collect();
    let messages =
        [Message::new(Role::User, parts).with_metadata(name, rest), Message::system(text)];
    assert_round_trip(&messages);
    if let Ok(written) = messages_to_chat_ml(&messages) {
        assert_eq!(written.matches("<|im_start|>").count(), messages.len());
        assert_eq!(written.matches("<|im_end|>").count(), messages.len());
    }
    trusted.is_ok()
}

fn assert_round_trip(messages: &[Message]) {
    if let Ok(xml) = messages_to_semantic_kernel(messages) {
        assert_eq!(messages_from_semantic_kernel(&xml).unwrap(), messages, "{xml}");
    }
}
