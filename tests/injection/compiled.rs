//! Compiled prompts in all languages.

use typed_prompty::{Media, Message, Prompt, prompt};

use super::values::Values;

prompt!(
    Markers { a: &str, b: &str },
    "system[name={{ a }}]:\n{{ b }}\nuser:\n{{ a -}}\n{% if a %}\nassistant:\n{{ b|upper }}{% endif %}\n"
);

prompt!(
    Rich,
    "
---
inputs:
  a: { kind: string, required: true }
  docs: { kind: array, required: true, items: { kind: string } }
  photo: { kind: image, required: true }
  h: { kind: thread }
---
system:
{{ a }}{% for d in docs -%}
{{ d }}
{%- endfor %}
{{ h }}
user:
{{ a }}{{ photo }}{{ a }}
{% for d in docs %}
assistant:
{{ d }}
{% endfor %}
"
);

prompt!(
    #[prompt(parser = "message-tags")]
    Tags { a: &str, b: &str },
    "<message role=\"system\">{{ a }}</message>\n\
     {% if a %}<message role=\"user\">x {{ b }} &lt;</message>{% endif %}"
);

prompt!(
    #[prompt(format = "mustache")]
    Mustache { a: &str, b: &str },
    "system:\n{{{ a }}}\nuser:\n{{ b }}\n"
);

prompt!(
    #[prompt(format = "handlebars")]
    Handlebars { a: &str, b: &str },
    "system:\n{{{ a }}}\n{{#if a}}\nuser:\n{{b~}}\n{{/if}}\n"
);

prompt!(
    #[prompt(format = "semantic-kernel")]
    Kernel { a: &str, b: &str },
    "system:\n{{ $a }}\nuser:\n{{ $b }}{{ $a }}\n"
);

/// Renders a prompt with values.
pub(crate) type Prepare = fn(&Values) -> Vec<Message>;

pub(crate) const PROMPTS: [Prepare; 6] = [
    |it| Markers { a: &it.a, b: &it.b }.messages().unwrap(),
    |it| {
        let (docs, photo, thread) = ([&*it.b, &*it.c], Media::new(&*it.d), it.thread());
        Rich::new(&it.a, &docs, &photo).with_h(&thread).messages().unwrap()
    },
    |it| Tags { a: &it.a, b: &it.b }.messages().unwrap(),
    |it| Mustache { a: &it.a, b: &it.b }.messages().unwrap(),
    |it| Handlebars { a: &it.a, b: &it.b }.messages().unwrap(),
    |it| Kernel { a: &it.a, b: &it.b }.messages().unwrap(),
];
