//! An input that neither the template nor a function reads.
#![deny(deprecated)]

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "semantic-kernel", functions("time.in"(city)))]
    Ask { name: &str, city: &str, age: u8 },
    r#"
user:
Hello {{$name}}, it is {{time.in}}.
"#
);

fn main() {}
