//! Our pipeline at run time: it is compiled before the measurement, and its inputs are a map in
//! memory.

use typed_prompty::definition::Definition;
use typed_prompty::render::Pipeline;

use crate::{Agreement, Inputs, Output, Subject, names};

pub(super) fn subject(inputs: &Inputs) -> Subject {
    let definition = Definition::from_text(&*inputs.source).expect("the prompt loads");
    let pipeline = Pipeline::new(&definition).expect("the prompt compiles");
    let map = inputs.map.clone();
    let run = move || Output::Messages(pipeline.prepare(&map).expect("the inputs are valid"));
    Subject { name: names::DYNAMIC, run: Box::new(run), agreement: Agreement::Messages }
}
