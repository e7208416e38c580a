//! Our pipeline at run time: it is compiled before the measurement, and its inputs are a map in
//! memory.

use typed_prompty::definition::Definition;
use typed_prompty::render::Pipeline;

use crate::{Agreement, Inputs, Output, Subject, names};

pub(super) fn subject(inputs: &Inputs) -> Subject {
    let definition = Definition::from_text(&*inputs.source).expect("it loads");
    let pipeline = Pipeline::new(&definition).expect("it compiles");
    let map = inputs.map.clone();
    let run = move || Output::Messages(pipeline.prepare(&map).expect("it prepares"));
    Subject { name: names::DYNAMIC, run: Box::new(run), agreement: Agreement::Messages }
}
