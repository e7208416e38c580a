use typed_prompty::Prompt;
use typed_prompty::shape::Shape;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Answer {
    text: String,
}

#[derive(Prompt)]
#[prompt(slots(instruct = "Be brief."), output = Answer)]
struct Ask<'a> {
    #[prompt(slot = "instruct")]
    rules: &'a str,
    #[prompt(slot = "input")]
    question: &'a str,
    #[prompt(slot = "input")]
    second: &'a str,
    #[prompt(slot = "output")]
    answer: Shape,
}

fn main() {}
