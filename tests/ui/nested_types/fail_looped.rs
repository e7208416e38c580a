//! A loop over a field that is no list.

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
{% for word in passage.title %}{{ word }}{% endfor %}
"
);

fn main() {}
