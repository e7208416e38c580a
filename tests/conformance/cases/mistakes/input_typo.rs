use typed_prompty::prompt;

prompt!(Ask { question: &str }, "user:\n{{ qestion }}");

fn main() {}
