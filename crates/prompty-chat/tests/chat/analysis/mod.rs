//! Analysis of chat templates: templates of each kind, written for this test, and their formats.

mod formats;
mod hostile;
mod refusals;
mod renamed;
mod spaces;
mod steps;
mod views;

use prompty_chat::{Analysis, ChatTemplate, SpecialTokens};

/// The templates of this test, by file name.
macro_rules! templates {
    ($($name:ident),* $(,)?) => {
        const TEMPLATES: &[(&str, &str)] =
            &[$((stringify!($name), include_str!(concat!("templates/", stringify!($name), ".jinja")))),*];
    };
}

templates!(
    delimiter,
    headers,
    id_after_arguments,
    id_before_name,
    json_key,
    json_list,
    json_nested,
    json_sequence,
    literal,
    literal_token,
    named_id,
    named_only_id,
    nested,
    plain,
    recipients,
    single_tagged,
    tagged,
    tagged_types,
    instructed,
);

fn source(name: &str) -> &'static str {
    TEMPLATES.iter().find(|(it, _)| *it == name).expect("a template of this test").1
}

/// The analysis of a template with special tokens. The end token is `</s>`.
fn analyze_with_tokens(text: &str) -> Analysis {
    let tokens = SpecialTokens::new().with("bos_token", "<s>").with("eos_token", "</s>");
    let template = ChatTemplate::from_text(text).expect("it compiles");
    template.with_special_tokens(tokens).analyze().expect("it is clear")
}

fn analyze(text: &str) -> Analysis {
    ChatTemplate::from_text(text).expect("it compiles").analyze().expect("it is clear")
}
