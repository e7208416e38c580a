use typed_prompty::{Prompt, prompt};

prompt!(
    List { names: Vec<String> },
    "user:
{% for name in names %}
- {{ name }}
{% endfor %}
"
);

fn main() {
    assert!(List { names: vec!["a".to_owned()] }.messages().is_ok());
}
