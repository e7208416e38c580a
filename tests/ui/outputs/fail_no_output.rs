use typed_prompty::prompt;

prompt!(
    Ask { question: &str },
    "user:\n{{ question }}\n{{ output_requirement }}\n"
);

prompt!(
    #[prompt(output = Vec<String>)]
    Misspelt { question: &str },
    "user:\n{{ question }}\n{{ output_requirment }}\n"
);

fn main() {}
