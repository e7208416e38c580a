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
    "user:\nMake a ticket of this: {{ complaint }}\n"
);

#[derive(Prompt)]
#[prompt(source = "user:\nHow many? {{ question }}\n", output = Option<Vec<u8>>)]
struct Count<T: std::fmt::Display> {
    question: T,
}

fn main() {
    let _ = File { complaint: "Fire!" }.messages();
    let _: &Output<Ticket> = File::output();
    assert_eq!(File::parse("{title: 'Fire'}").unwrap().value.title, "Fire");
    assert_eq!(Count::<&str>::parse("[1, 2]").unwrap().value, Some(vec![1, 2]));
    assert!(File::stream().push("{\"title\": \"F").len() == 1);
}
