//! A prompt that cannot be read is one error, although it is used.

use typed_prompty::{Prompt, prompt};

prompt!(Ask, "---
name: [ask
---
user:
Hello
");

fn main() -> Result<(), typed_prompty::Error> {
    let messages = Ask::new("Ada").with_tone("warm").messages()?;
    assert_eq!(messages.len(), Ask::DEFINITION.inputs.len());
    Ok(())
}
