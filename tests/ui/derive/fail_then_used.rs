//! One mistake is one error, although the type is used.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\n{{ nme }} {{ name }}")]
struct Ask {
    name: String,
}

fn main() -> Result<(), typed_prompty::Error> {
    Ask { name: "Ada".into() }.messages()?;
    Ok(())
}
