use typed_prompty::message::ContentPart;
use typed_prompty::{Message, Prompt};

#[derive(Prompt)]
#[prompt(slots(instruct = "Look at ${photo}, as ${history} says, for ${cache}."))]
struct Ask<'a> {
    #[prompt(slot = "attachment")]
    photo: ContentPart,
    #[prompt(slot = "chat_history")]
    history: &'a [Message],
    #[prompt(skip)]
    cache: String,
}

fn main() {}
