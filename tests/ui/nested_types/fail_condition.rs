//! A struct as a condition.

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
{% if passage.author %}{{ passage.author.name }}{% endif %}
"
);

fn main() {}
