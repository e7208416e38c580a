use typed_prompty::{Message, Prompt, Untrusted};

#[derive(Prompt)]
struct Ask<'a> {
    #[prompt(slot = "chat_history", roles(asistant))]
    history: &'a [Message],
    #[prompt(slot = "input")]
    question: &'a str,
}

#[derive(Prompt)]
struct Outside<'a> {
    #[prompt(slot = "chat_history", roles(system, user))]
    history: Untrusted<&'a [Message]>,
    #[prompt(slot = "input")]
    question: &'a str,
}

fn main() {}
