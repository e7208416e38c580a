//! Generated names that would be the same get numbers, and none is given away twice.

use typed_prompty::{Prompt, prompt};

prompt!(
    pub Ask,
    "---
name: ask
inputs:
  tone: { kind: string, required: true, enumValues: [a, A, a2, '-', '1'] }
  user: { kind: object, required: true, properties: { nameX: { kind: string, required: true, enumValues: [a] } } }
  userName: { kind: object, required: true, properties: { x: { kind: string, required: true, enumValues: [b] } } }
  userNameX2: { kind: string, required: true, enumValues: [c] }
---
user:
{{ tone }}{{ user.nameX }}{{ userName.x }}{{ userNameX2 }}"
);

#[test]
fn main() {
    let user = AskUser { name_x: AskUserNameX::A };
    let name = AskUserName { x: AskUserNameX2::B };
    let ask = Ask { tone: AskTone::A22, user, user_name: name, user_name_x2: AskUserNameX22::C };
    assert_eq!(ask.messages().unwrap()[0].text(), "a2abc");
}
