//! A struct that is printed, in a template that the engine renders.

use typed_prompty::prompt;

pub struct Author {
    pub name: String,
}

prompt!(
    Ask { author: &Author },
    "
user:
{% set all = author %}{{ all }}
"
);

fn main() {}
