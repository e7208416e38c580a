use typed_prompty::Prompt;

#[derive(Prompt)]
struct Ask<T> {
    #[prompt(slot = "input")]
    question: T,
}

fn main() {}
