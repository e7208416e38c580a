//! Prints a table of the prompts of this program: locations, inputs, and ways of rendering.
//!
//! Run it with `cargo run --example list`. The feature `inventory` collects the list.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use typed_prompty::inventory::{ListedPrompt, prompts};
use typed_prompty::{Message, Prompt, StaticInput, Untrusted, prompt};

mod support {
    //! Prompts in other modules are listed as well.
    typed_prompty::prompt!(pub Support, "prompts/support.prompty");
}

prompt!(
    Title { messages: &[Message], words: u32 },
    "
system:
Give the conversation below a title of at most {{ words }} words.

user:
{{ messages }}
"
);

/// A generic prompt. It accepts any list of strings.
#[derive(Prompt)]
#[prompt(
    compiled,
    max_tokens = 60,
    source = "
system:
Sort the customer's message into one of these: {{ topics | join(', ') }}. Answer with its name alone.

user:
{{ message }}
"
)]
struct Route<'a, Topics: typed_prompty::Each<Item = String>> {
    topics: Topics,
    message: Untrusted<&'a str>,
}

prompt!(Translate { language: &str, text: &str },
    system: "You translate into {language}. Give the translation alone.",
    user: "{text}",
);

// The template engine renders templates that straight-line code does not support.
prompt!(
    Digest { headlines: &[String] },
    "
user:
Sum these up:
{% for initial, group in headlines | groupby(0) %}
{{ initial }}: {{ group | unique | join('; ') }}
{% endfor %}
"
);

fn main() {
    print_table();

    // Listed prompts are ordinary types.
    let message = Untrusted::new("My blender came broken.");
    let route = Route { topics: vec!["returns".to_owned(), "billing".to_owned()], message };
    match route.messages() {
        Ok(messages) => println!("\nRoute renders {} messages", messages.len()),
        Err(error) => println!("\n{error}"),
    }
}

fn print_table() {
    let rows: Vec<[String; 5]> = prompts().map(row).collect();
    let head = ["prompt", "source", "format", "renders", "inputs"].map(str::to_owned);
    let mut widths = [0; 5];
    for row in rows.iter().chain([&head]) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    for row in [&head].into_iter().chain(&rows) {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        println!("{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
}

fn row(prompt: &ListedPrompt) -> [String; 5] {
    let inputs: Vec<String> = prompt.inputs().iter().map(input).collect();
    [
        prompt.name().to_owned(),
        prompt.source(),
        prompt.format().to_owned(),
        prompt.renders(),
        inputs.join(", "),
    ]
}

/// Formats an input: `tone?: string`. The question mark is for an optional input.
fn input(input: &StaticInput) -> String {
    let mark = if input.required { "" } else { "?" };
    format!("{}{mark}: {}", input.name, input.rust_type)
}
