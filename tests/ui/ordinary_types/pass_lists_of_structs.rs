//! Filters that read the length or attributes of a list need no conversion of its structs.

use typed_prompty::{Prompt, prompt};

pub struct Author {
    pub name: String,
}

pub struct Passage {
    pub title: String,
    pub score: f64,
    pub author: Author,
}

pub struct Book {
    pub passages: Vec<Passage>,
}

prompt!(
    #[prompt(compiled)]
    Count { passages: &[Passage], book: &Book, note: &Option<String>, nested: Option<Option<&str>> },
    r#"
user:
{{ passages | length }} {{ book.passages | count }}{% if passages | length > 1 %} many{% endif %}
{{ note or "-" }}{% if note %}{{ note }}{% endif %}{% if nested %}{{ nested }}{% else %}nothing{% endif %}
"#
);

prompt!(
    List { passages: &[Passage], book: &Book, pair: (&str, u32), pairs: &[(String, u32)] },
    r#"
user:
{% for p in passages | sort(attribute="score", reverse=true) %}{{ p.title }}{% endfor %}
{{ passages | map(attribute="author.name") | join(", ") }} {{ passages | join(", ", attribute="title") }}
{{ (passages | first).title }} {{ passages | sum(attribute="score") }} {{ book.passages | length }}
{{ pair[0] }}{{ pair[1] }}{% for p in pairs %}{{ p[0] }}{{ p[1] }}{% endfor %}
"#
);

#[test]
fn main() {
    let passage = |title: &str, score| Passage {
        title: title.to_owned(),
        score,
        author: Author { name: title.to_uppercase() },
    };
    let book = Book { passages: vec![passage("x", 0.0)] };
    let passages = [passage("a", 1.0), passage("b", 2.5)];
    let note = Some("hm".to_owned());
    let count = Count { passages: &passages, book: &book, note: &note, nested: Some(None) };
    assert_eq!(count.messages().unwrap()[0].text(), "2 1 many\nhmhmnothing");
    let pairs = [("k".to_owned(), 3)];
    let list = List { passages: &passages, book: &book, pair: ("l", 2), pairs: &pairs };
    assert_eq!(list.messages().unwrap()[0].text(), "ba\nA, B a, b\na 3.5 1\nl2k3");
}
