//! The same reads, in a template that the engine renders.

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
    Ask { passages: &[Passage], first: Option<&Passage>, boxed: Box<Passage> },
    "
user:
{% set x = 1 %}{% for passage in passages %}
{{ passage.title | upper }} by {{ passage.author.name }}
{% for note in passage.notes %}{{ note }}{% endfor %}
{% if passage.notes %}with notes{% endif %}
{% endfor %}
{% if first %}{{ first.title }}{% endif %} {{ boxed.author.name }}
"
);

#[test]
fn main() {}
