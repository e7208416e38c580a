use typed_prompty::prompt;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Ticket {
    title: Option<u8>,
    urgency: String,
    due_date: Vec<String>,
}

prompt!(
    #[prompt(output = Ticket)]
    File { complaint: &str },
    "---
outputs:
  title: {kind: string}
  urgency: {kind: integer, required: true}
  dueDate: {kind: array, items: {kind: string}, required: true}
---
user:
{{ complaint }}
"
);

fn main() {}
