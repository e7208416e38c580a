//! askama: the same texts, compiled, with typed structs.

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
                rendered(&templates::Chat { assistant, company, question })
            })
        }
        "b_rag" => {
            let docs = inputs.documents();
            Box::new(move || rendered(&templates::Rag { docs: &docs, question: &question }))
        }
        _ => {
            let history = inputs.turns();
            Box::new(move || {
                rendered(&templates::Thread { history: &history, question: &question })
            })
        }
    };
    Subject { name: names::ASKAMA, run, agreement: Agreement::Text }
}

fn rendered(template: &impl Template) -> Output {
    Output::Text(template.render().expect("it renders"))
}
