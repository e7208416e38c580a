use typed_prompty::{Message, Prompt};

#[derive(Prompt)]
#[prompt(slots(system = "Be brief."))]
struct Ask<'a> {
    #[prompt(slot = "chat_history")]
    history: &'a [Message],
}

fn main() {}
