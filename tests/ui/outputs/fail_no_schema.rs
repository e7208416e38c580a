use typed_prompty::prompt;

struct Ticket {
    title: String,
}

prompt!(
    #[prompt(output = Ticket)]
    File { complaint: &str },
    "user:\nMake a ticket of this: {{ complaint }}\n{{ output_requirement }}\n"
);

fn main() {}
