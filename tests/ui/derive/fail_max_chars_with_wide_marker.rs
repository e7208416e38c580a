//! A fixed text that is longer than its author allows, after a marker with characters of several
//! bytes and with an expression.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user[name='ééééé {{ name }} ééééé']:\nHello, dear", max_chars = 11)]
struct Ask {
    name: String,
}

fn main() {}
