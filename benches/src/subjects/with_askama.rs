//! askama: the same templates, compiled, with typed structs.

use askama::Template;

use crate::{Agreement, Document, Inputs, Output, Subject, Turn, names};

mod templates {
    include!(concat!(env!("OUT_DIR"), "/templates.rs"));
}

pub(super) fn subject(inputs: &Inputs) -> Subject {
    let question = inputs.text("question");
    let run: Box<dyn Fn() -> Output> = match inputs.name {
        "a_chat" => {
            let (assistant, company) = (inputs.text("assistant"), inputs.text("company"));
            Box::new(move || {
                let (assistant, company, question) = (&*assistant, &*company, &*question);
                render(&templates::Chat { assistant, company, question })
            })
        }
        "b_rag" => {
            let docs = inputs.documents();
            Box::new(move || render(&templates::Rag { docs: &docs, question: &question }))
        }
        _ => {
            let history = inputs.turns();
            Box::new(move || render(&templates::Thread { history: &history, question: &question }))
        }
    };
    Subject { name: names::ASKAMA, run, agreement: Agreement::Text }
}

fn render(template: &impl Template) -> Output {
    Output::Text(template.render().expect("the template renders"))
}
