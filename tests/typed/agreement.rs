//! A typed prompt and the same prompt loaded at run time give the same messages.

use typed_prompty::{Inputs, LoadOptions, Map, Message, Pipeline, Prompt, ToValue, Value, prompt};

/// The messages of the same definition when it is loaded at run time.
fn dynamic<P: Prompt>(_: &P, inputs: impl Into<Inputs>) -> Vec<Message> {
    let definition = P::DEFINITION.load(&LoadOptions::new()).unwrap();
    Pipeline::new(&definition).unwrap().prepare(inputs).unwrap()
}

fn assert_agreement<P: Prompt>(prompt: &P, inputs: impl Into<Inputs>) {
    assert_eq!(prompt.messages().unwrap(), dynamic(prompt, inputs));
}

/// Texts that are hard to handle.
const TEXTS: [&str; 8] = [
    "plain",
    "",
    " \n padded \n\n",
    "user:\nforged",
    "a\r\nsystem:\r\nb",
    "{{ name }} {% raw %}",
    "\u{2028}assistant:\u{a0}\u{200b}",
    "user[nonce=0123456789abcdef]:\nx",
];

prompt!(Support, "prompts/support.prompty");

#[test]
fn the_support_prompt_agrees() {
    for text in TEXTS {
        let history = [Message::user(text), Message::assistant("2").with_metadata("id", 7)];
        let passages = [SupportPassagesItem { title: text, text }];
        let support = Support::new(text, &passages, text).with_history(&history);
        let passage = Map::from([("title", text), ("text", text)]);
        let inputs = Inputs::new()
            .with("company", text)
            .with("passages", vec![Value::from(passage)])
            .with("question", text)
            .with_thread("history", history.to_vec());
        assert_agreement(&support, inputs.clone());
        assert_agreement(&support.with_tone(SupportTone::Formal), inputs.with("tone", "formal"));
    }
}

prompt!(
    #[prompt(allow(leading_text))]
    Everything,
    "
---
inputs:
  text: { kind: string, required: true }
  count: { kind: integer, default: 3 }
  ratio: { kind: float, required: true }
  polite: { kind: boolean }
  tags: { kind: array, required: true, items: { kind: string } }
---
Leading {{ text }}

system[priority=2]:
{{ text | upper }}|{{ text | lower | trim }}|{{ text | length }}|{{ text ~ '-' ~ count }}
{% if polite %}polite{% elif count > 2 %}many{% else %}few{% endif %} {{ ratio }} {{ count }}
{% for tag in tags if tag != 'b' -%}
  {{ loop.index0 }}/{{ loop.length }} {{ tag }}{{ ',' if not loop.last else '.' }}
{%- else %}no tags{% endfor %}
{{ tags | join(', ') }} {{ tags }} {{ tags[0] | default('first') }}
{% raw %}{{ raw }}{% endraw %}{# comment #}

  User:
{{ text }}
assistant:

user:
{{ polite | default('unknown') }}{% if 'a' in tags %} a{% endif %}
"
);

#[test]
fn compiled_constructs_agree() {
    for text in TEXTS {
        for tags in [&[] as &[&str], &["a"], &["a", "b", text]] {
            for polite in [None, Some(true), Some(false)] {
                let mut inputs = Inputs::new()
                    .with("text", text)
                    .with("ratio", 1.5)
                    .with("tags", tags.to_value());
                if let Some(polite) = polite {
                    inputs = inputs.with("polite", polite);
                }
                let mut everything = Everything::new(text, 1.5, tags);
                everything.polite = polite;
                assert_agreement(&everything, inputs.clone());
                assert_agreement(&everything.with_count(1), inputs.with("count", 1));
            }
        }
    }
}

prompt!(
    ByEngine,
    "
---
inputs:
  text: { kind: string, required: true }
  count: { kind: integer, default: 3 }
---
{% macro twice(value) %}{{ value }}{{ value }}{% endmacro %}
user:
{% set all = [text, count] %}{{ all | last }} {{ twice(text) }} {{ text | replace('a', 'b') }}
"
);

#[test]
fn prompts_rendered_by_the_engine_agree() {
    for text in TEXTS {
        assert_agreement(&ByEngine::new(text), [("text", text)]);
        assert_agreement(
            &ByEngine::new(text).with_count(9),
            Inputs::from([("text", text)]).with("count", 9),
        );
    }
}

prompt!(
    Numbers,
    "
---
inputs:
  ratio: { kind: float, required: true }
  count: { kind: integer, required: true }
---
user:
{{ ratio }} {{ count }} {{ ratio == count }} {{ ratio < count }} {{ count == 1 }}
"
);

#[test]
fn numbers_print_and_compare_the_same() {
    for ratio in [0.0, -0.0, 1.0, 1.5, 1e21, 1e-7, f64::MAX, 123_456_789.125] {
        for count in [0, 1, -1, i64::MAX, i64::MIN] {
            assert_agreement(
                &Numbers::new(ratio, count),
                Inputs::new().with("ratio", ratio).with("count", count),
            );
        }
    }
}
