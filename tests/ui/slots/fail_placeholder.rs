use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(slots(
    system = "
        Help customers of ${compny}.
        Speak as ${ persona.name } does.
    ",
    instruct = "Answer in ${words} words, for ${audience}, in ${language}.",
))]
struct Ask<'a> {
    company: &'a str,
    persona: &'a str,
    words: u32,
    audience: Option<&'a str>,
    #[prompt(slot = "input")]
    question: &'a str,
}

fn main() {}
