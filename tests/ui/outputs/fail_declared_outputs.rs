use typed_prompty::prompt;

prompt!(
    Ask,
    "---
outputs:
  picture: {kind: image}
  firstName: {kind: string}
  first_name: {kind: string}
  odd: {kind: object, jsonSchema: {not: {type: string}}}
---
user:
Who?
"
);

prompt!(
    Unknown,
    "---
outputs:
  name: {kind: strng}
---
user:
Who?
"
);

fn main() {
    let _ = Unknown::parse("{}");
}
