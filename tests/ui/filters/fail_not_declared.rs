//! A filter of the registry that the prompt does not name.

use typed_prompty::{Registry, prompt};

fn registry() -> Registry {
    Registry::new()
}

prompt!(
    #[prompt(registry = registry)]
    Ask { name: &str },
    "
user:
{{ name | shout }}
"
);

fn main() {}
