use typed_prompty::Prompt;

#[derive(Prompt)]
struct Ask<'a> {
    #[prompt(slot = "input", title = "QUESTION")]
    question: &'a str,
    #[prompt(slot = "info", skip)]
    facts: &'a str,
    #[prompt(slot = "input", roles(system, user))]
    more: &'a str,
}

fn main() {}
