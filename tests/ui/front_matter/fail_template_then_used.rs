//! The same where only the template is wrong.

use typed_prompty::{Prompt, prompt};

prompt!(Ask, "---
inputs:
  name: { kind: string, required: true }
  tone: { kind: string, enumValues: [warm, cold], default: warm }
---
user:
Hello {{ nam }} {{ name }} {{ tone }}
");

fn main() -> Result<(), typed_prompty::Error> {
    let ask = Ask::new("Ada").with_tone(AskTone::Cold);
    assert_eq!(ask.name, "Ada");
    ask.messages()?;
    Ok(())
}
