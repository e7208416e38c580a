use typed_prompty::prompt;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Ticket {
    title: String,
}

prompt!(
    Ask { question: &str },
    "---\noutputs: Tickt\n---\nuser:\n{{ question }}\n"
);

fn main() {}
