//! A field that a type of the user does not have.

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
    Ask { passages: &[Passage] },
    "
user:
{% for passage in passages %}{{ passage.titel }}{% endfor %}
"
);

fn main() {}
