// A prompt with a mistake still has the methods of its output, so nothing is said of them.
use typed_prompty::prompt;

prompt!(
    Ask,
    "---
outputs:
  answer: {kind: string, required: true}
---
user:
{{ question }}
"
);

fn main() {
    let answer: AskOutput = Ask::parse("{}").unwrap().value;
    let _: String = answer.answer;
}
