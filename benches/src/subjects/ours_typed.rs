//! Our typed prompts: structs that the macro generated.

use typed_prompty::{Error, Message, Prompt};

use crate::{Agreement, Document, Inputs, Output, Subject, names};

mod prompts {
    include!(concat!(env!("OUT_DIR"), "/typed.rs"));
}

pub(super) fn subject(inputs: &Inputs) -> Subject {
    let question = inputs.text("question");
    let run: Box<dyn Fn() -> Output> = match inputs.name {
        "a_chat" => {
            let (assistant, company) = (inputs.text("assistant"), inputs.text("company"));
            Box::new(move || {
                let (assistant, company, question) = (&*assistant, &*company, &*question);
                to_output(prompts::Chat { assistant, company, question }.messages())
            })
        }
        "b_rag" => {
            let docs = inputs.documents();
            Box::new(move || {
                to_output(prompts::Rag { docs: &docs, question: &question }.messages())
            })
        }
        _ => {
            let history = inputs.history();
            Box::new(move || {
                to_output(prompts::Thread { history: &history, question: &question }.messages())
            })
        }
    };
    Subject { name: names::TYPED, run, agreement: Agreement::Messages }
}

fn to_output(messages: Result<Vec<Message>, Error>) -> Output {
    Output::Messages(messages.expect("the inputs are valid"))
}
