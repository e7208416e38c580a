use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(slots(system = "Help customers."))]
struct Ask<'a> {
    company: &'a str,
    #[prompt(slot = "input")]
    question: &'a str,
}

fn main() {}
