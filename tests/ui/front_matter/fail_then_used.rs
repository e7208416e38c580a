//! A prompt that cannot be read is one error, although it is used.

use typed_prompty::{Error, Prompt, prompt};

prompt!(Ask, "---
name: [ask
---
user:
Hello
");

fn show(ask: &Ask) -> Result<(), Error> {
    assert_eq!(ask.messages()?.len(), Ask::DEFINITION.inputs.len());
    Ok(())
}

fn main() {
    let _ = show;
}
