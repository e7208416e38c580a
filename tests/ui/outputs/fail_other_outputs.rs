use typed_prompty::prompt;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Ticket {
    title: String,
}

prompt!(
    #[prompt(output = Ticket)]
    File { complaint: &str },
    "---
outputs:
  title: {kind: string, required: true}
  urgency: {kind: integer, required: true}
---
user:
{{ complaint }}
"
);

fn main() {}
