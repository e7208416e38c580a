#![deny(deprecated)]

use typed_prompty::prompt;

prompt!(
    #[prompt(output = Vec<String>)]
    List { question: &str },
    "user:\n{{ question }}\n"
);

prompt!(
    #[prompt(output = Vec<String>, format = "mustache")]
    Escaped { question: &str },
    "user:\n{{{ question }}}\n{{ output_requirement }}\n"
);

prompt!(
    #[prompt(output = Vec<String>)]
    Literals { question: &str },
    user: "{question}",
);

fn main() {}
