//! A type parameter that promises nothing.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\n{{ name }}")]
struct Ask<T> {
    name: T,
}

fn main() {}
