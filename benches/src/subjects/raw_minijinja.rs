//! minijinja alone: the template is compiled before the measurement, and the JSON inputs are
//! converted in each call.

use minijinja::Environment;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};

use crate::{Agreement, Inputs, Output, Subject, names};

pub(super) fn subject(inputs: &Inputs) -> Subject {
    let mut environment = Environment::new();
    let syntax = SyntaxConfig::builder().keep_trailing_newline(true).build();
    environment.set_syntax(syntax.expect("the syntax is valid"));
    environment
        .add_template_owned("prompt", inputs.body().to_owned())
        .expect("the template compiles");
    let json = inputs.json.clone();
    let run = move || {
        let template = environment.get_template("prompt").expect("the template was added");
        Output::Text(template.render(Value::from(Serde(&json))).expect("the template renders"))
    };
    let is_thread = inputs.name == "c_thread";
    let agreement = if is_thread { Agreement::ListPrinted } else { Agreement::Text };
    Subject { name: names::RAW_MINIJINJA, run: Box::new(run), agreement }
}
