//! A template that takes more steps than the compiler waits for, and one that is slow in every probe.

use typed_prompty::chat_template;

chat_template!(
    pub Endless,
    "{% for m in messages %}{{ m.content }}{% endfor %}
{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"
);

chat_template!(
    pub Slow,
    probe_fuel = 100_000,
    source = "{% for m in messages %}<{{ m.role }}>{{ m.content }}</>{% endfor %}
{%- for i in range(4000) %}{% endfor %}"
);

chat_template!(pub Compared, "./slow.jinja");

fn main() {}
