use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(slots("STYLE" = "formal", "Tone of voice" = "warm"))]
struct Ask<'a> {
    #[prompt(title = "STYLE")]
    style: &'a str,
    #[prompt(title = "TONE OF VOICE")]
    tone: &'a str,
    #[prompt(title = "info")]
    facts: &'a str,
    #[prompt(title = "Chat History")]
    earlier: &'a str,
}

fn main() {}
