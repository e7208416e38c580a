//! Threads with the default roles, more of them and fewer, also from outside.

use typed_prompty::{Message, Prompt, Untrusted, prompt};

prompt!(
    Ask {
        #[prompt(roles(system, developer, user, assistant, tool, ipython))]
        own: &[Message],
        #[prompt(roles(user, assistant))]
        page: Untrusted<&[Message]>,
        outside: Option<Untrusted<Vec<Message>>>,
    },
    "
{{ own }}
{{ page }}
{{ outside }}

user:
Why?
"
);

prompt!(
    Turns {
        #[prompt(roles(system, user))]
        own: &[Message],
        outside: Untrusted<Vec<Message>>,
    },
    ..own,
    ..outside,
    #[prompt(roles(system))]
    ..&own[..1],
    user: "Why?",
);

#[test]
fn main() -> Result<(), typed_prompty::Error> {
    let own = [Message::system("Be brief.")];
    let outside = Untrusted::new(Vec::new());
    Turns { own: &own, outside }.messages()?;
    let _: Vec<Message> = prompt!(#[prompt(roles(system))] ..&own, user: "Why?")?;
    Ok(())
}
