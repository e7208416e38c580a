//! A folder that does not exist.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\n{{ name }} {% include 'rules.jinja' %}", templates = "./flies")]
struct Ask {
    name: String,
}

fn main() {}
