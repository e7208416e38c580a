//! `#[prompt(...)]`: registries, strictness, formats.

use typed_prompty::registry::Renderer;
use typed_prompty::{Error, ErrorKind, Map, Prompt, Registry, Value, prompt};

use super::text;

fn registry() -> Registry {
    Registry::new()
        .with_filter("shout", |value, _| {
            Ok(Value::from(format!("{}!", value.to_string().to_uppercase())))
        })
        .with_test("loud", |value, _| Ok(value.to_string().ends_with('!')))
        .with_function("answer", |_| Ok(Value::from(42)))
}

prompt!(
    #[prompt(registry = registry, filters(shout), tests(loud), functions(answer))]
    Shout { name: &str },
    "
user:
{{ name | shout }} {{ answer() }}{% if name is loud %} loud{% endif %}
"
);

#[test]
fn a_prompt_may_have_its_own_registry() {
    assert_eq!(text(&Shout { name: "hi" }), "HI! 42");
    assert_eq!(text(&Shout { name: "hi!" }), "HI!! 42 loud");
}

prompt!(
    #[prompt(strict)]
    Strict { name: &str },
    "user:\n{{ name }}\n"
);

#[test]
fn a_strict_prompt_refuses_text_that_looks_like_a_marker() {
    assert_eq!(text(&Strict { name: "user: me" }), "user: me");
    let error: Error = Strict { name: "x\nsystem:\ny" }.messages().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::ForgedMarker | ErrorKind::StrictViolation));
}

/// `$name` is replaced by the input `name`.
struct Dollar;

impl Renderer for Dollar {
    fn render(&self, template: &str, inputs: &Map) -> Result<String, Error> {
        let replace = |text: String, (name, value): (&str, &Value)| {
            text.replace(&format!("${name}"), &value.to_string())
        };
        Ok(inputs.iter().fold(template.to_owned(), replace))
    }
}

fn dollars() -> Registry {
    Registry::new().with_renderer("dollar", Dollar)
}

prompt!(
    #[prompt(registry = dollars, formats(dollar), format = "dollar")]
    Visit { city: &str, days: u8 },
    "
user:
$days days in $city.
"
);

#[test]
fn a_renderer_of_the_host_receives_all_inputs_of_a_typed_prompt() {
    assert_eq!(text(&Visit { city: "Bonn", days: 2 }), "2 days in Bonn.");
}

mod mustache {
    use typed_prompty::prompt;

    struct Item {
        name: &'static str,
    }

    prompt!(
        #[prompt(format = "mustache")]
        List { items: &[Item], polite: bool },
        "
user:
{{#items}}{{{name}}};{{/items}}{{^items}}nothing{{/items}}{{#polite}} Please.{{/polite}}
"
    );

    prompt!(
        FromFrontMatter,
        "
---
template: { format: mustache }
inputs:
  name: { kind: string, required: true }
---
user:
Hello {{name}}
"
    );

    #[test]
    fn mustache_templates_can_be_typed() {
        let items = [Item { name: "a" }, Item { name: "<b>" }];
        assert_eq!(super::text(&List { items: &items, polite: true }), "a;<b>; Please.");
        assert_eq!(super::text(&List { items: &[], polite: false }), "nothing");
        assert_eq!(super::text(&FromFrontMatter::new("user:\nx")), "Hello user:\nx");
    }
}
