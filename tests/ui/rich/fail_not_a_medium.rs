//! A text that is called an image.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\n{{ photo }}")]
struct Ask {
    #[prompt(kind = "image")]
    photo: String,
}

fn main() {}
