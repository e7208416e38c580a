//! Inputs of samples are fields with the types of the values.

use typed_prompty::{Prompt, prompt};

prompt!(
    #[prompt(allow(first_version))]
    Ask,
    "./sampled.prompty"
);

prompt!(
    #[prompt(allow(first_version))]
    Tell,
    "---
model:
  api: chat
sample:
  name: Ada
  age: 36
  documents:
    - title: Notes
      pages: 12
    - title: Letters
template: jinja2
---
user:
{{ name }} is {{ age }}.
{% for document in documents %}{{ document.title }}{% if document.pages %} ({{ document.pages }}){% endif %}
{% endfor %}
"
);

#[derive(Prompt)]
#[prompt(path = "./sampled.prompty", allow(first_version))]
struct Derived<'a> {
    question: &'a str,
    limit: i64,
}

#[test]
fn main() {
    let _ = (Ask::new("Why?", 3), Derived { question: "Why?", limit: 3 });
    let documents = [TellDocumentsItem { title: "Notes", pages: Some(12) }];
    let messages = Tell::new("Ada", 36, &documents).messages().unwrap();
    assert_eq!(messages[0].text(), "Ada is 36.\nNotes (12)");
}
