//! Conversions from and to the types of `async-openai`.

use async_openai::types::chat::{
    CreateChatCompletionRequest, CreateChatCompletionResponse, CreateChatCompletionStreamResponse,
};
use async_openai::types::responses::CreateResponse;
use prompty_core::message::{Message, ToolSpec};
use prompty_core::value::Map;
use prompty_wire::async_openai::{from_completion, from_messages, messages, tools};
use prompty_wire::{ReplyReader, Request};

use super::conversation;

#[test]
fn a_conversation_is_converted_there_and_back() {
    let ours = conversation();
    let theirs = messages(&ours).unwrap();
    // Those types have no reasoning.
    let without_reasoning: Vec<Message> = ours
        .into_iter()
        .map(|mut message| {
            message.content.retain(|part| part.kind() != "reasoning");
            message
        })
        .collect();
    let back = from_messages(&theirs).unwrap();
    assert_eq!(back.len(), without_reasoning.len());
    for (ours, back) in without_reasoning.iter().zip(&back) {
        assert_eq!((&ours.role, ours.text()), (&back.role, back.text()));
        assert_eq!(ours.content.len(), back.content.len());
    }
}

#[test]
fn requests_are_converted_for_both_of_openais_protocols() {
    let messages = [Message::system("Be brief."), Message::user("Hi")];
    let request = Request::new("m", &messages).with_max_output_tokens(9);
    let chat = CreateChatCompletionRequest::try_from(&request).unwrap();
    assert_eq!((chat.messages.len(), chat.max_completion_tokens), (2, Some(9)));
    let response = CreateResponse::try_from(&request).unwrap();
    assert_eq!(response.instructions.as_deref(), Some("Be brief."));
    assert_eq!(Request::try_from(&response).unwrap().messages(), messages);
    assert_eq!(tools(&[ToolSpec::new("now", Map::new())]).unwrap().len(), 1);
}

#[test]
fn answers_and_chunks_become_replies() {
    let json = r#"{"id": "r", "object": "chat.completion", "created": 0, "model": "m", "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hello"}}]}"#;
    let theirs: CreateChatCompletionResponse = serde_json::from_str(json).unwrap();
    let reply = from_completion(&theirs).unwrap();
    assert_eq!((reply.content(), reply.id()), ("Hello", Some("r")));

    let json = r#"{"id": "r", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [
        {"index": 0, "finish_reason": "stop", "delta": {"content": "Hello"}}]}"#;
    let chunk: CreateChatCompletionStreamResponse = serde_json::from_str(json).unwrap();
    let mut stream = ReplyReader::new();
    assert_eq!(stream.push_chunk(&chunk).unwrap().content().collect::<String>(), "Hello");
    assert_eq!(stream.finish().unwrap(), reply);
}
