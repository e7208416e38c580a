use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(slots(input = " "))]
struct Ask;

fn main() {}
