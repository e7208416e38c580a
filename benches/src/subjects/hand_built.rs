//! Messages that are built by hand, as in a program without a library. This is the lower bound.

use std::fmt::Write as _;

use typed_prompty::message::{Message, Role};

use crate::{Agreement, Document, Inputs, Output, Subject, names};

include!(concat!(env!("OUT_DIR"), "/literals.rs"));

pub(super) fn subject(inputs: &Inputs) -> Subject {
    let question = inputs.text("question");
    let run: Box<dyn Fn() -> Output> = match inputs.name {
        "a_chat" => {
            let (assistant, company) = (inputs.text("assistant"), inputs.text("company"));
            Box::new(move || Output::Messages(chat(&assistant, &company, &question)))
        }
        "b_rag" => {
            let documents = inputs.documents();
            Box::new(move || Output::Messages(rag(&documents, &question)))
        }
        _ => {
            let history = inputs.history();
            Box::new(move || Output::Messages(thread(&history, &question)))
        }
    };
    Subject { name: names::HAND_BUILT, run, agreement: Agreement::Messages }
}

fn chat(assistant: &str, company: &str, question: &str) -> Vec<Message> {
    let [opening, between, closing] = a_chat::SYSTEM;
    let [greeting] = a_chat::ASSISTANT;
    vec![
        Message::system([opening, assistant, between, company, closing].concat()),
        Message::assistant(greeting),
        user_message(a_chat::USER, question),
    ]
}

fn rag(documents: &[Document], question: &str) -> Vec<Message> {
    let [opening, before, after_index, after_title, after_text, closing] = b_rag::SYSTEM;
    let literals = before.len() + after_index.len() + after_title.len() + after_text.len();
    let length = |it: &Document| literals + it.title.len() + it.text.len() + 4;
    let length = documents.iter().map(length).sum::<usize>() + opening.len() + closing.len();
    let mut text = String::with_capacity(length);
    text.push_str(opening);
    for (index, document) in documents.iter().enumerate() {
        text.push_str(before);
        let _ = write!(text, "{}", index + 1);
        for piece in [after_index, &document.title, after_title, &document.text, after_text] {
            text.push_str(piece);
        }
    }
    text.push_str(closing);
    text.truncate(text.trim_end_matches('\n').len());
    vec![Message::system(text), user_message(b_rag::USER, question)]
}

fn thread(history: &[Message], question: &str) -> Vec<Message> {
    let [opening, _] = c_thread::SYSTEM;
    let mut messages = Vec::with_capacity(history.len() + 2);
    messages.push(Message::system(opening.trim_ascii_end()));
    messages.extend_from_slice(history);
    messages.push(user_message(c_thread::USER, question));
    messages
}

fn user_message([opening, closing]: [&str; 2], question: &str) -> Message {
    Message::text_of(Role::User, [opening, question, closing].concat())
}
