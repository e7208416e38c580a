//! Files of templates, from a prompt file, a text and a derive.

use typed_prompty::{Prompt, prompt};

prompt!(
    #[prompt(templates = "./files", trim_blocks, lstrip_blocks)]
    Ask { name: &str, items: &[&str] },
    "
{% extends 'list.jinja' %}
{% import 'names.jinja' as names %}
{% block items %}
  {% for item in items %}
{{ names.quoted(item) }}
  {% endfor %}
{% endblock %}
"
);

#[derive(Prompt)]
#[prompt(source = "{% include 'rules.jinja' %}", templates = "./files")]
struct Rules<'a> {
    name: &'a str,
}

prompt!(pub Beside, "./files/beside.prompty");

#[test]
fn main() {
    let asked = Ask { name: "Ada", items: &["a", "b"] };
    let messages = asked.messages().unwrap();
    assert_eq!(messages[0].text(), "You help Ada.");
    assert_eq!(messages[1].text(), "'a'\n'b'");
    assert_eq!(Rules { name: "Ada" }.messages().unwrap()[0].text(), "You help Ada.");
    assert_eq!(Beside::new("Ada").messages().unwrap()[0].text(), "You help Ada.");
}
