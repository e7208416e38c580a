use typed_prompty::prompt;

prompt!(
    #[prompt(output_schema)]
    Ask { question: &str },
    "user:\n{{ question }}\n"
);

prompt!(
    #[prompt(output = Vec<String>, output_schema = true)]
    Valued { question: &str },
    "user:\n{{ question }}\n"
);

fn main() {}
