use typed_prompty::Prompt;
use typed_prompty::message::Media;

#[derive(Prompt)]
struct Ask<'a> {
    #[prompt(slot = "input")]
    question: &'a str,
    #[prompt(slot = "attachment")]
    photos: Vec<Media>,
}

#[derive(Prompt)]
struct Count {
    #[prompt(slot = "attachment")]
    pages: u32,
}

fn main() {}
