use typed_prompty::prompt;

prompt!(Ask { topic: &str, type: &str }, "user:\n{{ topic }} {{ type }}");
prompt!(Answer { pub self: &str }, "user:\n{{ self }}");

fn main() {}
