use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(slots(
    chat_history = "Hello",
    tools = "search",
    options = "temperature",
    output = "a poem",
    output_format = "yaml_literal",
    system = 3,
))]
struct Ask<'a> {
    #[prompt(slot = "input")]
    question: &'a str,
}

#[derive(Prompt)]
#[prompt(slots(
    chat_history = "Hello",
    tools = "search",
    options = "temperature",
    output = "a poem",
    output_format = "yaml_literal",
))]
struct Tell<'a> {
    #[prompt(slot = "input")]
    question: &'a str,
}

fn main() {}
