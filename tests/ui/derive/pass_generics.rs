//! Borrowed fields, parameters and bounds.

use typed_prompty::{Prompt, ToValue};

#[derive(Prompt)]
#[prompt(source = "user:\n{{ name }} {% for item in items %}{{ item }}{% endfor %}")]
struct Ask<'a, T, const N: usize>
where
    T: ToValue,
{
    name: &'a str,
    items: [T; N],
}

#[test]
fn main() {
    let _ = Ask { name: "A", items: [1, 2] }.messages();
}
