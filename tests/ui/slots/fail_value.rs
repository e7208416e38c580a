use typed_prompty::Prompt;

struct Fact {
    text: String,
}

#[derive(Prompt)]
#[prompt(slots(system = "Answer from ${source}."))]
struct Ask<'a> {
    source: Fact,
    #[prompt(slot = "input")]
    question: &'a str,
    #[prompt(slot = "info")]
    facts: &'a [Fact],
}

fn main() {}
