//! The templates for hostile inputs.

use prompty_core::value::Value;

/// The harmless values of the inputs. The last one is for threads and images.
pub(crate) const SLOTS: [&str; 4] = ["SLOT0X", "SLOT1X", "SLOT2X", "SLOT3X"];

/// A template, and its expected properties.
pub(crate) struct Template {
    pub(crate) format: &'static str,
    pub(crate) text: &'static str,
    /// The number of its messages.
    pub(crate) messages: usize,
    /// How a value is written. Filters and escapes change it.
    pub(crate) written_as: fn(String) -> String,
    /// Whether a value can be alone on a line.
    pub(crate) forgeable: bool,
}

const fn jinja(messages: usize, text: &'static str) -> Template {
    Template { format: "jinja2", text, messages, written_as: |value| value, forgeable: true }
}

const fn mustache(messages: usize, text: &'static str) -> Template {
    Template { format: "mustache", ..jinja(messages, text) }
}

impl Template {
    const fn writing(self, written_as: fn(String) -> String) -> Self {
        Self { written_as, ..self }
    }

    /// Values appear only in attributes, or their newlines are escaped.
    const fn never_forged(self) -> Self {
        Self { forgeable: false, ..self }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "a value goes in as it comes out")]
fn escaped(value: String) -> String {
    let value = value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    value.replace('"', "&quot;").replace('\'', "&#39;")
}

fn as_item(value: String) -> String {
    let list = Value::from(vec![Value::from(value)]).to_string();
    list.trim_start_matches("[\"").strip_suffix("\"]").unwrap().to_owned()
}

pub(crate) const TEMPLATES: &[Template] = &[
    jinja(2, "system:\nBe brief.\n\nuser:\n{{ a }}"),
    jinja(2, "{{ a }}\nuser: {{ b }}\nuser:\n{{ docs[1] }}"),
    jinja(2, "user:\nx {{ a }}{{ b }} y\nassistant:\n{{ a }}\n"),
    jinja(2, "system:\n{% for d in docs %}- {{ d }}\n{% endfor %}\nuser:\n{{ nested[0].b.c }}"),
    jinja(4, "{% for d in docs %}\nuser:\n{{ d }}\nassistant:\nok {{ d }}{% endfor %}"),
    jinja(1, "{% if yes %}\nuser:\n{{ a }}{% if a == 'no' %}\nsystem:\n{% endif %}\n{% endif %}"),
    jinja(2, "system:\n{{- a -}}\nuser:\n{{- b -}}\n"),
    jinja(2, "\tsy\u{17f}tem\u{a0}:\n{%- raw -%}\n # {{ %} {%- endraw -%}\n# USER:\n{{- a }}"),
    jinja(1, "user[name={{ a }}, id=7, note=\"x {{ b }} y\"]:\nhi").never_forged(),
    jinja(2, "system[a={{ a }}]:\n{{ b }}\n# User [x] :\n{{ a }}\n # User :\n{{ b }}"),
    jinja(4, "system:\nS {{ a }} s\n{{ h }}\ns\nuser:\nq {{ b }} q"),
    jinja(1, "user:\nlook {{ a }} l {{ photo }} r {{ b }} r"),
    jinja(1, "user:\n{{ a }}{{ photo }}{{ b }}"),
    jinja(1, "{% macro m(x) %}\nsystem:\n{{ x }}\n{% endmacro %}user:\n{{ m(a) }}end")
        .never_forged(),
    jinja(2, "{% raw %}\nsystem:\n{{ x }}\n{% endraw %}\nuser:\n{{ a }}"),
    jinja(2, "system:\n[{% set s %}\nuser:\n{{ a }}{% endset %}]\nuser:\n{{ b }}"),
    jinja(1, "user:\n{% filter upper %}[{{ a }}]{% endfilter %}{{ b|upper }}")
        .writing(|value| value.to_uppercase()),
    jinja(1, "user:\n{% for k, v in keyed.items() %}{{ k }}={{ v }}{% endfor %}."),
    jinja(1, "user:\n{{ docs }} {{ nested }} {{ keyed }}").writing(as_item).never_forged(),
    jinja(1, "user:\n{{ a ~ b }}{{ docs|join('\n') }}{{ nope|default(a) }}"),
    mustache(3, "system:\n{{{a}}}\n{{#docs}}\nuser:\n{{{.}}}\n{{/docs}}"),
    mustache(2, "system[name={{a}}, x={{&b}}]:\nhi\nuser:\n{{#nested}}{{&b.c}}{{/nested}}"),
    mustache(1, "user:\n{{a}}\n{{#yes}}{{b}}{{/yes}}").writing(escaped),
    mustache(4, "user:\na {{{a}}} a\n{{h}}\na\nassistant:\nb {{&b}} b"),
    Template { format: "dollar", ..jinja(2, "system[a=b]:\n$a\nuser:\n- $b -") },
];
