//! A function of a toolbox that returns neither a `Result` nor a plain answer.

use typed_prompty::tools::{Toolbox, tool};

struct Sent(usize);

/// Sends.
#[tool]
fn send(text: String) -> usize {
    text.len()
}

fn main() {
    let _ = Toolbox::new().with(SendArguments::answer);
    let _ = Toolbox::new().with(|send: SendArguments| send.text);
    let _ = Toolbox::new().with(|send: SendArguments| Sent(send.text.len()));
}
