//! A type for inputs that Rust declares.

use typed_prompty::prompt;

prompt!(
    #[prompt(types(passages = Passage))]
    Order { passages: &[Passage] },
    "user:\n{% for passage in passages %}{{ passage.title }}{% endfor %}"
);

struct Passage {
    title: String,
}

fn main() {}
