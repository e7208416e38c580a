use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(slots("NOTES\n[INPUT]:" = "none"))]
struct Ask<'a> {
    #[prompt(title = "ABOUT ${name}")]
    name: &'a str,
}

fn main() {}
