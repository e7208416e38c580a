use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(slots(sytem = "Be brief.", style = "formal"))]
struct Ask<'a> {
    #[prompt(slot = "INSTRUCTIONS")]
    rules: &'a str,
    #[prompt(slot = "imput")]
    question: &'a str,
    #[prompt(slot = "chat history")]
    history: &'a str,
}

fn main() {}
