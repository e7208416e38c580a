use typed_prompty::prompt;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Ticket {
    title: String,
}

prompt!(
    #[prompt(output = Vec<String>)]
    Both { question: &str },
    "---\noutputs: Ticket\n---\nuser:\n{{ question }}\n"
);

prompt!(
    NoType { question: &str },
    "---\noutputs: a ticket with a title\n---\nuser:\n{{ question }}\n"
);

fn main() {}
