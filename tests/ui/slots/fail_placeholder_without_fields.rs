use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(slots(instruct = "Help customers of ${company}."))]
struct Ask {}

fn main() {}
