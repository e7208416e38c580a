//! The most common use: two prompts, one from a file and one in Rust code, rendered with typed
//! inputs.
//!
//! Run it with `cargo run --example support`. Then misspell a variable in `prompts/support.prompty`
//! or below, and build again: the compiler shows the place in the template.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example shows what it does")]

use typed_prompty::{Error, Message, Prompt, prompt};

// The inputs, their types and the documentation come from the front matter of the file.
prompt!(pub Support, "prompts/support.prompty");

// The inputs are declared in Rust, and the template is part of the program.
prompt!(
    Title { messages: &[Message], words: u32 },
    "
system:
Give the conversation below a title of at most {{ words }} words.

user:
{{ messages }}
"
);

fn main() -> Result<(), Error> {
    let passages = [
        SupportPassagesItem {
            title: "Returns",
            text: "Opened items can be returned in 30 days.\n",
        },
        SupportPassagesItem { title: "Refunds", text: "Refunds take five working days." },
    ];
    let history = [Message::user("Hello"), Message::assistant("Hello! How may I help you?")];
    let support = Support::new("Contoso", &passages, "Can I return an opened blender?")
        .with_tone(SupportTone::Formal)
        .with_history(&history);
    show("support", &support.messages()?);

    // A thread must not contain system messages, so the one above is not part of it.
    let title = Title { messages: &history, words: 5 };
    show("title", &title.messages()?);
    Ok(())
}

fn show(name: &str, messages: &[Message]) {
    println!("--- {name}: {} messages", messages.len());
    for message in messages {
        println!("[{}]\n{}\n", message.role, message.text());
    }
}
