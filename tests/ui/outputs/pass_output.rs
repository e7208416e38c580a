#![deny(warnings)]

use typed_prompty::output::Output;
use typed_prompty::{Prompt, prompt};

/// A ticket.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Ticket {
    title: String,
}

prompt!(
    #[prompt(output = Ticket)]
    File { complaint: &str },
    "user:\nMake a ticket of this: {{ complaint }}\n{{ output_requirement }}\n"
);

#[derive(Prompt)]
#[prompt(source = "user:\nHow many? {{ question }}\n", output = Option<Vec<u8>>, output_schema)]
struct Count<T: std::fmt::Display> {
    question: T,
}

prompt!(
    #[prompt(output = Ticket, allow(untold_output))]
    Allowed { complaint: &str },
    "user:\n{{ complaint }}\n"
);

// Without an output it is a name as any other.
prompt!(Ask { output_requirement: &str }, "user:\n{{ output_requirement }}\n");

#[test]
fn main() {
    let _ = File { complaint: "Fire!" }.messages();
    let _: &Output<Ticket> = File::output();
    assert_eq!(File::parse("{title: 'Fire'}").unwrap().value.title, "Fire");
    assert_eq!(Count::<&str>::parse("[1, 2]").unwrap().value, Some(vec![1, 2]));
    assert!(File::stream().push("{\"title\": \"F").len() == 1);
    let _ = (Count { question: 1 }.messages(), Allowed { complaint: "" }.messages());
    let _ = Ask { output_requirement: "" }.messages();
}
