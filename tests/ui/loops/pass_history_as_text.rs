//! Histories that are text of a message, and documents with a title and an author.

#![deny(warnings)]

use typed_prompty::{Prompt, ToValue, prompt};

#[derive(ToValue)]
struct Turn {
    role: String,
    content: String,
}

#[derive(ToValue)]
struct Document {
    title: String,
    author: String,
    content: String,
}

prompt!(
    Summarise { history: &[Turn], documents: &[Document] },
    "
user:
{% set conversation %}
{% for m in history %}
{{ m.role }}:
{{ m.content }}
{% endfor %}
{% endset %}
Summarise: {{ conversation | trim }}
{% for document in documents %}
{{ document.title }}:
{{ document.author }}:
{{ document.content }}
{% endfor %}
"
);

#[test]
fn main() {
    let turn = Turn { role: "user".to_owned(), content: "Hi".to_owned() };
    let document = Document {
        title: "Tea".to_owned(),
        author: "Ann".to_owned(),
        content: "It is hot.".to_owned(),
    };
    let prompt = Summarise { history: &[turn], documents: &[document] };
    let messages = prompt.messages().unwrap();
    assert_eq!(messages.len(), 1);
    assert!(messages[0].text().starts_with("Summarise: user:\nHi"));
}
