use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\n{{ question }}", slots(system = "Be brief."))]
struct Ask<'a> {
    #[prompt(slot = "input", rename = "ask")]
    question: &'a str,
}

#[derive(Prompt)]
#[prompt(slot(system = "Be brief."))]
struct Tell<'a> {
    #[prompt(slots = "input")]
    question: &'a str,
    #[prompt(slot = info)]
    facts: &'a str,
}

fn main() {}
