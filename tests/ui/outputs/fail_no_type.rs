use typed_prompty::prompt;

prompt!(
    #[prompt(output = "Ticket")]
    File { complaint: &str },
    "user:\nMake a ticket of this: {{ complaint }}\n"
);

prompt!(
    #[prompt(output)]
    Other { complaint: &str },
    "user:\nMake a ticket of this: {{ complaint }}\n"
);

fn main() {}
