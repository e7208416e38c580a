//! Filters, tests and functions of the registry that the prompt names.

use typed_prompty::{Registry, prompt};

fn registry() -> Registry {
    Registry::new()
}

prompt!(
    #[prompt(registry = registry, filters(shout), tests(loud), functions(now))]
    Ask { name: &str },
    "
user:
{% if name is loud %}{{ name | shout }}{% endif %} {{ now() }}
"
);

#[test]
fn main() {}
