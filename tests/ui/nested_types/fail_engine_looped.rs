//! A loop over what is no list, in a template that the engine renders.

use typed_prompty::prompt;

pub struct Author {
    pub name: String,
}

pub struct Passage {
    pub title: String,
    pub author: Author,
    pub notes: Option<Vec<String>>,
}

prompt!(
    Ask { passage: &Passage },
    "
user:
{% set x = 1 %}{% for word in passage.title %}{{ word }}{% endfor %}
"
);

fn main() {}
