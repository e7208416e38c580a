use typed_prompty::Prompt;

#[derive(Prompt)]
struct Ask<'a> {
    #[prompt(slot = "input")]
    question: &'a str,
    #[prompt(slot = "options")]
    temperature: f64,
    #[prompt(slot = "output_format")]
    format: Option<bool>,
}

#[derive(Prompt)]
struct Talk<'a> {
    #[prompt(slot = "input")]
    question: &'a str,
    #[prompt(slot = "chat_history")]
    history: Vec<String>,
    #[prompt(slot = "tools")]
    tools: Vec<&'a str>,
    #[prompt(slot = "output")]
    answer: &'a str,
}

fn main() {}
