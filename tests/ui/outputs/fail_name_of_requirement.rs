use typed_prompty::{Prompt, prompt};

prompt!(
    #[prompt(output = Vec<String>)]
    Field { output_requirement: &str },
    "user:\n{{ output_requirement }}\n"
);

prompt!(
    Declared,
    "---
inputs:
  output_requirement: {kind: string, required: true}
outputs:
  answer: {kind: string}
---
user:
{{ output_requirement }}
"
);

prompt!(
    #[prompt(output = Vec<String>)]
    Literals { output_requirement: &str },
    user: "{output_requirement}",
);

fn main() {
    let _ = Field { output_requirement: "" }.messages();
    let _ = Field::parse("");
}
